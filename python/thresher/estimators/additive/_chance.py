"""Columns of many categories that fit by chance: a warning, and those that are doubtful."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import chi2, f

from ...data.fit_rows import without_unused_categories
from ...data.weights import are_counts, effective_rows
from ...data.whole_weights import warn_of_counted_rows
from ...fit_warnings import warn
from .._training import TrainingData

Floats = NDArray[np.float64]

_MANY_LEVELS = 10  # so many categories in an order of their targets make a step of noise
_CHANCE = 0.05  # a relation that chance gives less often than this is more than chance
_MOSTLY_NOISE = 2.0  # below, the categories differ by chance more than by effects of their own
_NEWTON_STEPS = 30


def warn_of_chance(model: Any, data: TrainingData, exclude: Collection[int]) -> bool:
    """Warn of columns of many categories in a card that say no more of the target than chance would.

    Categories are ordered by their targets, so that a column of many unrelated ones gains as if it had a
    signal. Here a column is tested with all of its categories apart: alone, and given the rest of the model,
    which sees more unless the model fits every row.

    Parameters
    ----------
    model : AdditiveModel
        The fitted model.
    data : TrainingData
        The training rows.
    exclude : collection of int
        Columns about which enough is said.

    Returns
    -------
    bool
        Whether there was a warning.
    """
    table = without_unused_categories(data.inputs, data.weights)
    many = _many_levels(table.columns, set(model._used_columns()) - set(exclude))
    if not many:
        return False
    chances: dict[int, float] = {}
    decision = model._decision_of(table.columns)
    weights = _weights(model, data)
    for output, point in enumerate(model._fitted.points(model._path_index)):
        for shape in point["shapes"]:
            place = shape["feature"]
            if place in many:
                codes, y = table.columns[place][0], data.target.values[:, output]
                rest = decision[:, output] - _values(shape)[codes]
                tests = (chance_of(codes, y, each, weights, model.loss) for each in (rest, 0.0 * rest))
                chances[place] = min(chances.get(place, 1.0), *tests)
    for place, chance in sorted(chances.items()):
        if chance > _CHANCE:
            name = table.names[place]
            warn(
                f"column {name!r} is in the model with its {many[place]} categories, but says no more of "
                f"the target than chance would, alone or given the other columns (p >= {chance:.2g}). Merge "
                f"rare categories into one, such as 'other', or leave it out, as with exclude=[{name!r}]",
                UserWarning,
            )
    return any(chance > _CHANCE for chance in chances.values())


def warn_of_tested_rows(model: Any, data: TrainingData, exclude: Collection[int]) -> None:
    """Warn of weights that count as many rows where columns of many categories are tested.

    Parameters
    ----------
    model : AdditiveModel
        The estimator.
    data : TrainingData
        The training rows.
    exclude : collection of int
        Columns that the model may not use.
    """
    columns = data.inputs.columns
    if getattr(model, "class_weight", None) is None and _many_levels(columns, _all_but(exclude, columns)):
        warn_of_counted_rows(data.weights, "tests of columns of many categories")


def doubtful_columns(model: Any, data: TrainingData, exclude: Collection[int]) -> list[int]:
    """List the columns of many categories that differ by chance more than by effects of their own.

    Parameters
    ----------
    model : AdditiveModel
        The estimator.
    data : TrainingData
        The training rows.
    exclude : collection of int
        Columns that the model may not use.

    Returns
    -------
    list of int
        Their positions, those of the largest differences first.
    """
    table = without_unused_categories(data.inputs, data.weights)
    found: dict[int, float] = {}
    for place in _many_levels(table.columns, _all_but(exclude, table.columns)):
        weights, targets, codes = _weights(model, data), data.target.values.T, table.columns[place][0]
        ratio = max(relation_of(codes, y, 0.0 * y, weights, model.loss).ratio for y in targets)
        if ratio < _MOSTLY_NOISE:
            found[place] = ratio
    return sorted(found, key=lambda place: -found[place])


def _values(shape: Mapping[str, Any]) -> Floats:
    """Return what a column adds in each category, and last for a missing value, whose code is -1."""
    missing = shape["missing"]
    values = [shape["values"][group] for group in shape["groups"]]
    return np.asarray([*values, missing["value"] if missing else 0.0])


def _all_but(exclude: Collection[int], columns: Sequence[Any]) -> list[int]:
    return [place for place in range(len(columns)) if place not in exclude]


def _many_levels(columns: Sequence[Any], places: Iterable[int]) -> dict[int, int]:
    """Return the columns of many categories among some, by position, and how many they have."""
    codes = {place: columns[place][0] for place in places if isinstance(columns[place], tuple)}
    sizes = {place: int(np.unique(own[own >= 0]).size) for place, own in codes.items()}
    return {place: size for place, size in sizes.items() if size >= _MANY_LEVELS}


def _weights(model: Any, data: TrainingData) -> Floats:
    """Return row weights that add up to the number of rows they are worth."""
    weights = data.weights
    if weights is None:
        return np.ones(data.inputs.n_rows)
    counts_rows = getattr(model, "class_weight", None) is None and are_counts(weights)
    return np.asarray(weights * (effective_rows(weights, counts_rows) / weights.sum()))


class Relation(NamedTuple):
    """A relation between categories and targets.

    Attributes
    ----------
    ratio : float
        The differences between categories, in units of those that chance gives.
    chance : float
        The probability of as much where there is no relation.
    """

    ratio: float
    chance: float


def chance_of(codes: NDArray[np.int32], y: Floats, rest: Floats, weights: Floats, loss: str) -> float:
    """Return the probability of as much relation between categories and targets where there is none.

    Parameters
    ----------
    codes, y, rest, weights, loss : as in :func:`relation_of`
        The categories, the targets, the model without the column, the row weights and the loss.

    Returns
    -------
    float
        The probability.
    """
    return relation_of(codes, y, rest, weights, loss).chance


def relation_of(codes: NDArray[np.int32], y: Floats, rest: Floats, weights: Floats, loss: str) -> Relation:
    """Compare the differences between categories with those that chance gives.

    Numbers: the F test of the categories on the residuals. Classes: the score test, of

        T = sum_k (sum_{i in k} w_i (y_i - p_i))^2 / sum_{i in k} w_i p_i (1 - p_i),

    with p the probabilities without the column. Rare events in small categories give T a larger variance than
    that of chi-squared with K - 1 degrees of freedom; the two moments are matched.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        The category of each row; -1, a missing value, is one of them.
    y : ndarray of shape (n_rows,)
        Numbers, or classes as -1 and 1.
    rest : ndarray of shape (n_rows,)
        The decision values of the model without the column.
    weights : ndarray of shape (n_rows,)
        Row weights, which add up to the number of rows they are worth.
    loss : {"squared", "logistic", "exponential"}
        The loss of the model.

    Returns
    -------
    Relation
        The ratio, and its probability.
    """
    kept = weights > 0
    y, rest, weights = y[kept], rest[kept], weights[kept]
    levels, places = np.unique(codes[kept], return_inverse=True)

    def summed(values: Floats) -> Floats:
        return np.bincount(places, weights * values, minlength=levels.size).astype(np.float64)

    free = levels.size - 1
    if loss == "squared":
        residual = y - rest
        residual -= np.average(residual, weights=weights)
        means = summed(residual) / summed(np.ones(places.size))
        between = float(summed(np.ones(places.size)) @ means**2)
        within = float(weights @ (residual - means[places]) ** 2)
        left = float(weights.sum()) - levels.size
        if left <= 0 or within <= 0:
            return Relation(0.0, 1.0) if left <= 0 else Relation(np.inf, 0.0)
        ratio = between / free / (within / left)
        return Relation(ratio, float(f.sf(ratio, free, left)))
    is_event, rest = y > 0, (2.0 if loss == "exponential" else 1.0) * rest
    p = _fitted_intercept(is_event, rest, weights)
    variance = p * (1 - p)
    of_level = summed(variance)
    found = float((summed(is_event - p) ** 2 / of_level).sum())
    spread = 2 * free + float((summed(variance * (1 - 6 * variance)) / of_level**2).sum())
    scale = max(spread, 1.0) / (2 * free)
    return Relation(found / free, float(chi2.sf(found / scale, free / scale)))


def _fitted_intercept(is_event: NDArray[np.bool_], rest: Floats, weights: Floats) -> Floats:
    """Return the probabilities with the best constant beside given log-odds."""
    start = 0.0
    for _ in range(_NEWTON_STEPS):
        p = expit(rest + start)
        curvature = float(weights @ (p * (1 - p)))
        if curvature == 0:  # all log-odds are beyond those that have probabilities between 0 and 1
            break
        step = float(weights @ (is_event - p)) / curvature
        start += float(np.clip(step, -1.0, 1.0))
        if abs(step) < 1e-8:
            break
    return np.clip(expit(rest + start), 1e-9, 1 - 1e-9)
