"""Queries about the optimum of a convex model: price of a candidate, near ties, verification.

The convex families use these functions of an estimator as methods.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from .. import _native, threads
from ..data.budget import Budget, running_budget, within
from ..data.core_parameters import options_of, to_json
from ..data.fit_rows import refuse_new_cells, refuse_new_labels
from ..data.label_codes import UnseenLabels
from ..data.weights import are_different, n_of_weight
from ..formatting.numbers import format_count, read_count
from ..progress import signs_of_life
from ..results.certificate import Certificate, certificate_of, naming_parts
from ..results.coverage import coverage_of
from ..results.price import NearTie, Price
from ..results.subset_certificate import SubsetCertificate
from ..validation import check, integer, number
from ._convex import fitted_penalty
from ._parameters import RUN, count_support, rows_for
from ._training import FitResult


class CertifiedEstimator(Protocol):
    """A convex model that answers queries about candidates.

    Attributes
    ----------
    n_jobs : int or None
        Number of threads.
    min_support : int or float
        Least number or fraction of training rows of a candidate.
    """

    n_jobs: int | None
    min_support: float
    _fitted: FitResult
    _path_index: list[int]
    _candidate_noun: str
    certificate_: Any

    def _output(self, output: Any) -> int: ...

    def _effect(self, output: Any = None) -> str: ...

    def _candidate(self, payload: Any, **attributes: Any) -> Any:
        """Create the rule or pattern from the core's description."""

    def _beyond_language(self, candidate: Any) -> str:
        """Return why no model with these parameters has the candidate; empty where one may."""

    def _complemented(self, output: Any) -> list[Any] | None:
        """Return an output's terms whose complements are redundant; None where no term has a complement."""


def training_of(estimator: CertifiedEstimator) -> Any:
    """Return the core's training data; raise an error without them, and for a best subset."""
    check_is_fitted(estimator)
    if isinstance(estimator.certificate_, SubsetCertificate):
        raise ValueError(
            "price and near_ties explain L1 solutions, by the threshold that a candidate must reach; the "
            f"model is a best subset, as a limit on the number of {estimator._candidate_noun} asks for, and "
            "has none. certificate_ says what is proven of it; for prices fit with penalty='l1', beside "
            "which the limit may stay"
        )
    if estimator._fitted.training is None:
        raise ValueError(
            "the training data are not available: a model that was loaded, pickled, copied or read from a "
            f"finished checkpoint has the {estimator._candidate_noun} alone. Ask the estimator that was "
            f"fitted, or fit this model again: {_fit_again(estimator)}"
        )
    return estimator._fitted.training


def _fit_again(estimator: Any) -> str:
    """Return the call that fits the model of the selected strength alone."""
    strengths = [f"{name}={value!r}" for name, value in estimator._strengths().items() if np.ndim(value) == 0]
    given = f".set_params({', '.join(strengths)})" if strengths else ""
    return f"sklearn.base.clone(model){given}.fit(X, y)"


def price_of(estimator: CertifiedEstimator, output: int, payload: Any) -> Price:
    """Compare a candidate's correlation with its threshold."""
    view, index = estimator._fitted.view, estimator._path_index[output]
    training = training_of(estimator)
    answer = json.loads(training.price(view.model, output, index, json.dumps(payload)))
    point = view.point(output, index)
    candidate = estimator._candidate(payload, coef=answer["coef"], **coverage_of(answer))
    own = {
        view.text(output, k): (coef, view.outputs[output]["terms"][k]["n_rows"]) for k, coef in point["terms"]
    }
    shown = not answer["in_model"] or candidate.text in own
    at = (answer["coef"], answer["n_rows"])
    listed_as = () if shown else tuple(text for text, place in own.items() if place == at)
    effect = estimator._effect(estimator._fitted.output_names()[output])
    return Price.from_answer(
        candidate, answer, _ruled_out(estimator, candidate, answer), shown, listed_as, effect
    )


