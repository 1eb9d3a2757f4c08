"""The best score card without a column, and a lower bound on every one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from ... import threads
from ...data.fit_rows import without_unused_categories
from ...data.inputs import Table
from ...fit_warnings import warn
from ...formatting.text import format_names
from ...scorecard.column_importance import ColumnImportance, ColumnImportances
from ...validation import check, number
from .._parameters import RUN
from .._tables import problem_of
from ._one_strength import card_at
from ._training_rows import check_training_rows

Floats = NDArray[np.float64]


def drop_column_importance(
    self: Any,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    gap_tol: float | None = None,
    time_limit: float | None = None,
) -> ColumnImportances:
    """Say how much worse the best card without each column is: a proved least, and a card that was found.

    For each column in use a card is fitted that may not use it, at the penalties of this model. The
    lower bound of its certificate holds for every card without the column. The bins of the other columns are
    searched anew: where those of this model are not the best, because they were edited or a limit ended the
    search, the card without a column may have a lower objective, and both ends are then below 0.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The training data of the model.
    gap_tol : float, optional
        Relative gap at which a branch and bound of each card ends: a small one makes the proved least
        larger; by default the parameter `gap_tol` of the model.
    time_limit : float, optional
        Seconds for each card; by default the parameter `time_limit` of the model.

    Returns
    -------
    ColumnImportances
        One for each column in use, the most important first, with ``at_least`` and ``at_most`` as
        fractions of the objective of this model.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read or are not those of training, or a limit is out of range.

    Warns
    -----
    ConvergenceWarning
        If a limit ended the search for a card; the message names the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveRegressor
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> y = 2.0 * (X[:, 0] > 0.5) + 0.5 * (X[:, 1] > 0.3)
    >>> model = L0AdditiveRegressor(lambda0=1.0).fit(X, y)
    >>> [column.feature_name for column in model.drop_column_importance(X, y).columns_]
    ['x0', 'x1']
    """
    table = self._table(X, every_column=True)
    RUN["time_limit"].check("time_limit", time_limit)
    check("gap_tol", gap_tol, number(0, closed="left"), None)
    limits = {"gap_tol": gap_tol, "time_limit": time_limit}
    given = {name: value for name, value in limits.items() if value is not None}
    return _importances(self, table, y, sample_weight, given)


def _importances(
    estimator: Any,
    table: Table,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    limits: Mapping[str, Any],
) -> ColumnImportances:
    """Fit a card without each column in use, at the penalties of the model; `limits` replace parameters."""
    result = estimator._fitted
    target = estimator._read_target(y, table.n_rows, result)
    weights = estimator._weights(target, sample_weight, table.n_rows)
    table = without_unused_categories(table, weights)
    check_training_rows(estimator, table, target.values, weights)
    payload = {**estimator._parameters_of_fit(table), **limits}
    n_jobs = threads.resolve(estimator.n_jobs)
    found: list[ColumnImportance] = []
    names = result.output_names()
    for output, point in enumerate(result.points(estimator._path_index)):
        values = np.ascontiguousarray(target.values[:, [output]])
        problem = problem_of(table, values, weights, None)
        own = []
        for shape in point["shapes"]:
            feature = shape["feature"]
            without = {**payload, "exclude": [*payload["exclude"], feature]}
            other = card_at(problem, without, point, n_jobs)
            objective, dual = _objective_and_bound(other, point, payload["max_steps"])
            own.append(
                ColumnImportance(
                    feature,
                    table.names[feature],
                    objective,
                    dual,
                    point["objective"],
                    names[output],
                    complete=bool(other["complete"]),
                )
            )
        found += sorted(own, key=lambda column: (-column.objective, column.feature_index))
    _warn_of_limits(estimator, found, limits)
    return ColumnImportances(tuple(found), getattr(estimator, "pos_label_", None))


def _warn_of_limits(estimator: Any, found: list[ColumnImportance], limits: Mapping[str, Any]) -> None:
    """Warn of cards whose search a limit ended."""
    unfinished = list(dict.fromkeys(column.feature_name for column in found if not column.complete))
    if not unfinished:
        return
    seconds = limits.get("time_limit", estimator.time_limit)
    given = (
        f"{seconds:g} seconds for each card" if seconds is not None else f"max_swaps={estimator.max_swaps}"
    )
    name = "time_limit" if seconds is not None else "max_swaps"
    warn(
        f"{name}: {given} ended the search for the cards without {format_names(unfinished)}; their bounds "
        "hold, but may be far apart. Give more for closer ones",
        ConvergenceWarning,
    )


def _objective_and_bound(
    other: Mapping[str, Any], point: Mapping[str, Any], max_steps: int | None
) -> tuple[float, float]:
    """Return the objective of a card and its bound at the penalty of the model.

    Where `max_steps` ends the path, the card is that of a larger penalty. Each of at most `max_steps` steps
    costs less by the difference.
    """
    less = other["lambda0"] - point["lambda0"]
    dual = other["bound"]["dual"] if other["bound"] else -math.inf
    if less > 0 and max_steps is not None:
        dual -= less * max_steps
    own = point["bound"]["dual"] if point["bound"] else -math.inf
    # A card without the column is a card.
    return other["objective"] - less * other["n_nonzero"], max(dual, own)
