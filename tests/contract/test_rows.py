"""What rows are worth: weights, order, threads, and tables with few rows or one class."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from thresher import RuleRegressor

from .members import cases_that, every_case, every_estimator


def weighted(case, seed=0):
    """A problem with row weights 0, 1 and 2, and the rows that they stand for."""
    X, y = case.problem()
    weights = np.random.default_rng(seed).integers(0, 3, len(y))
    return X, y, weights, np.repeat(np.arange(len(y)), weights)


@cases_that(lambda case: case.repeats)
def test_weight_two_is_the_row_twice_and_weight_zero_no_row(case):
    X, y, weights, rows = weighted(case)
    one = case.model(**without_folds(case)).fit(X, y, sample_weight=weights)
    two = case.model(**without_folds(case)).fit(case.source.take(X, rows), y[rows])
    for first, second in zip(case.answers(one, X), case.answers(two, X), strict=True):
        close(first, second)


@cases_that(lambda case: case.repeats)
def test_rows_of_weight_zero_are_absent(case):
    """In fits of several outputs with the folds of the case, and with targets far from the others."""
    X, signal = case.source.make(60, 5, 0)
    more, _ = case.source.make(8, 5, 1)
    if case.is_classifier:
        y, others = np.digitize(signal, np.quantile(signal, [0.3, 0.6])), np.arange(8) % 3
    else:
        y, others = np.column_stack([signal, -3.0 * signal]), np.arange(16.0).reshape(8, 2) * [1e6, 1.0]
    both = np.vstack([X, more + 0.5]) if case.source.is_table else [*X, *more]
    plain = case.model().fit(X, y)
    weighted = case.model().fit(
        both, np.concatenate([y, others]), sample_weight=np.repeat([1.0, 0.0], [60, 8])
    )
    for first, second in zip(case.answers(plain, X), case.answers(weighted, X), strict=True):
        close(first, second)


def without_folds(case):
    """A fixed strength: folds of repeated rows are others than those of weighted rows."""
    for strength in ("alpha", "lambda0"):
        if case.takes(strength) and case.params.get(strength) == "cv":
            return {strength: 0.5}
        if case.takes(strength) and isinstance(case.params.get(strength), list):
            return {strength: case.params[strength][0]}
    return {}


def close(first, second):
    if first.dtype.kind == "f":
        np.testing.assert_allclose(first, second, rtol=1e-5, atol=1e-7)
    else:
        np.testing.assert_array_equal(first, second)


@every_case
def test_equal_weights_are_no_weights(case):
    """Of any size where the objective is a mean; the L0 families' is a sum."""
    X, y = case.problem()
    plain = case.model().fit(X, y)
    for weight in (1.0,) if case.takes("lambda0") else (0.5, 1.0, 1e12):
        other = case.model().fit(X, y, sample_weight=np.full(len(y), weight))
        for first, second in zip(case.answers(plain, X), case.answers(other, X), strict=True):
            close(first, second)


@cases_that(lambda case: case.repeats)
def test_the_order_of_the_rows_does_not_matter(case):
    X, y = case.problem()
    order = np.random.default_rng(1).permutation(len(y))
    one = case.model(**without_folds(case)).fit(X, y)
    two = case.model(**without_folds(case)).fit(case.source.take(X, order), y[order])
    for first, second in zip(case.answers(one, X), case.answers(two, X), strict=True):
        close(first, second)


@every_case
def test_threads_change_no_bit(case):
    X, y = case.problem(200)
    one, *others = [case.model(n_jobs=n).fit(X, y) for n in (1, 2, 3, 8)]
    for other in others:
        for first, second in zip(case.answers(one, X), case.answers(other, X), strict=True):
            np.testing.assert_array_equal(first, second)


@every_case
def test_a_second_fit_gives_the_same_bits(case):
    model, X, y = case.fitted()
    first = case.answers(model, X)
    for one, two in zip(first, case.answers(model.fit(X, y), X), strict=True):
        np.testing.assert_array_equal(one, two)


@every_estimator
def test_no_rows_are_refused(case):
    X, y = case.problem()
    none = np.array([], dtype=int)
    with pytest.raises(ValueError, match=r"0 sample\(s\)|no records"):
        case.model().fit(case.source.take(X, none), y[none])


