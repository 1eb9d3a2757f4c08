"""What single columns add: steps, categories and lines, with the densities of the data."""

from __future__ import annotations

import bisect
import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Column
from ..export.conditions import Equals, Interval, IsCode, Missing
from ..export.formula import Factor, Formula, Linear, Lookup, RuleTerm, Steps, Term
from ..formatting.numbers import format_value
from ..formatting.quoting import quote_category
from ..formatting.text import format_level
from ..results.skewed_axis import axis_ends, linear_width, to_axis
from ._histograms import histogram

MOST_SHAPES = 60  # charts of all outputs, those of largest range first
LEAST_SHAPES = 4  # charts of an output, however many outputs there are
MOST_LEVELS = 40  # bars of a chart
N_BINS = 40  # bars of a density

OneColumn = Linear | Steps | Lookup | RuleTerm


def shapes_of(
    formula: Formula, features: Sequence[Any], columns: Sequence[Column] | None
) -> list[list[dict[str, Any]]]:
    """Return the charts of each output: the sum of all terms that read one column alone."""
    found = []
    for output in formula.outputs:
        charts = []
        for place, column in enumerate(formula.columns):
            own = [term for term in output.terms if _reads(term) == {place}]
            terms = [term for term in own if not isinstance(term, Factor)]
            if not terms or column.kind == "item":
                continue
            data = None if columns is None else columns[column.position]
            chart = (
                _of_levels(column.levels, terms, data)
                if column.is_coded
                else _of_numbers(terms, data, features[column.position])
            )
            if chart is not None:
                is_alone = all(place not in _reads(term) for term in output.terms if term not in own)
                charts.append({"name": column.name, "alone": is_alone, **chart})
        charts.sort(key=lambda chart: -float(chart["range"]))
        found.append(charts)
    return found


def _reads(term: Term) -> set[int | None]:
    """Return the places of the columns that a term reads."""
    if isinstance(term, RuleTerm):
        return {condition.column for condition in term.conditions}
    if isinstance(term, Factor):
        return {atom.column for atom in term.atoms}
    return {term.column}


def _value(term: OneColumn, x: float, *, reads_codes: bool = True) -> float:
    """Return what a term of one column adds; x is a number or NaN, or the code of a category or -1.

    Without `reads_codes` a number that is a special code is read as any other number.
    """
    if isinstance(term, Linear):
        center = math.nan if term.center is None else term.center
        return term.coef * (center if math.isnan(x) or x in term.codes else x)
    if isinstance(term, Steps):
        value = term.missing if math.isnan(x) else term.values[bisect.bisect_left(term.cuts, x)]
        return dict(term.codes).get(x, value) if reads_codes else value
    if isinstance(term, Lookup):
        return term.values[int(x)] if x >= 0 else term.missing
    holds = True
    for condition in term.conditions:
        if isinstance(condition, Interval):
            holds = holds and condition.lower < x <= condition.upper
        elif isinstance(condition, Equals):
            holds = holds and (x == condition.level) != condition.negated
        elif isinstance(condition, IsCode):
            is_missing = math.isnan(x) and condition.or_missing
            is_code = reads_codes and x in condition.codes
            holds = holds and (is_missing or is_code != condition.negated)
        elif isinstance(condition, Missing):
            holds = holds and (math.isnan(x) or x == -1) == condition.missing
    return term.coef if holds else 0.0


def _sum(terms: Sequence[Any], x: float) -> float:
    return math.fsum(_value(term, x) for term in terms)


def _of_levels(levels: Sequence[Any], terms: Sequence[Any], data: Column | None) -> dict[str, Any] | None:
    values = [_sum(terms, code) for code in range(len(levels))]
    missing = _sum(terms, -1)
    names = [quote_category(format_level(level)) for level in levels]
    density = None
    if isinstance(data, tuple):
        codes = data[0]
        counts = np.bincount(codes[(codes >= 0) & (codes < len(levels))], minlength=len(levels))
        density = (counts / codes.size).tolist()
    bars = _bars(values, density)
    kept = sorted(sorted(range(len(bars)), key=lambda k: -abs(values[bars[k][0]]))[:MOST_LEVELS])
    return {
        "levels": [_name_of_bar([names[k] for k in bars[bar]]) for bar in kept],
        "values": [values[bars[bar][0]] for bar in kept],
        "missing": missing or None,
        "density": None if density is None else [sum(density[k] for k in bars[bar]) for bar in kept],
        "density_missing": float(np.mean(data[0] < 0)) if isinstance(data, tuple) else None,
        "omitted": len(levels) - sum(len(bars[bar]) for bar in kept),
        "range": max([*values, missing]) - min([*values, missing]),
    }


