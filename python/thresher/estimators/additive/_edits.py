"""Bins that a person gives for one column."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...data.columns import Column, is_missing
from ...formatting.text import format_names
from .._cut_points import given_cuts
from .._rounded_values import above_rounded
from ._pieces import Floats, Pieces


def edited_pieces(
    name: str,
    given: Any,
    column: Column,
    feature: Mapping[str, Any],
    before: Pieces | None,
    *,
    has_trend: bool,
    position: int,
) -> Pieces:
    """Check the bins of a column.

    Parameters
    ----------
    name : str
        The column's name.
    given : sequence
        Cut points, or lists of categories.
    column : column
        Its training rows.
    feature : mapping
        The column in the model's document.
    before : Pieces or None
        The pieces that the model has.
    has_trend : bool
        Whether it has a trend, with which special codes and missing values have pieces of their own.
    position : int
        The column's position.

    Returns
    -------
    Pieces
        The pieces; missing values apart, if there are any.

    Raises
    ------
    TypeError, ValueError
        If they are no bins of the column.
    """
    own, pooled = _codes(column, feature, before, has_trend=has_trend)
    if isinstance(column, tuple):
        groups = _groups(name, given, column[1])
        pieces = Pieces(position, (), tuple(groups), len(given), (), (), None)
    else:
        is_number = ~(np.isnan(column) | np.isin(column, [*own, *pooled]))
        cuts = _cuts(name, given, column[is_number], {*own, *pooled})
        pieces = Pieces(position, cuts, (), len(cuts) + 1, own, pooled, None)
    is_missing = pieces.is_missing(column)
    if pieces.n_known == 1 and not own and not is_missing.any():
        instead = "drop this entry" if before is None else "give None to leave the column out of the model"
        raise ValueError(f"bins: column {name!r} has one bin, which separates no rows; {instead}")
    held = np.bincount(pieces.known(column)[~is_missing], minlength=pieces.n_known)
    if (held == 0).any():
        raise ValueError(f"bins: bin {int((held == 0).argmax()) + 1} of column {name!r} has no training rows")
    return replace(pieces, missing="apart") if is_missing.any() else pieces


def _codes(
    column: Column, feature: Mapping[str, Any], before: Pieces | None, *, has_trend: bool
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the special codes with a piece of their own, and the others."""
    known = tuple(code["value"] for code in feature.get("special", ()))
    if before is not None:
        return before.own_codes, before.pooled_codes
    seen = tuple(code for code in known if not isinstance(column, tuple) and (column == code).any())
    own = seen if has_trend else ()
    return own, tuple(code for code in known if code not in own)


def _cuts(name: str, given: Any, numbers: Floats, codes: Collection[float]) -> tuple[float, ...]:
    """Check cut points, and move them above rounded numbers."""
    if isinstance(given, (str, bytes)) or np.ndim(given) == 0:
        raise TypeError(
            f"bins: got {given!r} for column {name!r}; give a list of cut points, such as [18, 40], or None "
            "to leave the column out of the model"
        )
    [wanted] = given_cuts([given], [name])
    ordered = np.sort(numbers)
    cuts = tuple(above_rounded(wanted or (), numbers))
    n_below = np.searchsorted(ordered, cuts, side="right")
    for cut, below in zip(cuts, n_below, strict=True):
        if cut in codes:
            raise ValueError(
                f"bins: column {name!r}: {cut:g} is a special code, which is apart from the numbers; "
                "remove it from the cut points"
            )
        if below in (0, len(ordered)):
            known = f", which goes from {ordered[0]:g} to {ordered[-1]:g}," if len(ordered) else ""
            raise ValueError(
                f"bins: all training rows of column {name!r}{known} are on one side of {cut:g}; remove it"
            )
    if (np.diff(n_below) == 0).any():
        raise ValueError(f"bins: no training row of column {name!r} is between two of its cut points")
    return cuts


def _groups(name: str, given: Any, levels: list[Any]) -> list[int]:
    """Return the group of each category."""
    is_list = np.iterable(given) and not isinstance(given, (str, Mapping))
    if not is_list or not all(_is_group(group) for group in given):
        shown = " ".join(repr(given).replace("Ellipsis", "...").split())
        raise TypeError(
            f"bins: got {shown} for column {name!r}, which has categories; give a list with a list for each "
            f"bin, such as [[{levels[0]!r}], ...], where ... is the bin of all other categories, or None to "
            "leave the column out of the model"
        )
    given = _with_others(name, [_as_levels(group, levels) for group in given], levels)
    place = {level: k for k, group in enumerate(given) for level in group}
    listed = [level for group in given for level in group]
    unknown = [level for level in listed if level not in levels]
    if any(is_missing(level) or level == "missing" for level in unknown):
        raise ValueError(
            f"bins: column {name!r}: missing values are no category; they get the best place by themselves, "
            "remove them"
        )
    empty = [number for number, group in enumerate(given, start=1) if not len(group)]
    if empty:
        raise ValueError(f"bins: bin {empty[0]} of column {name!r} has no categories; remove it")
    if len(place) < len(listed):
        twice = next(level for level in place if listed.count(level) > 1)
        raise ValueError(f"bins: column {name!r}: category {twice!r} is given twice")
    lost = [level for level in levels if level not in place]
    for what, which in (("training did not see", unknown), ("no bin has", lost)):
        if which:
            advice = f"known are {format_names(levels)}"
            if which is lost:
                advice = "... in place of a list is the bin of all others"
            raise ValueError(f"bins: column {name!r}: {what} {format_names(which)}; {advice}")
    return [place[level] for level in levels]


def _is_group(group: Any) -> bool:
    """Return whether it is a list of categories, or stands for one."""
    if _is_others(group):
        return True
    is_list = np.iterable(group) and not isinstance(group, (str, Mapping))
    return is_list and not any(isinstance(level, (list, dict, set)) for level in group)


def _is_others(group: Any) -> bool:
    return group is Ellipsis or (isinstance(group, str) and group == "...")


def _as_levels(group: Any, levels: list[Any]) -> Any:
    """Return categories with truth values in place of their texts, which tables may hold as well."""
    if not isinstance(group, (list, tuple, set)):
        return group
    truths = {str(level).lower(): level for level in levels if isinstance(level, bool)}
    return [truths.get(level.lower(), level) if isinstance(level, str) else level for level in group]


def _with_others(name: str, given: Any, levels: list[Any]) -> list[Any]:
    """Replace ``...``, also as a text of a JSON file, by the categories that no list has."""
    groups = list(given)
    places = [k for k, group in enumerate(groups) if _is_others(group)]
    if len(places) > 1:
        raise ValueError(f"bins: column {name!r}: ... is given twice; it is one bin of all others")
    listed = [level for group in groups if isinstance(group, (list, tuple, set)) for level in group]
    for place in places:
        groups[place] = [level for level in levels if level not in listed]
        if not groups[place]:
            raise ValueError(f"bins: column {name!r}: no category is left for ..., remove it")
    return groups
