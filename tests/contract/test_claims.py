"""`verify` finds every number and text of a saved model that is not true of the training rows."""

from __future__ import annotations

import copy
import json
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from thresher import CertificateError, FormatError, ItemsetClassifier, SequenceClassifier

from .data import TABLE
from .members import cases_that
from .mutants import Path, paths, shape

POINT = "model.outputs.*.points.*."
LABEL = "a name or a form in which answers are given, not a number of the rows"
REQUEST = "how the fit was asked to search; the model's own numbers and limits are compared"
SEARCH = "how long the fit searched, which the rows do not determine"
ENDED = "whether a limit ended the search; that a gap is within the tolerance is compared"
WITNESS = "where a bound is taken: any place gives one, and the bound there is compared"

NAMES = "library model.library named is_1d targets.* model.features.* model.features.*.name"
REQUESTS = """alpha alpha.* bins bins.* bounds bounds.* bounds.tuple.* categorical_features cv gap_tol lambda0
    lambda0.* max_hull max_nonzero max_swaps min_bin_weight one_standard_error ridge time_limit verbose"""
PLACES = """shapes shapes.*.values.* shapes.*.missing.value shapes.*.missing.apart coef coef.*.*
    tree.*.shapes tree.*.shapes.*.values.* tree.*.shapes.*.missing.value tree.*.shapes.*.missing.apart
    tree.*.coef tree.*.coef.*.*"""

NOT_CLAIMS = {
    **dict.fromkeys(NAMES.split(), LABEL),
    **{"params." + name: REQUEST for name in REQUESTS.split()},
    **{POINT + name: SEARCH for name in ("n_iter", "nodes", "searches", "seconds", "swaps")},
    POINT + "complete": ENDED,
    POINT + "hull": "the working set of the fit; that it has all subsets of its members is compared",
    **{POINT + "bound." + name: WITNESS for name in PLACES.split()},
}
"""Entries that an edit may change unnoticed, each with the reason."""

OF_REGRESSIONS = {POINT + "separated": "whether classes are separated"}

OUTPUT = "model.outputs.*."
SELECTED = "how the other points of a path compare, held out or by a criterion"
NARROWER = "terms are compared with the parameter, and the bound is computed under it"
OWN_CUTS = "the bound is that of the rules between the cut points of the model"
PRICE = "the prices at which no exchange lowers the objective are many; one that is given is compared"
WEAKER = "a model may say less than is true"
SHORTER = "a form with the same rows"

REQUESTS_OF_CONVEX = ("alpha_min_ratio", "closed", "max_iter", "n_alphas", "sparse_output")
LIMITS_OF_CONVEX = (
    "charges", "max_patterns", "max_rules", "min_support", "positive", "linear_penalty", "penalty_growth",
)  # fmt: skip

OF_CONVEX = {
    **dict.fromkeys([OUTPUT + "criterion.name", OUTPUT + "criterion.values.*"], SELECTED),
    **dict.fromkeys(
        [f"{OUTPUT}cv.{name}" for name in ("mean.*", "n_folds", "se.*", "difference_se.*", "strengths.*")],
        SELECTED,
    ),
    **{
        "params." + name: REQUEST
        for name in ["alpha_min_ratio", "closed", "max_iter", "n_alphas", "sparse_output"]
    },
    **{
        "params." + name: NARROWER
        for name in ["charges", "max_patterns", "max_rules", "min_support", "positive"]
    },
    **{"params." + name: NARROWER for name in ["linear_penalty", "penalty_growth"]},
    "model.features.*.cuts.*": OWN_CUTS,
    OUTPUT + "terms.*.closure": SHORTER,
}

OF_SUBSETS = {POINT + "alpha": PRICE, POINT + "subset.is_swap_optimal": WEAKER}

FLAT = (POINT + "intercept", POINT + "terms.*.*", POINT + "coef.*.*", POINT + "shapes.*.values.*")
"""A hundredth of a small coefficient changes the objective, which is flat at its minimum, by rounding alone:
they are changed by 1."""

REFUSED = (CertificateError, FormatError, ValueError, TypeError)
"""A type is refused where a model says that it reads records and X is a matrix, or the other way round."""

has_bound = cases_that(lambda case: hasattr(case.estimator, "verify"))


def _edits(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, float):
        yield from (value + 1.0, value - 1.0)
        if value and name not in FLAT:
            yield from (value * 1.01, value * 0.99)
    elif isinstance(value, str):
        yield str(int(value) + 1) if value.isdigit() else value + "x"
    elif isinstance(value, list) and value:
        yield value[:-1]