def _ruled_out(estimator: CertifiedEstimator, candidate: Any, answer: Mapping[str, Any]) -> str:
    """Return why a parameter excludes a candidate; empty where none does."""
    least, n_rows = estimator.min_support, estimator._fitted.n_rows
    if candidate.n_rows < rows_for(least, n_rows):
        fraction = f" asks for {rows_for(least, n_rows):,} of {n_rows:,}" if least < 1 else ""
        return f"it holds {candidate.n_rows:,} times in training, and min_support={least}{fraction}"
    return estimator._beyond_language(candidate) or _of_forbidden_sign(estimator, answer)


def _of_forbidden_sign(estimator: Any, answer: Mapping[str, Any]) -> str:
    """Return which constraint forbids the sign of the correlation; empty where none does."""
    correlation = answer["correlation"]
    if answer["in_model"] or correlation == 0 or not answer["ratio"] <= 0:
        return ""
    parameter = "positive=True" if estimator.positive and correlation < 0 else "monotonic_cst"
    side = "above" if correlation > 0 else "below"
    return (
        f"{parameter} allows it none {side} 0, and its correlation with the residual, {correlation:.4g}, "
        "asks for that"
    )


def over_limit(name: str, most: int | None, size: int, counted: str) -> str:
    """Return that the parameter `name` limits the size of a candidate to less; empty where it does not."""
    return "" if most is None or size <= most else f"it has {size} {counted}, and {name}={most}"


def near_ties(
    self: Any,
    within: float = 0.05,
    limit: int = 20,
    output: Any = None,
    *,
    time_limit: float | None = None,
) -> list[NearTie]:
    """List the candidates that almost entered the model.

    A rule of one condition is omitted if it is the complement of a rule of the model,
    or of one listed before (``x > 3`` and ``x <= 3``): the two are equivalent.

    Parameters
    ----------
    within : float, default=0.05
        Relative distance to the threshold: 0.05 lists candidates from 95 % of the threshold on.
    limit : int, default=20
        The largest number of candidates.
    output : object, optional
        The class or target, where the model has several; all of them by default.
    time_limit : float, optional
        Seconds for the search. By default there is no limit.

    Returns
    -------
    list of NearTie
        The candidates nearest to the threshold first.

    Raises
    ------
    TimeoutError
        If `time_limit` is over: some candidates would be missing.
    ValueError
        If `within` is not between 0 and 1, or the training data are not available.
    """
    training_of(self)
    RUN["time_limit"].check("time_limit", time_limit)
    budget = Budget(time_limit)
    check("within", within, number(0, 1, closed="left"))
    check("limit", limit, integer(1))
    outputs = range(len(self._path_index)) if output is None else [self._fitted.place_of(output)]
    ties = [tie for which in outputs for tie in _ties_of(self, which, float(within), int(limit), budget)]
    return sorted(ties, key=lambda tie: -tie.ratio)[:limit]


def _ties_of(
    estimator: CertifiedEstimator, output: int, within: float, limit: int, budget: Budget
) -> list[NearTie]:
    name = estimator._fitted.output_names()[output]
    covered = estimator._complemented(name)
    most = limit if covered is None else 2 * limit + len(covered)
    place = (output, estimator._path_index[output], within, most, threads.resolve(estimator.n_jobs))
    found = training_of(estimator).near_ties(estimator._fitted.model, *place, budget.seconds_left)
    ties = []
    for tie in json.loads(found):
        candidate = estimator._candidate(tie["pattern"], output=name, **coverage_of(tie))
        if covered is not None:
            if any(candidate.is_complement(other) for other in covered):
                continue
            covered.append(candidate)
        ties.append(NearTie(candidate, tie["correlation"], tie["threshold"], tie["ratio"]))
    return ties


@contextmanager
def timed(time_limit: float | None) -> Iterator[None]:
    """End a verification after some seconds, with the reading of the data; None leaves a limit as it is."""
    RUN["time_limit"].check("time_limit", time_limit)
    with within(running_budget() if time_limit is None else Budget(time_limit)):
        try:
            yield
        except TimeoutError as error:
            said = str(error)
            raise TimeoutError(said if "confirmed" in said else f"{said}; nothing is confirmed") from None


