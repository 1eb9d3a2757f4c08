"""L0Classifier and L0Regressor: what they promise, and how they refuse."""

import copy
import itertools
import json
import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from thresher import (
    CertificateError,
    FormatError,
    L0AdditiveRegressor,
    L0Classifier,
    L0Regressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 12))
SIGNAL = 2 * X[:, 1] - X[:, 4] + 0.8 * X[:, 7]
NUMBERS = 5 + SIGNAL + RNG.normal(size=150)
CLASSES = np.where(SIGNAL + RNG.normal(size=150) > 0, "yes", "no")
THREE = np.digitize(SIGNAL + RNG.normal(size=150), [-1, 1])


def losses(name, y, f):
    margin = np.where(y == "yes", 1.0, -1.0) * f if name != "squared" else None
    if name == "squared":
        return 0.5 * (y - f) ** 2
    return np.logaddexp(0, -margin) if name == "logistic" else np.exp(-margin)


def best_of_all_subsets(name, y, columns, lambda0, lambda2):
    """The optimum by trying every subset with a general minimiser."""
    best = np.inf
    for size in range(columns.shape[1] + 1):
        for subset in itertools.combinations(range(columns.shape[1]), size):
            part = columns[:, subset]

            def objective(w, part=part):
                return losses(name, y, w[0] + part @ w[1:]).sum() + lambda2 * (w[1:] ** 2).sum()

            found = minimize(objective, np.zeros(size + 1), method="BFGS").fun
            best = min(best, found + lambda0 * size)
    return best


@pytest.mark.parametrize("name", ["squared", "logistic", "exponential"])
def test_the_optimum_over_all_subsets_is_reached(name):
    y = NUMBERS if name == "squared" else CLASSES
    kind = L0Regressor() if name == "squared" else L0Classifier(loss=name)
    part = X[:, [0, 1, 4, 6, 7]]
    model = kind.set_params(lambda0=4.0, lambda2=0.1).fit(part, y)
    assert model.objective_ == pytest.approx(best_of_all_subsets(name, y, part, 4.0, 0.1), rel=1e-6)


@pytest.mark.parametrize("name", ["squared", "logistic", "exponential"])
def test_the_path_tells_its_objective(name):
    y = NUMBERS if name == "squared" else CLASSES
    kind = L0Regressor() if name == "squared" else L0Classifier(loss=name)
    path = kind.set_params(lambda2=0.2).fit_path(X, y).path_
    assert path.n_nonzero[0] == 0
    assert (np.diff(path.lambda0) < 0).all()
    for k in range(len(path)):
        at = path.at(path.lambda0[k])
        f = X @ at.coef_ + at.intercept_
        assert at.n_nonzero_ == path.n_nonzero[k] == np.count_nonzero(at.coef_)
        objective = losses(name, y, f).sum() + path.lambda0[k] * at.n_nonzero_ + 0.2 * (at.coef_**2).sum()
        assert path.objective[k] == pytest.approx(objective, rel=1e-9)


def test_an_automatic_path_has_a_bound_only_if_it_is_asked_for():
    kind = L0Regressor(lambda2=0.5)
    assert not kind.fit_path(X, NUMBERS).certificate_.has_bound
    assert kind.fit_path(X, NUMBERS, lambda0=[50, 5]).certificate_.has_bound
    assert kind.set_params(gap_tol=0.5).fit_path(X, NUMBERS).certificate_.has_bound
    assert L0Regressor(lambda2=0.5).fit(X, NUMBERS).certificate_.has_bound


def test_a_cross_validated_path_begins_as_the_whole_one():
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(120, 40))
    y = wide[:, 0] - 2 * wide[:, 1] + rng.normal(size=120)
    scored = L0Regressor().fit(wide, y)
    whole = L0Regressor().fit_path(wide, y).path_
    count = len(scored.path_)
    assert len(scored.path_.cv_mean) == count < len(whole)
    np.testing.assert_allclose(scored.path_.lambda0, whole.lambda0[:count], rtol=1e-12)
    assert set(np.flatnonzero(scored.coef_)) >= {0, 1}
    best = int(np.argmin(scored.path_.cv_mean))
    assert count - best > 5