@every_case
def test_one_row_is_refused_or_fitted(case):
    X, y = case.problem()
    one = np.array([0])
    model = case.model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = model.fit(case.source.take(X, one), y[one]).predict(case.source.take(X, one))
        except ValueError as error:
            assert any(word in str(error) for word in ("sample", "one class", "records")), error  # noqa: PT017
            assert not [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
        else:
            np.testing.assert_allclose(answer, y[one])


@cases_that(lambda case: case.is_classifier)
def test_one_class_is_refused(case):
    X, y = case.problem()
    with pytest.raises(ValueError, match="one class only"):
        case.model().fit(X, np.full(len(y), "yes"))
    with pytest.raises(ValueError, match=r"positive weight hold one class only .*'yes'"):
        case.model().fit(X, y, sample_weight=(y == "yes") * 1.0)


@cases_that(lambda case: not case.is_classifier)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_constant_target_is_predicted(case):
    X, y = case.problem()
    # A machine's factors start at random and end within its tolerance; the others' start at 0.
    near = 0.2 if case.takes("init_scale") else 1e-6
    np.testing.assert_allclose(case.model().fit(X, np.full(len(y), 3.0)).predict(X), 3.0, rtol=near)


@cases_that(lambda case: case.source.is_table)
def test_constant_columns_say_nothing(case):
    X, y = case.problem()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = case.model().fit(np.ones((len(y), 2)), y)
    answer = (
        model.decision_function(X[:3, :2] * 0 + 1) if case.is_classifier else model.predict(X[:3, :2] * 0 + 1)
    )
    assert np.ptp(answer) == 0
    assert np.isfinite(answer).all()


BAD_WEIGHTS = {
    "negative": (lambda n: -np.ones(n), r"sample_weight is -1.0 in row 0; weights must be finite and not"),
    "missing": (lambda n: np.where(np.arange(n) == 3, np.nan, 1.0), "sample_weight is nan in row 3"),
    "infinite": (lambda n: np.full(n, np.inf), "sample_weight is inf in row 0"),
    "too few": (lambda n: np.ones(n - 1), r"sample_weight has shape \(59,\), expected \(60,\)"),
    "two dimensions": (lambda n: np.ones((n, 1)), r"sample_weight has shape \(60, 1\)"),
    "all zero": (np.zeros, "every sample weight is zero"),
    "text": (lambda n: ["a"] * n, "sample_weight holds 'a' in row 0; give one number for each row"),
    "too far apart": (
        lambda n: np.where(np.arange(n) % 2 == 0, 1e-300, 1e300),
        r"is 1e-300 in row 0 and 1e\+300 in row 1: .* give 0 to rows that shall not count",
    ),
    "too large": (lambda n: np.full(n, 1e308), "sum to inf: divide them by their mean"),
}


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
@every_estimator
def test_bad_weights_of_scores_and_proofs_are_refused(case, kind):
    make, message = BAD_WEIGHTS[kind]
    model, X, y = case.fitted()
    with pytest.raises(ValueError, match=message):
        model.score(X, y, make(len(y)))
    if hasattr(model, "verify"):
        with pytest.raises(ValueError, match=message):
            model.verify(X, y, make(len(y)))


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
@every_estimator
def test_bad_weights_are_refused(case, kind):
    make, message = BAD_WEIGHTS[kind]
    X, y = case.problem()
    with pytest.raises(ValueError, match=message):
        case.model().fit(X, y, sample_weight=make(len(y)))


def test_weights_count_observations_of_bic_only_if_all_are_integers():
    """Whether equal rows have weights of an integer sum does not matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] * (X[:, 1] > 0) + rng.normal(size=200)
    weights = np.full(400, 0.5)
    criteria = []
    for pair in ([0.25, 0.75], [0.25, 0.7500001]):
        weights[[0, 200]] = pair
        model = RuleRegressor(alpha="bic").fit(np.r_[X, X], np.r_[y, y], sample_weight=weights)
        criteria.append(model.path_.criterion[0])
    assert criteria[0] == pytest.approx(criteria[1], rel=1e-6)