def _bars(values: Sequence[float], density: Sequence[float] | None) -> list[list[int]]:
    """Return the categories of each bar; where they are too many, those of one effect share a bar."""
    if len(values) <= MOST_LEVELS:
        return [[k] for k in range(len(values))]
    order = list(range(len(values)))
    if density is not None:
        order.sort(key=lambda k: -density[k])
    bars = defaultdict[float, list[int]](list)
    for k in order:
        bars[values[k]].append(k)
    return list(bars.values())


def _name_of_bar(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1} others"


def _of_numbers(terms: Sequence[Any], data: Column | None, feature: Any) -> dict[str, Any] | None:
    codes = codes_of(feature)
    cells = None if data is None or isinstance(data, tuple) else data
    numbers = None if cells is None else cells[~(np.isnan(cells) | np.isin(cells, codes))]
    cuts = sorted({cut for term in terms for cut in _cuts(term) if math.isfinite(cut)})
    slope = math.fsum(term.coef for term in terms if isinstance(term, Linear))
    range_ = _range(cuts, numbers, feature)
    if range_ is None:
        return None
    width = None if slope else width_of_axis(numbers, feature, *range_)  # lines stay straight
    low, high = axis_ends(*range_, cuts, width)
    edges = [low, *(cut for cut in cuts if low < cut < high), high]
    constant = [term for term in terms if not isinstance(term, Linear)]
    pieces: list[list[float]] = []
    for left, right in itertools.pairwise(edges):
        middle = (left + right) / 2
        inside = middle if middle > left else right  # neighbouring numbers have none between them
        # An interval holds the numbers between its ends without the special codes among them.
        level = math.fsum(_value(term, inside, reads_codes=False) for term in constant)
        start, end = level + slope * left, level + slope * right
        if pieces and not slope and pieces[-1][3] == start:
            pieces[-1][2] = right
        else:
            pieces.append([left, start, right, end])
    missing = _sum(terms, math.nan)
    heights = [height for piece in pieces for height in (piece[1], piece[3])]
    has_gap = cells is not None and bool(np.isnan(cells).any())
    is_special = any(isinstance(term, (Steps, RuleTerm)) and _value(term, math.nan) for term in terms)
    apart = [[format_value(code), _sum(terms, code)] for code in codes]
    if math.isfinite(missing) and (has_gap or is_special):
        apart.append(["missing", missing])
    return {
        "pieces": pieces,
        "apart": apart,
        "density": None if numbers is None or not numbers.size else _density(numbers, low, high, width),
        "linear_width": width,
        "range": max(heights) - min(heights),
    }


def codes_of(feature: Any) -> list[float]:
    """Return the special codes of a column, as its model's document describes it."""
    special = feature.get("special", ()) if isinstance(feature, Mapping) else ()
    return [float(code["value"]) for code in special]


def _cuts(term: Any) -> list[float]:
    if isinstance(term, Steps):
        return list(term.cuts)
    if isinstance(term, RuleTerm):
        return [
            end for each in term.conditions if isinstance(each, Interval) for end in (each.lower, each.upper)
        ]
    return []


def width_of_axis(numbers: NDArray[np.float64] | None, feature: Any, low: float, high: float) -> float | None:
    """Return the width of the linear part of an axis; without rows, by the cut points of the fit."""
    if numbers is None or not numbers.size:
        numbers = np.asarray(feature.get("cuts", ()) if isinstance(feature, Mapping) else (), dtype=float)
    return linear_width(numbers, low, high)


def _range(
    cuts: Sequence[float], numbers: NDArray[np.float64] | None, feature: Any
) -> tuple[float, float] | None:
    """Return the range of the axis: the data, else training, else the cut points with a margin."""
    found = list(cuts)
    if numbers is not None and numbers.size:
        found += [float(numbers.min()), float(numbers.max())]
    elif isinstance(feature, Mapping) and feature.get("lower") is not None:
        found += [float(feature["lower"]), float(feature["upper"])]
    elif found:
        margin = (max(found) - min(found)) / 4 or abs(found[0]) / 4 or 1.0
        found += [min(found) - margin, max(found) + margin]
    if not found or min(found) == max(found) or not math.isfinite(max(found) - min(found)):
        return None
    return min(found), max(found)


def _density(numbers: NDArray[np.float64], low: float, high: float, width: float | None) -> list[float]:
    """Return the fraction of the numbers in each of some intervals of equal width on the axis."""
    first, last = to_axis([low, high], width).tolist()
    counts = histogram(np.clip(to_axis(numbers, width), first, last), first, last, N_BINS)
    return [round(float(count), 5) for count in counts / numbers.size]
