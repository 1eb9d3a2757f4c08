"""Functions of the convex families (rules, item-sets, sequences, graphs)."""

from __future__ import annotations

import math
from typing import Any

from ..data.whole_weights import warn_of_counted_rows
from ..formatting.numbers import read_count
from ..results.certificate import certificate_of, limits_met, warn_if_incomplete
from ..results.coverage import coverage_of
from ..results.relaxation import relaxation_of
from ..results.subset_certificate import ridge_of
from ..validation import numbers
from ._parameters import LOSSES, SMALL, loss_of
from ._small_support import warn_of_small_support
from ._training import FitResult, PathRequest, TrainingData, one_or_all
from ._within_error import warn_if_within_error

_SIZE_LIMITS = ("max_rules", "max_patterns", "max_terms")


def fit_options(estimator: Any, path: PathRequest | None) -> dict[str, Any]:
    """Return the parameters of path and solver as the core expects them.

    Parameters
    ----------
    estimator : estimator
        The estimator, with checked parameters.
    path : PathRequest or None
        Whether the whole path is wanted.

    Returns
    -------
    dict
        The parameters.
    """
    penalty = _penalty(estimator, path)
    if estimator.ridge is not None and penalty == "l1":
        raise ValueError(
            f"ridge: got {estimator.ridge!r}; it is for best subsets: give penalty='l0', or leave ridge out"
        )
    same = ("n_alphas", "alpha_min_ratio", "closed", "penalty_growth", "strategy", "tol", "max_iter")
    return {
        **{name: getattr(estimator, name) for name in same},
        "loss": loss_of(estimator.loss, LOSSES[estimator._task]),
        "alpha": _choice(estimator) if path is None else path_choice(path),
        "relax": _relax(estimator.relax),
        "penalty": penalty,
        "ridge": estimator.ridge,
        "time_limit": estimator.time_limit,
        "memory_limit": estimator.memory_limit,
    }


def _penalty(estimator: Any, path: PathRequest | None) -> str:
    """Return the penalty; of small models "auto" is "l0", to which :mod:`._penalty_choice` compares "l1"."""
    if estimator.penalty != "auto":
        return str(estimator.penalty)
    if estimator.ridge is not None:
        return "l0"
    sizes = [getattr(estimator, name, None) for name in _SIZE_LIMITS]
    is_small = any(size is not None and size <= SMALL for size in sizes)
    is_chosen = isinstance(estimator.alpha, str) if path is None else path.strengths is None
    is_l1_only = estimator.relax is not None or getattr(estimator, "group_sparsity", None) is not None
    return "l0" if is_small and is_chosen and not is_l1_only else "l1"


def fitted_penalty(estimator: Any) -> str:
    """Return the penalty that the model has, if the parameters allow it, else the one that they ask for.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator; with penalty="auto" a fit and a path may have had different ones.

    Returns
    -------
    {"l0", "l1"}
        The penalty to verify the model by.
    """
    asked = {_penalty(estimator, path) for path in (None, PathRequest(None), PathRequest(()))}
    points = estimator._fitted.points(estimator._path_index)
    own = "l1" if all(ridge_of(point) is None for point in points) else "l0"
    return own if own in asked else asked.pop()


def _relax(relax: float | str | None) -> dict[str, Any]:
    if relax is None:
        return {"kind": "off"}
    return {"kind": "cv"} if relax == "cv" else {"kind": "blend", "blend": float(relax)}


def _choice(estimator: Any) -> dict[str, Any]:
    if estimator.alpha == "cv":
        return {"kind": "cv", "one_standard_error": estimator.one_standard_error}
    if isinstance(estimator.alpha, str):
        return {"kind": estimator.alpha}
    return {"kind": "value", "value": float(estimator.alpha)}


def path_choice(path: PathRequest) -> dict[str, Any]:
    """Return the strengths of a path as the core expects them: decreasing, without duplicates."""
    if path.strengths is None:
        return {"kind": "path", "alphas": None}
    return {"kind": "path", "alphas": sorted(set(numbers("alphas", path.strengths)), reverse=True)}


