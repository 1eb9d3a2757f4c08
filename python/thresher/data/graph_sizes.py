"""The least memory that a fit of graphs takes, before they are read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .budget import Budget

_BYTES_OF_A_GRAPH, _BYTES_OF_A_NODE, _BYTES_OF_AN_EDGE = 320, 48, 128
"""What the core reserves for each graph, each node and each edge, without folds and wildcards: two copies."""


def require_graphs(X: Any, budget: Budget) -> None:
    """Raise an error unless graphs fit into the memory that is left.

    Parameters
    ----------
    X : list of graphs
        As the estimators take them; nodes and edges are counted in tuples and in networkx graphs. If the
        graphs cannot be counted without being read, the limit is not looked at.
    budget : Budget
        What the fit may take.

    Raises
    ------
    MemoryError
        If they do not fit.

    Examples
    --------
    >>> require_graphs([(["C", "O"], [(0, 1)])], Budget(memory_limit=1000))
    """
    if budget.memory_limit is not None and isinstance(X, Collection):
        need = sum(_least_bytes(record) for record in budget.within_time(X, "graphs"))
        budget.require(need, f"a fit of {len(X)} graphs")


def _least_bytes(record: Any) -> int:
    nodes, edges = 0, 0
    if isinstance(record, (tuple, list)) and len(record) >= 2:
        nodes, edges = (len(part) if isinstance(part, Collection) else 0 for part in record[:2])
    elif hasattr(record, "number_of_nodes") and hasattr(record, "number_of_edges"):
        nodes, edges = record.number_of_nodes(), record.number_of_edges()
    return _BYTES_OF_A_GRAPH + _BYTES_OF_A_NODE * nodes + _BYTES_OF_AN_EDGE * edges