def test_cross_validation_finds_the_support():
    model = L0Regressor(one_standard_error=True).fit(X, NUMBERS)
    assert set(np.flatnonzero(model.coef_)) >= {1, 4, 7}
    assert model.n_nonzero_ <= 5
    assert model.path_.cv_mean.shape == model.path_.lambda0.shape
    assert model.score(X, NUMBERS) > 0.7
    several = L0Classifier(lambda2=[10.0, 0.01], cv=3).fit(X, CLASSES)
    assert set(several.path_.lambda2) == {10.0, 0.01}
    assert several.path_.at(several.lambda0_, lambda2=10.0).lambda2_ == 10.0


def test_cardinality():
    model = L0Classifier(lambda0=None, max_nonzero=3).fit(X, CLASSES)
    assert model.path_.n_nonzero.tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(model.coef_).tolist() == [1, 4, 7]
    assert np.count_nonzero(model.path_.at(n_nonzero=1).coef_) == 1
    with pytest.raises(TypeError, match=r"L0Path\.at: got 'n_terms'; give lambda0, lambda2 or n_nonzero"):
        model.path_.at(n_terms=1)
    for number in ("3", 2.5, True):
        with pytest.raises(ValueError, match=r"n_nonzero: got .*; give a whole number >= 0"):
            model.path_.at(n_nonzero=number)
    for given in ({"lambda0": "a"}, {"lambda0": 1.0, "lambda2": "b"}):
        with pytest.raises(ValueError, match=r"lambda.: got '.'; give a finite number >= 0"):
            model.path_.at(**given)
    capped = L0Regressor(lambda0=0.1, max_nonzero=2).fit(X, NUMBERS)
    assert capped.n_nonzero_ == 2


@pytest.mark.parametrize("bounds", [(0, None), {4: (0, 0.5), 1: (-1, 1)}, [(-0.5, 0.5)] * 12])
@pytest.mark.parametrize("kind", [L0Regressor, L0Classifier])
def test_bounds_hold(kind, bounds):
    y = NUMBERS if kind is L0Regressor else CLASSES
    model = kind(lambda0=1.0, bounds=bounds).fit(X, y)
    listed = dict.fromkeys(range(12), bounds) if isinstance(bounds, tuple) else bounds
    for j, (low, high) in listed.items() if isinstance(listed, dict) else enumerate(listed):
        assert model.coef_[j] >= (-np.inf if low is None else low)
        assert model.coef_[j] <= (np.inf if high is None else high)
    free = kind(lambda0=1.0).fit(X, y)
    assert model.objective_ >= free.objective_ - 1e-9