def convex_attributes(result: FitResult, path_index: list[int], noun: str) -> dict[str, Any]:
    """Return the fitted attributes of a convex model.

    Parameters
    ----------
    result : FitResult
        The result of the fit.
    path_index : list of int
        The selected point of each output.
    noun : str
        The name of the candidates, in the plural.

    Returns
    -------
    dict
        ``alpha_``, ``relaxation_``, ``ridge_``, ``certificate_`` and ``n_iter_``.
    """
    points = result.points(path_index)
    return {
        "alpha_": one_or_all([point["alpha"] for point in points]),
        "relaxation_": _one_or_list([relaxation_of(point) for point in points]),
        "ridge_": _one_or_list([ridge_of(point) for point in points]),
        "certificate_": certificate_of(
            points, read_count(result.document["n_candidates"]), noun, result.n_compared
        ),
        "n_iter_": max(1, *(point["n_iter"] for point in points)),
    }


def _one_or_list(values: list[Any]) -> Any:
    """Return the value of a single output, or the list of those of several."""
    return values[0] if len(values) == 1 else values


def strengths(self: Any) -> dict[str, Any]:
    """Return the parameters of the selected point: its strength, or ridge and size of a subset."""
    if self.ridge_ is None:
        return {"alpha": self.alpha_}
    n_terms = getattr(self.certificate_, "n_terms", None)  # several targets have a list of certificates
    return {"ridge": self.ridge_} | ({self._size_limit: n_terms} if n_terms else {})


def warn_of_limits(estimator: Any, data: TrainingData, seconds: float) -> None:
    """Warn if the gap exceeds `tol`, naming the limit that ended the fit; of few rows and of weights."""
    params = estimator.get_params(deep=False)
    n_outputs = len(estimator._fitted.outputs)
    limits = limits_met(params, seconds, "max_iter", estimator.n_iter_ >= estimator.max_iter, n_outputs)
    warn_if_incomplete(
        estimator.certificate_,
        limits,
        n_compared(estimator, data),
        estimator.n_alphas,
        is_without_folds=estimator._chooses_by_folds()
        and any(output.get("criterion") for output in estimator._fitted.outputs),
    )
    warn_of_small_support(estimator, data.inputs.n_rows)
    is_best_subset = ridge_of(estimator._fitted.points(estimator._path_index)[0]) is not None
    if is_best_subset and estimator._chooses_by_folds() and not estimator.one_standard_error:
        given = [name for name in _SIZE_LIMITS if params.get(name) is not None]
        warn_if_within_error(estimator, given[0] if given else "alpha")
    if estimator.alpha in ("bic", "ebic") and getattr(estimator, "class_weight", None) is None:
        warn_of_counted_rows(data.weights, f"alpha={estimator.alpha!r}", noun=estimator._row_noun)


def n_compared(estimator: Any, data: TrainingData) -> list[int] | None:
    """Return how many strengths were compared for each output; 0 where no fold had the time for one."""
    outputs = estimator._fitted.outputs
    found: list[int] | None = estimator._fitted.n_compared
    if found is not None:
        return found
    if any(output.get("criterion") for output in outputs):
        return [1] * len(outputs)
    return [0] * len(outputs) if data.folds is not None else None


def path_terms(self: Any, which: int, places: list[int]) -> list[list[tuple[str, str, float]]]:
    """Return each term's kind, name and coefficient times its standard deviation, for points of the path."""
    view = self._fitted.view
    output = view.outputs[which]
    points = []
    for point in (output["points"][place] for place in places):
        linear = [
            ("linear", view.names[term["feature"]], term["coef"] * term["scale"])
            for term in point.get("linear", [])
        ]
        terms = []
        for index, coef in point["terms"]:
            support = coverage_of(output["terms"][index])["support"]
            deviation = math.sqrt(max(0.0, support * (1 - support)))
            terms.append(("term", view.text(which, index), coef * deviation))
        points.append(linear + terms)
    return points
