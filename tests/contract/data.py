"""Small and large problems of every kind of input, with a signal that every model can find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np


@dataclass(frozen=True)
class Source:
    """A kind of input: `make(n_rows, n_columns, seed)` returns X and a numeric signal."""

    name: str
    make: Callable[[int, int, int], tuple[Any, np.ndarray]]

    @property
    def is_table(self) -> bool:
        """Whether X has columns with names."""
        return self.name == "table"

    @property
    def is_matrix(self) -> bool:
        """Whether X may be a numeric matrix, as scikit-learn's checks give it."""
        return self.name in ("table", "itemsets")

    def take(self, X: Any, rows: np.ndarray) -> Any:
        """Select rows."""
        return X[rows] if isinstance(X, np.ndarray) else [X[row] for row in rows]


def _table(n_rows: int, n_columns: int, seed: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, size=(n_rows, n_columns)).astype(float)
    signal = 2.0 * (X[:, 0] > 3) * (X[:, 1] > 2) + 0.3 * X[:, 2] + 0.5 * rng.normal(size=n_rows)
    return X, signal


def _itemsets(n_rows: int, n_columns: int, seed: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(seed)
    held = rng.random((n_rows, n_columns)) < 0.45
    records = [{f"item {j}" for j in np.flatnonzero(row)} for row in held]
    return records, 2.0 * (held[:, 0] & held[:, 1]) - held[:, 2] + 0.5 * rng.normal(size=n_rows)


def _sequences(n_rows: int, n_columns: int, seed: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(seed)
    records = ["".join(rng.choice(list("ACGT"), rng.integers(2, 2 + 2 * n_columns))) for _ in range(n_rows)]
    found = np.array(["GA" in record for record in records])
    return records, 2.0 * found + 0.5 * rng.normal(size=n_rows)


def _graphs(n_rows: int, n_columns: int, seed: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(seed)
    records = []
    for _ in range(n_rows):
        graph = nx.gnp_random_graph(n_columns, 2.0 / n_columns, seed=int(rng.integers(2**31)))
        labels = rng.choice(list("abc"), n_columns).tolist()
        edges = list(graph.edges)
        records.append((labels, edges, rng.choice(list("xy"), len(edges)).tolist()))
    n_edges = np.array([len(edges) for _, edges, _ in records])
    return records, 1.0 * (n_edges > np.median(n_edges)) + 0.5 * rng.normal(size=n_rows)


TABLE = Source("table", _table)
ITEMSETS = Source("itemsets", _itemsets)
SEQUENCES = Source("sequences", _sequences)
GRAPHS = Source("graphs", _graphs)