def test_frames_and_threads_give_the_same_bits():
    model = L0Classifier(n_jobs=1).fit(X, CLASSES)
    other = L0Classifier(n_jobs=3).fit(X, CLASSES)
    np.testing.assert_array_equal(model.coef_, other.coef_)
    np.testing.assert_array_equal(model.path_.cv_mean, other.path_.cv_mean)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    named = L0Classifier().fit(frame, CLASSES)
    np.testing.assert_array_equal(named.coef_, model.coef_)
    assert named.feature_names_in_[1] == "c1"
    assert "c1 = " in str(named.explain(frame.iloc[:1])[0])


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("cut", [0.2, 1.5])
def test_sparse_and_dense_tables_give_the_same_model(form, cut):
    masked = np.where(np.abs(X) > cut, X, 0.0)
    matrix = form(masked)
    weights = np.resize([0.0, 1.0, 2.0, 0.5], len(X))
    for model, y in ((L0Classifier(lambda2=0.1), CLASSES), (L0Regressor(lambda2=0.1), NUMBERS)):
        dense = clone(model).fit(masked, y, sample_weight=weights)
        found = model.fit(matrix, y, sample_weight=weights)
        np.testing.assert_allclose(found.coef_, dense.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(found.path_.cv_mean, dense.path_.cv_mean, rtol=1e-7)
        np.testing.assert_array_equal(found.predict(matrix), found.predict(masked))
        found.verify(matrix, y, weights)
        found.verify(masked, y, weights)
        again = type(found).from_json(found.to_json())
        np.testing.assert_array_equal(again.predict(matrix), found.predict(matrix))
        assert str(found.explain(matrix[[0]] if form is sparse.csr_matrix else masked[:1])[0])


def test_sparse_rows_are_checked():
    matrix = sparse.csr_matrix(np.where(np.abs(X) > 1, X, 0.0))
    model = L0Regressor(lambda0=1.0).fit(matrix, NUMBERS)
    broken = matrix.copy()
    broken.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        L0Regressor().fit(broken, NUMBERS)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(broken)
    with pytest.raises(ValueError, match="features"):
        model.predict(matrix[:, :3])
    with pytest.raises(NotFittedError):
        L0Regressor().predict(matrix)
    counts = matrix.astype(bool).astype(np.int64)
    assert L0Regressor(lambda0=1.0).fit(counts, NUMBERS).objective_ > 0


def test_a_sparse_table_is_not_made_dense():
    rng = np.random.default_rng(0)
    matrix = sparse.random(400, 40_000, density=0.001, random_state=0, format="csr")
    y = np.asarray(matrix[:, :40].sum(axis=1)).ravel() + 0.01 * rng.normal(size=400)
    tracemalloc.start()
    model = L0Regressor(lambda0=None, max_nonzero=3, memory_limit=32 * 2**20, n_jobs=1).fit(matrix, y)
    model.predict(matrix)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Dense it would take 128 MB.
    assert peak < 20e6
    assert model.n_nonzero_ == 3


def test_verify_accepts_columns_that_are_large_beside_lambda2():
    rng = np.random.default_rng(1)
    for size in (1e6, 1e9):
        table = rng.normal(size=(60, 6)) * np.where(np.arange(6) % 2, size, 1.0)
        y = table[:, 0] + table[:, 1] / size + 0.3 * rng.normal(size=60)
        model = L0Regressor(lambda0=0.3, lambda2=0.001).fit(table, y)
        model.verify(table, y)
        classes = L0Classifier(lambda0=0.3, lambda2=0.001).fit(table, y > 0)
        classes.verify(table, y > 0)


def test_verify_accepts_bounds_of_all_but_constant_columns():
    table = np.column_stack([X, np.full(len(X), 2.5)])
    bounds = [(-1.0, 1.0)] * X.shape[1] + [(None, None)]
    model = L0Classifier(lambda0=1.0, bounds=bounds).fit(table, CLASSES)
    assert model.certificate_.has_bound
    model.verify(table, CLASSES)


def test_probabilities_and_several_classes():
    for loss, factor in (("logistic", 1.0), ("exponential", 2.0)):
        model = L0Classifier(loss=loss, lambda0=2.0).fit(X, CLASSES)
        expected = 1 / (1 + np.exp(-factor * model.decision_function(X)))
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)).sum(axis=1), 1)
    three = L0Classifier(lambda0=2.0).fit(X, THREE)
    assert three.coef_.shape == (3, 12)
    assert three.score(X, THREE) > 0.6
    one = L0Classifier(lambda0=2.0).fit(X, THREE == 2)
    np.testing.assert_allclose(three.coef_[2], one.coef_)
    many = L0Regressor(lambda0=5.0).fit(X, np.column_stack([NUMBERS, SIGNAL]))
    assert many.predict(X).shape == (150, 2)
    assert len(many.path_.lambda0) == 2


def test_a_local_optimum_is_one_within_the_limit_on_its_size():
    model = L0Regressor(lambda0=None, max_nonzero=2, gap_tol=None).fit(X, NUMBERS)
    assert "swapped for another to lower the objective within max_nonzero=2." in str(model.summary())
    proven = L0Regressor(lambda0=None, max_nonzero=2).fit(X, NUMBERS)
    assert "Proved optimal within max_nonzero=2: objective" in str(proven.summary())
    assert "within" not in str(L0Regressor(lambda0=9.0).fit(X, NUMBERS).summary())


@pytest.mark.parametrize("y", [NUMBERS, THREE])
def test_a_point_of_a_path_by_number_has_the_limit_of_its_size(y):
    kind = L0Regressor if y is NUMBERS else L0Classifier
    path = kind(lambda0=None, max_nonzero=5, lambda2=1.0).fit_path(X, y).path_
    two = path.at(n_nonzero=2)
    assert two.max_nonzero == 2
    assert "swapped for another to lower the objective within max_nonzero=2." in str(two.summary())
    np.testing.assert_array_equal(kind(**two.get_params()).fit(X, y).n_nonzero_, two.n_nonzero_)
    for again in (pickle.loads(pickle.dumps(two)), kind.from_json(two.to_json())):
        assert str(again.summary()) == str(two.summary())
    assert pickle.loads(pickle.dumps(two)).path_.at(n_nonzero=4).max_nonzero == 4
    assert pickle.loads(pickle.dumps(two)).path_.at(n_nonzero=5).max_nonzero == 5


