"""Parameters and functions of the two best-subset families."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from ..cluster import without_client
from ..data.compressed import Compressed
from ..fit_warnings import warn
from ..progress import with_callbacks
from ..results.certificate import limits_met
from ..results.subset_path import L0Path
from ..validation import Parameter, integer, number, numbers
from ._parameters import CV, RUN
from ._resumed import fit_resumable
from ._training import FitResult, GivenRows, PathRequest, TrainingData, one_or_all

_Estimator = TypeVar("_Estimator")

LAMBDA0_HINT = "'cv', a number >= 0, a list of them, or None with max_nonzero"
_RUN = {name: RUN[name] for name in ("memory_limit", "n_jobs", "verbose")}

L0_PARAMETERS = {
    **_RUN,
    **CV,
    "time_limit": RUN["time_limit"].but(text="Seconds after which the best model so far is returned."),
    "lambda2": Parameter(
        (number(0, closed="left"), "array-like"),
        """Ridge penalty on the coefficients in the units of the data (of step functions: on squared
        jumps); of several values the one of least held-out loss.""",
        "float or array-like of float",
        "a number >= 0, or a list of them",
    ),
    "max_swaps": Parameter(
        (integer(0), None),
        "The most swaps of one term for another at each point of the path; None: no limit.",
    ),
}


@without_client
@with_callbacks
def fit_path(
    self: _Estimator,
    X: Any,
    y: ArrayLike,
    *,
    lambda0: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    checkpoint: str | Path | None = None,
) -> _Estimator:
    """Fit the whole path of penalties without selecting a model.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The table, as in :meth:`fit`.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Target values.
    lambda0 : array-like of shape (n_points,), optional
        The penalties; by default those of the parameter `lambda0` where it is a list,
        else a decreasing path from the smallest penalty with an empty model.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row.
    checkpoint : str or Path, optional
        A folder for the results of finished steps, as in :meth:`fit`.

    Returns
    -------
    estimator
        The estimator with ``path_`` set; ``path_.at(lambda0)`` gives a fitted estimator.
        Its own predictions are those of the last model of the path.

    Raises
    ------
    TypeError, ValueError, OSError
        As in :meth:`fit`.
    """
    fit_resumable(self, GivenRows(X, y, sample_weight), PathRequest(lambda0), checkpoint)
    return self


def choice_of(estimator: Any, path: PathRequest | None, n_others: int = 1) -> dict[str, Any]:
    """Return the penalties and their selection as the core expects them.

    Parameters
    ----------
    estimator : estimator
        The estimator.
    path : PathRequest or None
        The path to fit, if any; without strengths those of the parameter `lambda0`
        where it is a list, else an automatic path (of cardinalities where the parameter
        is None).
    n_others : int, default=1
        Number of values of other penalties, each with a path of its own.

    Returns
    -------
    dict
        ``lambda0``, ``lambda2`` and ``select``.
    """
    lambda2 = numbers("lambda2", estimator.lambda2, zero=True, hint="a number >= 0, or a list of them")
    if path is not None:
        return {
            "lambda0": _path_grid(estimator.lambda0, path),
            "lambda2": lambda2,
            "select": {"kind": "last"},
        }
    grid, several = _grid(estimator.lambda0, len(lambda2) * n_others > 1)
    one_se = estimator.one_standard_error
    select = {"kind": "cv", "one_standard_error": one_se} if several else {"kind": "last"}
    return {"lambda0": grid, "lambda2": lambda2, "select": select}


def _grid(lambda0: Any, several: bool) -> tuple[dict[str, Any], bool]:
    """Return the penalties to try, and whether there is more than one candidate."""
    if lambda0 is None:
        if several:
            raise ValueError(
                "lambda2: got several values; without lambda0 nothing chooses among them: give one"
            )
        return {"kind": "cardinality"}, False
    if isinstance(lambda0, str):
        return {"kind": "auto"}, True
    values = numbers("lambda0", lambda0, zero=True, hint=LAMBDA0_HINT)
    return {"kind": "values", "values": values}, several or len(values) > 1


def _path_grid(own: Any, path: PathRequest) -> dict[str, Any]:
    given: Any = path.strengths
    if given is None and not (own is None or isinstance(own, (str, Real))):
        given = own
    if given is None:
        return {"kind": "cardinality" if own is None else "auto"}
    return {"kind": "values", "values": numbers("lambda0", given, zero=True, hint=LAMBDA0_HINT)}


def l0_attributes(
    result: FitResult, path_index: list[int], select: Any, count: Callable[[Mapping[str, Any]], int]
) -> dict[str, Any]:
    """Return the fitted attributes of a best-subset model; `count` returns the number of terms of a point."""
    points = result.points(path_index)
    return {
        **{f"{name}_": one_or_all([p[name] for p in points]) for name in ("lambda0", "lambda2", "objective")},
        "path_": L0Path(result.outputs, count, select),
    }


def strengths(self: Any) -> dict[str, Any]:
    """Return the penalties of the selected point; none if `max_nonzero` selected it."""
    if self.lambda0 is None and not np.any(self.lambda0_):
        return {}
    return {"lambda0": self.lambda0_, "lambda2": self.lambda2_}


def size_of_step(self: Any) -> int | None:
    """Return the most coefficients of a point that a limit of its own made; None of other points.

    At the penalties of such a point the path has larger models too.
    """
    sizes = []
    for output, point in zip(self._fitted.outputs, self._fitted.points(self._path_index), strict=True):
        size, penalties = len(point.get("coef", ())), (point["lambda0"], point["lambda2"])
        same = (other for other in output["points"] if (other["lambda0"], other["lambda2"]) == penalties)
        if any(len(other.get("coef", ())) > size for other in same):
            sizes.append(size)
    return max(sizes, default=None)


def warn_of_search(
    self: Any,
    data: TrainingData,  # noqa: ARG001
    seconds: float,
) -> None:
    """Warn if a limit ended the search, or if the classes are linearly separated."""
    chosen = [self._fitted.point(output, point) for output, point in enumerate(self._path_index)]
    if not all(point["complete"] for point in chosen) and not _misses_gap(self):
        [name] = limits_met(vars(self), seconds, "max_swaps", False, len(chosen)) or ["time_limit"]
        what = name.removesuffix("_limit")
        compared = [output["cv"]["strengths"] for output in self._fitted.outputs if output["cv"]]
        instead = "a larger lambda0"
        if compared:
            instead = (
                "a number as lambda0, which takes one fit alone (cross-validation compared values down to "
                f"{min(map(min, compared)):.3g}),"
            )
        warn(
            f"{name}: there was not enough {what} for the whole search; the model is the best found so far. "
            f"Give more {what}, {instead} or fewer columns",
            ConvergenceWarning,
        )
    if self._task == "classification" and any(point.get("separated") for point in chosen):
        warn(
            "the model separates the classes of the training rows, so its loss has no minimum: the "
            "coefficients are those under a ridge of 1e-8 of the weights. Give lambda2 > 0 to choose the "
            "ridge yourself",
            ConvergenceWarning,
        )


MIN_RELATIVE_DEVIATION = 1e-13
"""Standard deviation relative to the largest value below which the core takes a column as constant."""


def warn_of_flat_columns(self: Any, data: TrainingData) -> None:
    """Warn if a model is empty although columns vary, by less than their values have digits for."""
    if np.any(self.coef_) or isinstance(data.inputs, Compressed):
        return
    for name, column in zip(data.inputs.names, data.inputs.columns, strict=True):
        low, high = column.min(), column.max()
        size = max(abs(low), abs(high))
        if low < high and np.std(column / size) <= MIN_RELATIVE_DEVIATION:
            warn(
                f"the model has no coefficients; column '{name}' counts as constant, since it varies by less "
                f"than {MIN_RELATIVE_DEVIATION:g} of its size, perhaps others too: subtract the mean of such "
                "columns",
                ConvergenceWarning,
            )
            return


def warn_of_gap(self: Any, hint: str) -> None:
    """Warn if a branch and bound ended above `gap_tol`."""
    certificate = self.certificate_
    if not _misses_gap(self):
        return
    if not certificate.has_bound:
        message = f"gap_tol: there is {certificate}"
    else:
        time = "" if certificate.complete else "Give more time. "
        message = (
            f"gap_tol: the relative gap is {certificate.relative_gap:.2g} after {certificate.n_nodes} nodes, "
            f"above {self.gap_tol:g}. {time}{hint}"
        )
    warn(message, ConvergenceWarning)


def _misses_gap(self: Any) -> bool:
    """Whether a branch and bound ended above `gap_tol`."""
    certificate = self.certificate_
    if self.gap_tol in (None, "auto"):
        return False
    return not (certificate.relative_gap <= self.gap_tol or certificate.is_optimal)


def proof(self: Any, ended: str = "ended at a limit") -> str:
    """Return sentences: whether the optimum is a local one (`ended`: why not), and the certificate."""
    objective = np.sum(np.asarray(self.objective_))
    limits = {name: self.get_params()[name] for name in self._size_limits}
    given = [f"{name}={most}" for name, most in limits.items() if most is not None]
    within = f" within {' and '.join(given)}" if given else ""
    if self.certificate_.is_optimal:
        return f"Proved optimal{within}: objective {objective:.6g}. Certificate: {self.certificate_}."
    certificate = f" Certificate: {self.certificate_}."
    if not all(self._fitted.point(o, point)["complete"] for o, point in enumerate(self._path_index)):
        return f"Not proved optimal: the search for objective {objective:.6g} {ended}.{certificate}"
    local = f"A local optimum, not proved to be the global one: objective {objective:.6g}; "
    size = size_of_step(self)
    if size is not None and limits.get("max_nonzero") != size:
        within = f" within {size} coefficient{'s' * (size != 1)}"
    local += f"{self._move()}{within}."
    return local + certificate
