"""Reading of labelled graphs in several forms."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from .. import _native
from . import molecules
from .arrow_records import as_lists
from .budget import Budget, running_budget
from .columns import is_missing
from .graph_sizes import require_graphs
from .misplaced_frames import refuse_frame
from .valid_graphs import ValidGraphs
from .vocabulary import check_label

_WHOLE = re.compile(r"-?\d{1,18}")
_FORMS = (
    "give networkx graphs, tuples (node labels, edges) or (node labels, edges, edge labels), "
    "SMILES, rdkit molecules, or the text or path of a gSpan file"
)


class LabelledGraph(NamedTuple):
    """An undirected labelled graph.

    Parameters
    ----------
    nodes : list of hashable
        A label for each node; ``""`` where there is none.
    edges : list of (int, int)
        Positions of both ends in `nodes`.
    labels : list of hashable
        A label for each edge.
    names : list or None, default=None
        The user's names of the nodes, if they are not numbered.
    """

    nodes: list[Any]
    edges: list[tuple[int, int]]
    labels: list[Any]
    names: list[Any] | None = None


def read_gspan(source: Any) -> tuple[list[LabelledGraph], list[list[str]]]:
    r"""Read graphs in the text format of gSpan.

    A line ``t # id values...`` begins a graph, ``v id label`` is a vertex, ``e id id label``
    an edge. Labels that are whole numbers are read as numbers; a label may be left out.

    Parameters
    ----------
    source : str or path
        The text, or the path of a file.

    Returns
    -------
    graphs : list of LabelledGraph
        The graphs: named tuples (nodes, edges, labels, names).
    values : list of list of str
        The values after the id of each graph, often the response.

    Raises
    ------
    ValueError
        If a line is invalid; the message names it.
    OSError
        If the file does not exist.

    Examples
    --------
    >>> from thresher import read_gspan
    >>> graphs, values = read_gspan("t # 0 1.5\nv 0 C\nv 1 O\ne 0 1 2\n")
    >>> graphs[0].nodes, graphs[0].edges, graphs[0].labels, values
    (['C', 'O'], [(0, 1)], [2], [['1.5']])
    """
    is_text = isinstance(source, str) and ("\n" in source or source.lstrip().startswith("t "))
    try:
        text = source if is_text else Path(source).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{source} is no text in the format of gSpan") from None
    read = _native.read_graphs(text)
    graphs = [
        LabelledGraph(
            [_typed(label) for label in nodes],
            [(u, v) for u, v, _ in edges],
            [_typed(label) for _, _, label in edges],
        )
        for _, _, nodes, edges in read
    ]
    return graphs, [values for _, values, _, _ in read]


def write_gspan(graphs: Any, values: Sequence[Any] | None = None) -> str:
    """Write graphs in the text format of gSpan.

    Parameters
    ----------
    graphs : list of graphs
        In any form that the estimators take.
    values : sequence, optional
        The value to write after each graph's number, or a list of values.

    Returns
    -------
    str
        The text.

    Raises
    ------
    TypeError, ValueError
        If a record has none of the forms, there is not one entry of `values` for each graph, or the text
        would be read as another graph: of a label with line breaks, or with white space other than single
        blanks between words, or of a value that is no word.

    Examples
    --------
    >>> from thresher import write_gspan
    >>> print(write_gspan([(["C", "O"], [(0, 1)], ["="])], [1.5]))
    t # 0 1.5
    v 0 C
    v 1 O
    e 0 1 =
    <BLANKLINE>
    """
    read = graphs_of(graphs)
    tails = [[]] * len(read) if values is None else list(values)
    if len(tails) != len(read):
        raise ValueError(f"values: got {len(tails)} for {len(read)} graphs; give one for each")
    records = []
    for k, (graph, tail) in enumerate(zip(read, tails, strict=True)):
        nodes, labels = ([_as_words(label, k) for label in part] for part in (graph.nodes, graph.labels))
        edges = [(u, v, label) for (u, v), label in zip(graph.edges, labels, strict=True)]
        entries = tail if isinstance(tail, (list, tuple, np.ndarray)) else [tail]
        records.append((str(k), [_as_word(entry) for entry in entries], nodes, edges))
    return _native.write_graphs(records)


def _as_words(label: Any, record: int) -> str:
    """Return the text of a label as a reader splits a line into words and joins them."""
    text = str(label)
    if " ".join(text.split()) != text:
        raise ValueError(
            f"record {record} has the label {text!r}, which the text format of gSpan cannot hold; a label "
            "has no line break, and no white space except single blanks between words"
        )
    return text


def _as_word(value: Any) -> str:
    text = str(value)
    if text.split() != [text]:
        raise ValueError(
            f"values: got {text!r}, which the text format of gSpan cannot hold; give values that are not "
            "empty and have no white space"
        )
    return text


def _typed(label: str) -> int | str:
    return int(label) if _WHOLE.fullmatch(label) else label


def graphs_of(X: Any, *, charges: bool = False, budget: Budget | None = None) -> list[LabelledGraph]:
    """Read records.

    Parameters
    ----------
    X : list of graphs, str or path
        As the estimators take them.
    charges : bool, default=False
        Whether the labels of atoms tell the formal charge.
    budget : Budget, optional
        Its clock is looked at; by default there is no limit.

    Returns
    -------
    list of LabelledGraph
        One for each record.

    Raises
    ------
    TypeError, ValueError
        If a record has none of the forms; the message names it.
    """
    return read_valid(X, charges=charges, skip=False, budget=budget).graphs


def read_valid(X: Any, *, charges: bool, skip: bool, budget: Budget | None = None) -> ValidGraphs:
    """Read records, without molecules that are invalid if this is wanted.

    Parameters
    ----------
    X : list of graphs, str or path
        As the estimators take them.
    charges : bool
        Whether the labels of atoms tell the formal charge.
    skip : bool
        Whether to leave out molecules that rdkit does not read, and missing records, instead of an error.
    budget : Budget, optional
        Its clock is looked at; by default there is no limit.

    Returns
    -------
    ValidGraphs
        The graphs.

    Raises
    ------
    TypeError, ValueError
        If a record has none of the forms; the message names it.
    """
    refuse_frame(X, "graphs")
    series = nw.from_native(as_lists(X), series_only=True, pass_through=True)
    X = series.to_list() if isinstance(series, nw.Series) else series
    invalid: dict[int, Any] = {}
    unused: dict[Any, None] = {}
    if isinstance(X, os.PathLike) or (isinstance(X, str) and ("\n" in X or Path(X).is_file())):
        graphs = read_gspan(X)[0]
    elif isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable) or _is_networkx(X):
        got = X if isinstance(X, str) else type(X).__name__
        raise TypeError(f"X is {got!r}, not a list of graphs; {_FORMS}")
    else:
        budget = budget or running_budget()
        require_graphs(X, budget)
        graphs, n_records = [], 0
        for row, record in enumerate(budget.within_time(X, "graphs")):
            n_records = row + 1
            read = molecules.molecule_or_none(record) if skip and is_molecule(record) else record
            if skip and is_missing(read):
                invalid[row] = record
            elif skip and is_molecule(record):
                graphs.append(LabelledGraph(*molecules.parts(read, charges=charges)))
            else:
                graphs.append(one_graph(read, f"record {row}", charges=charges))
                unused.update(_unused_attributes(read))
        return ValidGraphs(graphs, n_records, invalid, tuple(unused))
    return ValidGraphs(graphs, len(graphs), invalid)


def one_graph(record: Any, where: str, *, charges: bool = False) -> LabelledGraph:
    """Read one record.

    Parameters
    ----------
    record : object
        A graph in any form.
    where : str
        The name of the record, for messages.
    charges : bool, default=False
        Whether the labels of the atoms of a molecule tell the formal charge.

    Returns
    -------
    LabelledGraph
        The graph.

    Raises
    ------
    TypeError, ValueError
        If it has none of the forms.
    """
    if isinstance(record, LabelledGraph):
        return record
    if is_molecule(record):
        return LabelledGraph(*molecules.parts(molecules.molecule(record, where), charges=charges))
    if is_missing(record):
        raise ValueError(
            f"{where} is {record!r}: the molecule is missing, or rdkit could not read it; drop the record, "
            "or give on_invalid='skip'"
        )
    graph = _labelled_graph(record, where)
    if graph is None:
        raise TypeError(f"{where} is {type(record).__name__!r}; {_FORMS}")
    return graph


def pattern_graph(pattern: Any) -> LabelledGraph:
    """Read a pattern that is given as a graph.

    Parameters
    ----------
    pattern : object
        A graph of networkx, or a tuple of lists.

    Returns
    -------
    LabelledGraph
        The graph.

    Raises
    ------
    TypeError, ValueError
        If it has none of the forms.
    """
    graph = pattern if isinstance(pattern, LabelledGraph) else _labelled_graph(pattern, "pattern")
    if graph is None:
        raise TypeError(
            f"pattern: got {pattern!r:.100}; give one of patterns_ or its text, SMARTS of molecules, or a "
            "connected graph: of networkx, or a tuple (node labels, edges, edge labels)"
        )
    return graph


def _labelled_graph(record: Any, where: str) -> LabelledGraph | None:
    """Read a graph of networkx or a tuple of lists; None for anything else."""
    if _is_networkx(record):
        return _of_networkx(record, where)
    if isinstance(record, (tuple, list)) and len(record) in (2, 3):
        return _of_lists(record, where)
    return None


def is_molecule(record: Any) -> bool:
    """Return whether a record is given as a molecule.

    Parameters
    ----------
    record : object
        A record.

    Returns
    -------
    bool
        Whether it is SMILES or a molecule of rdkit.
    """
    return isinstance(record, str) or hasattr(record, "GetAtoms")


def _is_networkx(record: Any) -> bool:
    return all(hasattr(record, name) for name in ("nodes", "edges", "is_directed", "is_multigraph"))


def _of_networkx(graph: Any, where: str) -> LabelledGraph:
    if graph.is_directed() or graph.is_multigraph():
        raise TypeError(f"{where} is directed or has parallel edges; give an undirected networkx.Graph")
    names = list(graph.nodes)
    place = {name: number for number, name in enumerate(names)}
    nodes = [_label(data.get("label"), where) for _, data in graph.nodes(data=True)]
    edges = [(place[u], place[v]) for u, v in graph.edges]
    labels = [_label(data.get("label"), where) for _, _, data in graph.edges(data=True)]
    return LabelledGraph(nodes, edges, labels, names)


def _unused_attributes(record: Any) -> dict[Any, None]:
    """Return the names of the attributes of a graph of networkx that are not read."""
    if isinstance(record, LabelledGraph) or not _is_networkx(record):
        return {}
    holders = [data for _, data in record.nodes(data=True)] + [data for _, _, data in record.edges(data=True)]
    return {name: None for data in holders for name in data if name != "label"}


def _of_lists(record: Sequence[Any], where: str) -> LabelledGraph:
    if not all(isinstance(part, Iterable) and not isinstance(part, (str, bytes)) for part in record[:2]):
        raise TypeError(f"{where} is {record!r:.100}; {_FORMS}")
    nodes = [_label(label, where) for label in record[0]]
    edges = [_ends(edge, where) for edge in record[1]]
    given = record[2] if len(record) == 3 else None
    labels = [""] * len(edges) if given is None else [_label(label, where) for label in given]
    if len(labels) != len(edges):
        raise ValueError(f"{where} has {len(edges)} edges and {len(labels)} edge labels; give one each")
    return LabelledGraph(nodes, edges, labels)


def _ends(edge: Any, where: str) -> tuple[int, int]:
    try:
        u, v = (int(end) for end in edge if isinstance(end, (int, np.integer)))
    except (TypeError, ValueError):
        raise TypeError(f"{where} has the edge {edge!r}; give pairs of node numbers, from 0") from None
    if min(u, v) < 0:
        raise ValueError(f"{where} has the edge {edge!r}; nodes are numbered from 0")
    return u, v


def _label(label: Any, where: str) -> Hashable:
    return "" if label is None else check_label(label, where)