def test_a_point_of_a_path_without_a_bound_says_that_it_needs_a_fit_of_its_own():
    for params in ({"lambda0": None, "max_nonzero": 5, "lambda2": 1.0}, {"lambda2": 1.0}, {}):
        fitted = L0Regressor(**params).fit_path(X, NUMBERS)
        two = fitted.path_.at(n_nonzero=2)
        said = "only the model that a fit selects has one; this point of a path needs a fit of its own"
        assert str(two.certificate_) == f"no lower bound: {said}"
        assert str(two.verify(X, NUMBERS)) == str(two.certificate_)


def test_constant_and_duplicate_columns():
    wide = np.column_stack([np.ones(150), X, X, np.full(150, 1e9)])
    for model in (L0Regressor(lambda0=3.0).fit(wide, NUMBERS), L0Classifier(lambda0=3.0).fit(wide, CLASSES)):
        assert np.isfinite(model.coef_).all()
        assert model.coef_[0] == model.coef_[-1] == 0
        assert model.n_nonzero_ == 3


def test_missing_values_are_refused_with_advice():
    holes = X.copy()
    holes[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"'x2' is missing \(NaN\) in row 3.*L0AdditiveRegressor"):
        L0Regressor().fit(holes, NUMBERS)
    with pytest.raises(ValueError, match="NaN"):
        L0Regressor(lambda0=1.0).fit(X, NUMBERS).predict(holes)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_separated_classes_are_named(loss):
    y = X[:, 0] > 0
    with pytest.warns(ConvergenceWarning, match="separates the classes"):
        model = L0Classifier(loss=loss, lambda0=1.0).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        L0Classifier(loss=loss, lambda0=1.0, lambda2=0.1).fit(X, y)


def rare_allele(of_cases):
    """Classes and a table whose column `rare` is 1 in six rows, of which the first `of_cases` are cases."""
    rng = np.random.default_rng(0)
    x, rare = rng.normal(size=300), np.arange(300) < 6
    y = rng.random(300) < expit(x - 2)
    y[:6] = np.arange(6) < of_cases
    return pd.DataFrame({"x": x, "rare": rare.astype(float)}), y


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("read", [pd.DataFrame, lambda table: sparse.csr_matrix(table.to_numpy())])
def test_a_column_that_separates_some_rows_is_named(loss, read):
    table, y = rare_allele(6)
    with pytest.warns(ConvergenceWarning, match="^column '(rare|x1)' separates some .* lambda2 > 0"):
        model = L0Classifier(loss=loss, lambda0=1.0).fit(read(table), y)
    assert model.coef_[1] > 10