def _entry(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def _edited(document: dict[str, Any], exempt: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The document with one entry changed: of each kind of entry the first, the last and one between."""
    kinds = defaultdict(list)
    for path in paths(document):
        kinds[".".join(map(str, shape(path)))].append(path)
    for name, places in kinds.items():
        if not name or name in exempt:
            continue
        for path in dict.fromkeys((places[0], places[len(places) // 2], places[-1])):
            for value in _edits(name, _entry(document, path)):
                edited = copy.deepcopy(document)
                _entry(edited, path[:-1])[path[-1]] = value
                yield path, edited


def _is_empty(document: dict[str, Any], path: Path) -> bool:
    """Whether a point has no term: its objective is then the same for every penalty of a term."""
    point = _entry(document, path[:-1])
    return not point.get("coef") and not point.get("shapes")


def _unnoticed(case: Any, model: Any, X: Any, y: Any, weights: Any = None) -> list[Path]:
    document = json.loads(model.to_json())
    case.estimator.from_json(json.dumps(document)).verify(X, y, weights)
    exempt = NOT_CLAIMS if case.is_classifier else NOT_CLAIMS | OF_REGRESSIONS
    if hasattr(model, "near_ties"):
        exempt = exempt | OF_CONVEX | (OF_SUBSETS if case.is_best_subset else {})
    passed = []
    for path, edited in _edited(document, exempt):
        try:
            case.estimator.from_json(json.dumps(edited)).verify(X, y, weights)
        except REFUSED:
            continue
        if path[-1] != "lambda0" or not _is_empty(edited, path):
            passed.append(path)
    return passed


def _mixed(case: Any) -> tuple[Any, Any, Any]:
    """Missing values, categories where the model reads some, weights, several outputs far from 0."""
    rng = np.random.default_rng(3)
    n_rows = 80
    a, b = rng.integers(0, 8, n_rows).astype(float), 3.7 * rng.normal(size=n_rows)
    colour = rng.choice(["red", "green", "blue"], n_rows)
    signal = 0.5 * a + 2.0 * (colour == "red") + (b > 1) + 0.3 * rng.normal(size=n_rows)
    X = pd.DataFrame({"a": a, "colour": (colour == "red") * 1.0, "b": b})
    if case.takes("categorical_features"):
        X = X.assign(a=X["a"].mask(np.arange(n_rows) % 9 == 0), colour=pd.Series(colour, dtype=object))
        X.loc[::11, "colour"] = None
    weights = np.where(np.arange(n_rows) % 7 == 0, 0.0, rng.uniform(0.5, 2.0, n_rows))
    if case.is_classifier:
        levels = np.digitize(signal, np.quantile(signal, [0.3, 0.7]))
        return X, np.array(["low", "middle", "top"])[levels], weights
    return X, pd.DataFrame({"first": signal + 1000.0, "second": -signal}), weights


@has_bound
def test_verify_finds_each_entry_that_is_not_true(case):
    model, X, y = case.fitted()
    assert _unnoticed(case, model, X, y) == []


MIXED = (
    "HierarchicalRuleRegressor-squared", "HierarchicalRuleClassifier-logistic", "L0AdditiveRegressor-jumps",
    "L0AdditiveClassifier-logistic", "L0Regressor-tree", "L0Classifier-path",
)  # fmt: skip


@cases_that(lambda case: str(case) in MIXED)
def test_verify_finds_each_entry_with_weights_and_categories(case):
    X, y, weights = _mixed(case)
    model = case.model().fit(X, y, sample_weight=weights)
    assert _unnoticed(case, model, X, y, weights) == []


@cases_that(lambda case: hasattr(case.estimator, "verify") and case.source is TABLE)
def test_a_model_of_mixed_columns_and_several_outputs_is_verified(case):
    X, y, weights = _mixed(case)
    model = case.model().fit(X, y, sample_weight=weights)
    model.verify(X, y, weights)
    case.estimator.from_json(model.to_json()).verify(X, y, weights)


@cases_that(lambda case: str(case).endswith("-cv") and case.estimator.__name__.startswith(("Hier", "L0")))
def test_each_model_of_a_path_is_verified(case):
    X, y = case.problem()
    path = case.model().fit_path(X, y).path_
    strengths = path.alphas if hasattr(path, "alphas") else path.lambda0
    for strength in np.ravel(strengths)[:: max(1, len(np.ravel(strengths)) // 3)]:
        model = path.at(float(strength))
        model.verify(X, y)
        case.estimator.from_json(model.to_json()).verify(X, y)


@has_bound
def test_the_time_limit_of_the_fit_does_not_end_verify(case):
    model, X, y = case.fitted()
    model.set_params(time_limit=1e-9)
    assert model.verify(X, y) is not None


@cases_that(
    lambda case: str(case) in ("L0Regressor-squared", "L0Classifier-logistic", "L0Classifier-exponential")
)
def test_verify_finds_a_better_column_and_a_needless_one(case):
    X, y = case.problem()
    best = case.model(lambda0=None, max_nonzero=1).fit(X, y)
    hidden = np.where(np.arange(X.shape[1]) == np.flatnonzero(best.coef_)[0], 0.0, X)
    worse = case.model(lambda0=None, max_nonzero=1).fit(hidden, y)
    worse.verify(hidden, y)
    assert worse.objective_ > best.objective_
    with pytest.raises(CertificateError, match=r"is better with column 'x[0-4]' in the place of"):
        worse.verify(X, y)
    document = json.loads(best.to_json())
    [output] = document["model"]["outputs"]
    point = output["points"][0]
    point.update(lambda0=10.0 * point["loss"], objective=11.0 * point["loss"])
    with pytest.raises(CertificateError, match=r"is better without column 'x[0-4]'"):
        case.estimator.from_json(json.dumps(document)).verify(X, y)


@cases_that(lambda case: str(case) in ("L0Regressor-squared", "L0AdditiveRegressor-squared"))
def test_a_model_of_responses_far_from_0_is_verified(case):
    X, y = case.problem()
    for offset in (1e9, -1e13):
        model = case.model().fit(X, y + offset)
        model.verify(X, y + offset)


SQUARED = [f"{family}Regressor-squared" for family in ("Rule", "Itemset", "Sequence", "Graph")]


@cases_that(lambda case: str(case) in SQUARED)
def test_verify_finds_a_bound_that_another_model_refutes(case):
    X, y = case.problem()
    far, near = case.params["alpha"], 0.3 * case.params["alpha"]
    model = case.model(alpha=far).fit(X, y)
    optimum = case.model(alpha=near).fit(X, y).certificate_.primal
    # As if a limit had ended the fit of another strength.
    document = json.loads(model.to_json())
    document["params"]["alpha"] = near
    [point] = document["model"]["outputs"][0]["points"]
    risk = 0.5 * np.mean((y - model.predict(X)) ** 2)
    primal = risk + near / far * (point["primal"] - risk)

    def claim(dual: float) -> Any:
        gap = primal - dual
        point.update(alpha=near, primal=primal, dual=dual, gap=gap, relative_gap=gap / primal, complete=False)
        return case.estimator.from_json(json.dumps(document)).verify(X, y)

    assert primal > 1.01 * optimum
    assert not claim(0.9 * optimum).complete
    for above in (0.1, 0.5, 0.9):
        with pytest.raises(
            CertificateError, match=r"another model has an objective|relative gap on these rows"
        ):
            claim(optimum + above * (primal - optimum))


def _scaled(case: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    X, y = case.problem()
    for weight in (1e300, 1e-300, 5e-324):
        yield f"weights of {weight}", X, y, np.full(len(y), weight)
    for weight in (1e6, 1e10, 1e12, 1e300):
        weights = np.ones(len(y))
        weights[3] = weight
        yield f"one weight of {weight}", X, y, weights
    if not case.is_classifier:
        for scale in (1e-55, 0.0):
            yield f"y times {scale}", X, y * scale, None
        for offset in (1e9, 1e14):
            yield f"y and {offset}", X, y + offset, None
    if case.source is TABLE:
        for offset in (1e9, 1e11):
            yield f"X and {offset}", X + offset, y, None
        for scale in (1e-300, 1e14, 1e300):
            yield f"X times {scale}", X * scale, y, None
        yield "X far from 0", X + 1e14, y, None
        yield "one large column", X * np.where(np.arange(X.shape[1]) == 0, 1e300, 1.0), y, None


@has_bound
def test_a_model_of_odd_scales_is_refused_or_verified(case):
    for what, X, y, weights in _scaled(case):
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # of convergence, and of columns without linear terms
            try:
                # Folds of a single row of weight take many seconds; what there is after two is true.
                model = case.model(time_limit=2.0).fit(X, y, sample_weight=weights)
            except ValueError:
                continue
        try:
            model.verify(X, y, weights)
        except CertificateError as error:
            pytest.fail(f"{what}: {error}")


@pytest.mark.parametrize("estimator", [ItemsetClassifier, SequenceClassifier])
def test_labels_that_a_model_does_not_know_refute_it(estimator):
    """They are in no pattern of its language: the proof would be one of other records."""
    rng = np.random.default_rng(0)
    records = [[label for label in "abcdef" if rng.random() < 0.4] for _ in range(100)]
    y = [int("a" in record and "b" in record) for record in records]
    better = [[*record, "new"] if label else record for record, label in zip(records, y, strict=True)]
    weights = np.ones(100) - np.array(y)
    model = estimator(alpha=0.02).fit(records, y)
    assert model.verify(records, y).complete
    with pytest.raises(CertificateError, match=r"\w+ that the model does not know, such as 'new', in row"):
        model.verify(better, y)
    # Rows of weight 0 are no part of the data.
    constant = [0, 1] * 50
    weighted = estimator(alpha=0.02).fit(records, constant, sample_weight=weights)
    assert weighted.verify(better, constant, sample_weight=weights).complete