def verify_by(
    estimator: Any,
    inputs: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    pack: Callable[..., Any],
    search: Callable[..., str],
    unseen: UnseenLabels | None = None,
) -> Certificate | SubsetCertificate:
    """Verify a model; `pack` creates the core's problem and `search` looks for a violated constraint.

    `unseen` are labels of the records that are in no pattern of the model's language.
    """
    found = verified(estimator, inputs, y, sample_weight, pack, search, unseen)
    points = estimator._fitted.points(estimator._path_index)
    n_candidates = read_count(estimator._fitted.document["n_candidates"])
    merged = [{**point, "searches": 1, **own} for point, own in zip(points, found, strict=True)]
    for own, point in zip(merged, points, strict=True):
        # Other strengths were not tried: the data do not tell, and the claim is against the model.
        own["complete"] &= bool(point["complete"]) or point["relative_gap"] > point["tol"]
    proof: Certificate | SubsetCertificate = certificate_of(
        merged, n_candidates, estimator._candidate_noun, estimator._fitted.n_compared
    )
    return proof


@contextmanager
def _naming_causes(
    estimator: Any, sample_weight: Any, weights: NDArray[np.float64] | None, n_rows: int
) -> Iterator[None]:
    """Say of a refusal that there are other rows than in the fit, or that it may have had weights.

    Weights move cut points and coefficients.
    """
    try:
        yield
    except _native.CertificateError as error:
        said, here = str(error), n_of_weight(weights, n_rows)
        fitted: int = estimator._fitted.n_rows
        if fitted and fitted != here:
            said = f"the model was fitted to {fitted:,} {estimator._row_noun}, and these are {here:,}: {said}"
        if sample_weight is None:
            said += "; if the fit had sample_weight, give it too"
        raise _native.CertificateError(said) from None


def verified(
    estimator: Any,
    inputs: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    pack: Callable[..., Any],
    prove: Callable[..., str],
    unseen: UnseenLabels | None = None,
) -> list[dict[str, Any]]:
    """Return what the core's function `prove` finds for each output; `pack` creates the core's problem."""
    result: FitResult = estimator._fitted
    target = estimator._read_target(y, inputs.n_rows, result)
    weights = estimator._weights(target, sample_weight, inputs.n_rows)
    refuse_new_cells(inputs, result.document.get("features", ()), weights)
    refuse_new_labels(unseen, weights)
    problem = pack(inputs, target.values, weights, None)
    parameters = estimator._parameters_of_fit(inputs)
    count_support(parameters, weights, inputs.n_rows, estimator._row_noun)
    options = options_of(parameters)
    options.pop("time_limit", None)
    if "penalty" in options:
        options["penalty"] = fitted_penalty(estimator)
    text = to_json(running_budget().rest(parameters))
    n_jobs = threads.resolve(estimator.n_jobs)
    names = () if result.schema is None else result.schema.names
    n_candidates = result.document.get("n_candidates")
    among = "" if n_candidates is None else f" among {format_count(read_count(n_candidates))} candidates"
    speaking = signs_of_life("verify", f"an independent proof{among}", estimator.verbose)
    causes = _naming_causes(estimator, sample_weight, weights, inputs.n_rows)
    with causes, naming_parts(result.output_names(), names), speaking:
        found: list[dict[str, Any]] = json.loads(
            prove(result.model, problem, estimator._path_index, text, n_jobs)
        )
        _compare_rows(result, weights, inputs.n_rows)
    return found


def _compare_rows(result: FitResult, weights: NDArray[np.float64] | None, n_rows: int) -> None:
    """Raise an error if a file has another number of rows, or weights where these have none."""
    if not result.is_loaded:
        return
    if result.n_rows not in (0, n_of_weight(weights, n_rows)):
        raise _native.CertificateError("the file has another number of training rows")
    if result.is_weighted not in (None, are_different(weights)):
        said = "different" if result.is_weighted else "equal"
        raise _native.CertificateError(f"the file says that the weights of the training rows are {said}")