def test_columns_of_overlapping_classes_are_not_named():
    table, y = rare_allele(6)
    one_apart, y_apart = rare_allele(5)
    steep = 60 * (table["x"] > 0) + table["x"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        L0Classifier(lambda0=1.0).fit(one_apart, y_apart)
        L0Classifier(lambda0=1.0, bounds=(None, 9)).fit(table, y)
        L0Classifier(lambda0=1.0, lambda2=0.1).fit(table, y)
        L0Classifier(lambda0=1.0).fit(table, y, sample_weight=1.0 - table["rare"])
        L0Classifier(lambda0=1.0).fit(table[["x"]] * 1000, RNG.random(300) < expit(steep))
    with pytest.warns(ConvergenceWarning, match="'rare'"):
        L0Classifier(lambda0=1.0).fit(one_apart, y_apart, sample_weight=np.arange(300) != 5)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"lambda0": -1.0}, ValueError, "lambda0: got -1"),
        ({"lambda0": "bic"}, ValueError, "lambda0: got 'bic'"),
        ({"lambda0": []}, ValueError, "lambda0"),
        ({"lambda0": None}, ValueError, "max_nonzero"),
        ({"lambda2": "x"}, TypeError, "lambda2"),
        ({"lambda0": None, "max_nonzero": 2, "lambda2": [1, 2]}, ValueError, "lambda2"),
        ({"max_nonzero": 1.5}, TypeError, "max_nonzero"),
        ({"loss": "hinge"}, ValueError, "loss: got 'hinge'"),
        ({"bounds": (1, 2)}, ValueError, "lower <= 0 <= upper"),
        ({"bounds": {"nope": (0, 1)}}, ValueError, "no column 'nope'"),
        ({"bounds": [(0, 1)] * 3}, ValueError, "got 3 pairs, X has 12 columns"),
        ({"bounds": 3}, TypeError, "bounds"),
        ({"max_swaps": -1}, ValueError, "max_swaps"),
        ({"max_candidates": 0}, ValueError, "max_candidates"),
        ({"time_limit": 0}, ValueError, "time_limit"),
        ({"cv": 1}, ValueError, "at least 2"),
        ({"one_standard_error": "yes"}, TypeError, "one_standard_error"),
    ],
)
def test_bad_parameters_leave_the_estimator_alone(params, error, message):
    model = L0Classifier(lambda0=5.0).fit(X, CLASSES)
    before = dict(model.__dict__)
    model.set_params(**{"lambda0": "cv", **params})
    with pytest.raises(error, match=message):
        model.fit(X, CLASSES)
    for name in ("coef_", "path_", "_fitted"):
        assert model.__dict__[name] is before[name]


def test_path_at_refuses_what_is_not_there():
    path = L0Regressor().fit_path(X, NUMBERS, lambda0=[10, 1]).path_
    with pytest.raises(ValueError, match="the path goes from 10 to 1"):
        path.at(0.1)
    with pytest.raises(ValueError, match="either lambda0 or n_nonzero"):
        path.at()
    with pytest.raises(ValueError, match="lambda2: got 3"):
        path.at(1, lambda2=3)
    with pytest.raises(ValueError, match="the path goes from 10 to 1"):
        path.at(1e9)


def test_an_exact_fit_of_numbers_says_nothing_of_classes():
    X = np.random.default_rng(0).normal(size=(60, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = L0Regressor(lambda0=1e-6).fit(X, 3 * X[:, 4] - X[:, 2])
    assert np.flatnonzero(model.coef_).tolist() == [2, 4]


def test_fit_path_goes_along_the_parameter():
    X = np.random.default_rng(0).normal(size=(60, 8))
    y = 3 * X[:, 4] - X[:, 2]
    own = L0Regressor(lambda0=[50, 5]).fit_path(X, y).path_
    given = L0Regressor().fit_path(X, y, lambda0=[50, 5]).path_
    assert own.lambda0.tolist() == given.lambda0.tolist() == [50.0, 5.0]
    assert own.objective.tolist() == given.objective.tolist()
    assert L0Regressor(lambda0=[50, 5]).fit_path(X, y, lambda0=[7]).path_.lambda0.tolist() == [7.0]
    assert len(L0Regressor(lambda0=5.0).fit_path(X, y).path_) > 1
    assert L0AdditiveRegressor(lambda0=[50, 5]).fit_path(X, y).path_.lambda0.tolist() == [50.0, 5.0]


def least_objective(X, y, lambda0, lambda2, most):
    """The optimum for squared loss, by all subsets."""
    best = np.inf
    for size in range(most + 1):
        for subset in itertools.combinations(range(X.shape[1]), size):
            z = X[:, subset] - X[:, subset].mean(axis=0)
            w = np.linalg.solve(z.T @ z + 2 * lambda2 * np.eye(size), z.T @ (y - y.mean()))
            rest = y - y.mean() - z @ w
            best = min(best, rest @ rest / 2 + lambda2 * w @ w + lambda0 * size)
    return best


@pytest.mark.parametrize("seed", range(30))
def test_the_bound_is_below_the_optimum(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6))
    y = X @ rng.normal(size=6) + rng.normal(size=40)
    lambda2, limited = float(10 ** rng.uniform(-1, 2)), bool(seed % 2)
    given = {"lambda0": None, "max_nonzero": 3} if limited else {"lambda0": float(10 ** rng.uniform(-1, 1))}
    model = L0Regressor(lambda2=lambda2, **given).fit(X, y)
    certificate = model.certificate_
    least = least_objective(X, y, given["lambda0"] or 0.0, lambda2, 3 if limited else 6)
    assert certificate.dual <= least * (1 + 1e-9)
    assert least <= certificate.primal * (1 + 1e-9)
    assert 0 < certificate.dual <= certificate.primal
    fresh = model.verify(X, y)
    assert (fresh.primal, fresh.dual) == pytest.approx((certificate.primal, certificate.dual), rel=1e-9)
    assert fresh.null_objective == pytest.approx(np.sum((y - y.mean()) ** 2) / 2)


def test_bounds_of_all_coefficients_give_a_lower_bound():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5))
    y = np.where(X[:, 0] + rng.normal(size=100) > 0, "yes", "no")
    model = L0Classifier(lambda0=1.0, bounds=(-2, 2)).fit(X, y)
    assert model.certificate_.has_bound
    assert model.verify(X, y).dual == pytest.approx(model.certificate_.dual)
    twice = np.column_stack([X, X[:, 0]])
    free = L0Classifier(lambda0=1.0).fit(twice, y)
    assert free.certificate_.is_optimal
    assert free.verify(twice, y).is_optimal
    near = np.column_stack([X, X[:, 0] + 1e-9 * X[:, 1]])
    free = L0Classifier(lambda0=1.0).fit(near, y)
    assert not free.certificate_.has_bound
    assert str(free.certificate_) == (
        "no lower bound: it needs lambda2 > 0, bounds on every coefficient, or more rows than columns that "
        "neither nearly depend on each other nor separate the classes, with gap_tol=0 where there are many"
    )
    assert not free.verify(near, y).has_bound


