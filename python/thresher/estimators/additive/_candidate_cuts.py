"""The candidate cut points of a model whose bins were edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column
from .._rounded_values import moved_above
from ._pieces import Pieces

Moves = dict[tuple[int, float], float]


def add_cuts(
    features: Sequence[dict[str, Any]],
    pieces: Mapping[int, Pieces],
    columns: Sequence[Column],
    all_rows: Sequence[Column],
) -> tuple[Moves, bool]:
    """Put the cut points of pieces among the candidates of a document.

    A candidate that divides the training rows alike is replaced: the models with these candidates have the
    same objectives, and a lower bound of all of them stays one.

    Parameters
    ----------
    features : sequence of dict
        The columns of the document, which are changed.
    pieces : mapping of int to Pieces
        The pieces of columns.
    columns : sequence of column
        The training rows of weight.
    all_rows : sequence of column
        The rows that are given, also those of weight 0: the parameter `bins` moves cut points above their
        rounded numbers.

    Returns
    -------
    moved : dict of (int, float) to float
        By column and cut point, of a candidate or of a piece, the cut point in its place.
    has_new : bool
        Whether there are cut points that divide the rows like none of the candidates.
    """
    moved: Moves = {}
    added: dict[int, list[float]] = {}
    has_new = False
    for j, own in pieces.items():
        known = features[j].get("cuts", [])
        if others := sorted(set(own.cuts) - set(known)):
            ordered = _numbers(columns[j], features[j])
            alike = dict(zip(_n_below(ordered, known), known, strict=True))
            n_below = _n_below(ordered, others)
            pairs = zip(n_below, others, strict=True)
            moved |= {(j, alike[below]): cut for below, cut in pairs if below in alike}
            has_new = has_new or not alike.keys() >= set(n_below)
            added[j] = others
    for j, feature in enumerate(features) if added else ():
        known, others = feature.get("cuts", []), added.get(j, [])
        if known or others:
            cuts = {*(moved.get((j, cut), cut) for cut in known), *others}
            final = {cut: cut for cut in cuts} | moved_above(sorted(cuts), all_rows[j])
            feature["cuts"] = sorted({*final.values()})
            places = {cut: final[moved.get((j, cut), cut)] for cut in [*known, *others]}
            moved |= {(j, cut): place for cut, place in places.items() if place != cut}
    return moved, has_new


def with_moved(node: Mapping[str, Any], moved: Moves) -> dict[str, Any]:
    """Return a point, bound or node of a document with the cut points in the place of those moved.

    Parameters
    ----------
    node : mapping
        What has step functions, or a split.
    moved : dict of (int, float) to float
        The cut points, by column and the cut point in whose place they are.

    Returns
    -------
    dict
        The same with these.
    """
    found = dict(node)
    if "shapes" in node:
        found["shapes"] = [
            {**own, "cuts": [moved.get((own["feature"], cut), cut) for cut in own["cuts"]]}
            for own in node["shapes"]
        ]
    if "tree" in node:
        found["tree"] = [with_moved(own, moved) for own in node["tree"]]
    if split := node.get("split"):
        place = (split["feature"], split["cut"])
        found["split"] = {**split, "cut": moved.get(place, split["cut"])}
    return found


def _n_below(ordered: NDArray[np.float64], cuts: Sequence[float]) -> list[int]:
    """Return how many of ascending numbers are below cut points, or equal to them."""
    found: list[int] = np.searchsorted(ordered, cuts, side="right").tolist()
    return found


def _numbers(column: Any, feature: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the numbers of a column that are no special codes, ascending."""
    codes = [code["value"] for code in feature.get("special", ())]
    return np.sort(column[~(np.isnan(column) | np.isin(column, codes))])
