"""Drawings of molecules: the patterns of a model, and records with the atoms that they cover."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...data.graph_records import is_molecule
from ...data.molecules import can_draw, chem, molecule
from ...data.valid_graphs import ValidGraphs
from ...results.pattern import Pattern
from ._vocabulary import pack

if TYPE_CHECKING:
    from ...plotting.molecules import Drawing


def whole_pattern(estimator: Any, pattern: Pattern) -> Pattern | None:
    """Return the largest pattern around another that occurs in the same records of training.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    pattern : Pattern
        One of its patterns, with its equivalents.

    Returns
    -------
    Pattern or None
        The first of the largest equivalents that contain it; None if there is none.
    """
    larger = [other for other in pattern.equivalents if other.size > pattern.size]
    by_size = sorted(larger, key=lambda other: -other.size)
    return next((other for other in by_size if _place_in(estimator, pattern, other)), None)


def _place_in(estimator: Any, pattern: Pattern, whole: Pattern) -> list[int]:
    """Return the nodes of another pattern on which a pattern lies; empty where it is no part of it."""
    vocabulary = estimator._fitted.view.vocabulary
    packed = pack([vocabulary.graph(whole.payload)], vocabulary)
    [found] = packed.records.occurrences(json.dumps(pattern.payload), 1)
    return list(found[0]) if found else []


def pattern_drawing(estimator: Any, pattern: Pattern, whole: Pattern | None = None) -> Drawing | None:
    """Draw a pattern of molecules.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    pattern : Pattern
        One of its patterns.
    whole : Pattern, optional
        A pattern around it, of which the rest is grey.

    Returns
    -------
    Drawing or None
        The drawing; None for other graphs, or where rdkit is not installed.
    """
    from ...plotting.molecules import draw_pattern

    vocabulary = estimator._fitted.view.vocabulary
    if not vocabulary.is_chemical or not can_draw():
        return None
    graph = vocabulary.graph(pattern.payload)
    if whole is None:
        return draw_pattern(graph, pattern.text)
    place, around = _place_in(estimator, pattern, whole), vocabulary.graph(whole.payload)
    ends = {frozenset((place[u], place[v])) for u, v in graph.edges}
    bonds = {k for k, edge in enumerate(around.edges) if frozenset(edge) in ends}
    return draw_pattern(around, f"{pattern.text}, grey: {whole.text}", (set(place), bonds))


def record_drawing(estimator: Any, record: Any, patterns: Iterable[Pattern]) -> Drawing | None:
    """Draw a molecule with the atoms coloured that patterns cover.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    record : object
        A record that can be read.
    patterns : iterable of Pattern
        The patterns whose coefficients are divided among their atoms.

    Returns
    -------
    Drawing or None
        The drawing; None if the record is not given as a molecule.
    """
    if not is_molecule(record):
        return None
    from ...plotting._display import shade
    from ...plotting.graphs import effects_of_nodes
    from ...plotting.molecules import draw_molecule

    mol = molecule(record, "record")
    graph = estimator._graphs([mol]).graphs[0]
    effects = effects_of_nodes(estimator, graph, patterns)
    most = max(map(abs, effects), default=0.0)
    colors = {v: shade(effect, most) for v, effect in enumerate(effects) if effect}
    return draw_molecule(mol, colors, record if isinstance(record, str) else chem().MolToSmiles(mol))


def example_drawing(
    estimator: Any, pattern: Pattern, records: Sequence[Any], found: ValidGraphs, rows: Sequence[int]
) -> Drawing | None:
    """Draw the smallest molecule in which a pattern occurs.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    pattern : Pattern
        One of its patterns.
    records : sequence
        All records, as given.
    found : ValidGraphs
        The records that could be read.
    rows : sequence of int
        The positions in ``found.graphs`` of those in which it occurs.

    Returns
    -------
    Drawing or None
        The drawing; None if none of them is given as a molecule.
    """
    places = [row for row in rows if is_molecule(records[found.rows[row]])]
    if not places:
        return None
    smallest = min(places, key=lambda row: len(found.graphs[row].nodes))
    return record_drawing(estimator, records[found.rows[smallest]], [pattern])