def test_an_edited_bound_is_refused():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5))
    y = X[:, 0] + rng.normal(size=100)
    model = L0Regressor(lambda0=1.0, lambda2=3.0, gap_tol=None).fit(X, y)
    document = json.loads(model.to_json())
    bound = document["model"]["outputs"][0]["points"][0]["bound"]
    for name in ("dual", "null_objective"):
        edited = copy.deepcopy(document)
        edited["model"]["outputs"][0]["points"][0]["bound"] = {**bound, name: bound[name] + 1.0}
        with pytest.raises(CertificateError, match="claims"):
            L0Regressor.from_json(json.dumps(edited)).verify(X, y)
    document["model"]["outputs"][0]["points"][0]["bound"] = {**bound, "coef": [[9, 1.0]]}
    with pytest.raises(FormatError):
        L0Regressor.from_json(json.dumps(document))


@pytest.mark.parametrize("seed", range(30))
def test_branch_and_bound_proves_the_optimum(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6))
    y = X @ rng.normal(size=6) + rng.normal(size=40)
    lambda2, limited = float(10 ** rng.uniform(-1, 2)), bool(seed % 2)
    given = {"lambda0": None, "max_nonzero": 3} if limited else {"lambda0": float(10 ** rng.uniform(-1, 1))}
    model = L0Regressor(lambda2=lambda2, gap_tol=0, **given).fit(X, y)
    least = least_objective(X, y, given["lambda0"] or 0.0, lambda2, 3 if limited else 6)
    assert model.certificate_.is_optimal
    assert model.certificate_.primal == pytest.approx(least, rel=1e-6)
    assert model.certificate_.dual <= least * (1 + 1e-9)
    again = L0Regressor.from_json(model.to_json()).verify(X, y)
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-9)
    assert again.n_nodes == model.certificate_.n_nodes
    assert str(model.summary()).count("Proved optimal") == 1


def test_an_edited_tree_is_refused():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 12)) @ rng.normal(size=(12, 12))
    y = X[:, 0] + X[:, 5] + 3 * rng.normal(size=60)
    model = L0Regressor(lambda0=8.0, lambda2=10.0, gap_tol=0).fit(X, y)
    assert model.certificate_.n_nodes > 3
    text = model.to_json()

    def load(edit):
        document = json.loads(text)
        edit(document["model"]["outputs"][0]["points"][0]["bound"])
        return L0Regressor.from_json(json.dumps(document))

    tree = json.loads(text)["model"]["outputs"][0]["points"][0]["bound"]["tree"]
    leaf = next(k for k, node in enumerate(tree) if "dual" in node)
    for edit in (
        lambda bound: bound["tree"].pop(leaf),
        lambda bound: bound["tree"].append(bound["tree"][leaf]),
        lambda bound: bound["tree"][0].update(split=99),
        lambda bound: bound["tree"][0].update(dual=1.0),
        lambda bound: bound["tree"][leaf].update(coef=[[99, 1.0]]),
        lambda bound: bound["tree"][leaf].update(dual=1e9),
        lambda bound: bound.update(dual=bound["dual"] * 0.9),
    ):
        with pytest.raises(FormatError):
            load(edit)
    # The bound is computed anew: where it is not claimed, the functions may be others.
    other = (tree[0]["split"] + 1) % 12
    with pytest.raises(CertificateError, match="lower bound"):
        load(lambda bound: bound["tree"][0].update(split=other)).verify(X, y)


@pytest.mark.parametrize("change", [{"max_nonzero": 1}, {"bounds": [0.0, 0.1]}])
def test_a_model_beyond_the_limits_of_its_file_is_refused(change):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 5))
    y = X[:, 0] + X[:, 1] + rng.normal(size=100)
    model = L0Regressor(lambda0=1.0, lambda2=3.0, max_nonzero=4).fit(X, y)
    document = json.loads(model.to_json())
    document["params"].update(change)
    with pytest.raises(CertificateError, match=r"max_nonzero is 1|beyond its bounds"):
        L0Regressor.from_json(json.dumps(document)).verify(X, y)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_separated_classes_and_columns_of_unequal_scales_are_proved(loss):
    """Coefficients that are far apart and losses near 0 neither end a proof early nor stop it."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(5, 60)), int(rng.integers(1, 12))
        X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-3, 4, size=d)
        y = X[:, 0] + X[:, -1] / np.std(X[:, -1]) > 0
        if y.all() or not y.any():
            continue
        given = {"lambda0": 10 ** rng.uniform(-2, 1), "lambda2": 10 ** rng.uniform(-5, 1), "loss": loss}
        root = L0Classifier(**given).fit(X, y)
        proved = L0Classifier(**given, gap_tol=0, time_limit=60).fit(X, y)
        assert proved.certificate_.is_optimal, seed
        assert proved.certificate_.dual >= root.certificate_.dual * (1 - 1e-9)
        assert proved.verify(X, y).is_optimal


def sensors():
    """Three columns that help only together, among 30."""
    rng = np.random.default_rng(3)
    X, noise, other, signal = rng.normal(size=(200, 30)), *rng.normal(size=(3, 200))
    X[:, 4], X[:, 5], X[:, 6] = 10 * (noise + other) + signal, 10 * noise, 10 * other
    return X, signal + 0.3 * rng.normal(size=200)


def test_few_columns_have_the_best_subset():
    X, y = sensors()
    local = L0Regressor(lambda0=None, max_nonzero=3, gap_tol=None).fit(X, y)
    said = "gap_tol=0 finds the best of all subsets and proves it"
    assert said in str(local.summary())
    best = L0Regressor(lambda0=None, max_nonzero=3).fit(X, y)
    assert np.flatnonzero(best.coef_).tolist() == [4, 5, 6]
    assert best.objective_ < 0.2 * local.objective_
    assert said not in str(best.summary())
    assert best.verify(X, y).is_optimal
    noisy = y + np.random.default_rng(0).normal(size=200) > 0
    for cls, target in ((L0Regressor, y), (L0Classifier, noisy)):
        for lambda0 in (0.5, 5.0, 500.0):
            proved = cls(lambda0=lambda0).fit(X, target)
            assert proved.certificate_.is_optimal or proved.certificate_.n_nodes > 10
            assert proved.verify(X, target).dual == pytest.approx(proved.certificate_.dual, rel=1e-6)


def test_a_perfect_fit_is_optimal():
    """What rounding leaves of its loss is no gap."""
    X = np.random.default_rng(0).normal(size=(60, 30))
    y = 3 * X[:, 4] - X[:, 9]
    model = L0Regressor(lambda0=None, max_nonzero=2).fit(X, y)
    assert model.certificate_.is_optimal
    assert model.certificate_.n_nodes < 100
    assert model.verify(X, y).is_optimal


def test_unasked_proofs_end():
    """Many columns, paths, and columns without bounds are left as they were."""
    X, y = sensors()
    many = np.hstack([X, np.random.default_rng(0).normal(size=(200, 11))])
    assert not L0Regressor(lambda0=1.0).fit(many, y).certificate_.has_bound
    assert not L0Regressor().fit_path(X, y).certificate_.has_bound
    near = np.column_stack([X, X[:, 0] + 1e-9 * X[:, 1]])
    assert not L0Regressor(lambda0=1.0).fit(near, y).certificate_.has_bound
    assert not L0Classifier(lambda0=1.0).fit(X[:, :2], X[:, 0] > 0).certificate_.has_bound
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 40)) + rng.normal(size=(60, 1))
    hard = L0Regressor(lambda0=2.0).fit(X, X @ rng.normal(size=40) * 0.3 + 3 * rng.normal(size=60))
    assert not hard.certificate_.is_optimal
    assert 1 < hard.certificate_.n_nodes < 100_000


def test_a_gap_that_is_not_reached_is_said():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 60)) + rng.normal(size=(100, 1))
    y = X @ rng.normal(size=60) + rng.normal(size=100)
    with pytest.warns(ConvergenceWarning, match=r"gap_tol: the relative gap is .* Give more time") as record:
        model = L0Regressor(lambda0=2.0, lambda2=0.01, gap_tol=0, time_limit=0.5).fit(X, y)
    assert len(record) == 1
    assert not model.certificate_.complete
    assert model.verify(X, y).dual == pytest.approx(model.certificate_.dual, rel=1e-6, abs=1e-6)
    with pytest.warns(ConvergenceWarning, match="gap_tol: there is no lower bound: it needs lambda2"):
        L0Regressor(lambda0=2.0, gap_tol=0).fit(np.hstack([X, X]), y)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("lambda0", [60.0, 90.0])
def test_columns_with_long_tails_enter(loss, lambda0):
    rng = np.random.default_rng(5)
    tails = np.exp(1.5 * rng.normal(size=(300, 5)))
    y = np.log(tails[:, 0]) + 0.3 * rng.normal(size=300) > 0
    model = L0Classifier(lambda0=lambda0, loss=loss, gap_tol=None).fit(tails, y)
    assert np.flatnonzero(model.coef_).tolist() == [0]
    path = L0Classifier(loss=loss, gap_tol=None).fit_path(tails, y, lambda0=[lambda0, 20.0]).path_
    assert model.objective_ == pytest.approx(path.at(lambda0).objective_, rel=1e-6)
    alone = L0Classifier(lambda0=lambda0, loss=loss, gap_tol=None).fit(tails[:, :1], y)
    assert alone.objective_ == pytest.approx(model.objective_, rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_few_columns_with_long_tails_have_the_best_subset(seed):
    """Against every subset, fitted by scipy; a proof needs ends of coefficients far from the least loss."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(70, 6))
    X[:, 1] = X[:, 0] + 0.3 * rng.normal(size=70)
    X[:, 2] = np.exp(1.5 * X[:, 2])
    X[:, 5] = X[:, 0] - X[:, 3] + 0.05 * rng.normal(size=70)
    sign = np.where(X[:, 0] - 0.8 * X[:, 3] + 0.8 * rng.logistic(size=70) > 0, 1.0, -1.0)
    weights = rng.choice([0.5, 1.0, 3.0], 70)

    def least(columns):
        Z = np.column_stack([np.ones(70), X[:, columns]])

        def loss(w):
            margin = sign * (Z @ w)
            slope = -sign * weights * expit(-margin)
            return weights @ np.logaddexp(0, -margin), slope @ Z

        return minimize(loss, np.zeros(Z.shape[1]), jac=True, options={"gtol": 1e-7}).fun

    subsets = [c for size in range(7) for c in itertools.combinations(range(6), size)]
    best = min(least(list(columns)) + 1.5 * len(columns) for columns in subsets)
    model = L0Classifier(lambda0=1.5).fit(X, sign, sample_weight=weights)
    assert model.certificate_.is_optimal
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert model.verify(X, sign, sample_weight=weights).is_optimal
