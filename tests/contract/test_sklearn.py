"""scikit-learn's own checks, none expected to fail, and its conventions where its checks do not look."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from thresher import FactorizationMachineClassifier, RuleClassifier, RuleRegressor

from .members import CASES, cases_that, every_case, every_estimator


@pytest.mark.slow
@parametrize_with_checks([case.model() for case in CASES if case.source.is_matrix])
def test_scikit_learn_check(estimator, check):
    in_batches = getattr(estimator, "solver", None) in ("psgd", "adagrad")
    if in_batches and "sample_weight_equivalence" in check.func.__name__:
        return  # a row of weight 2 comes in one batch, two rows in two, whoever makes the batches
    is_machine = isinstance(estimator, FactorizationMachineClassifier) and estimator.loss == "squared"
    if is_machine and "sample_weight_equivalence" in check.func.__name__:
        estimator.set_params(max_iter=3_000, tol=1e-9)  # rounding decides how far a fit that stops early came
    if getattr(estimator, "gap_tol", None) is not None:
        estimator.set_params(time_limit=1.0)  # trees of random targets take far longer
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.slow
@parametrize_with_checks([RuleRegressor(), RuleClassifier()])
def test_scikit_learn_check_of_cross_validation_at_the_defaults(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@every_case
def test_clone_has_parameters_and_no_model(case):
    model, _, _ = case.fitted()
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not [name for name in vars(copy) if name.endswith("_") and not name.startswith("_")]


@every_case
def test_parameters_are_not_changed(case):
    model, _, _ = case.fitted()
    for name, value in case.params.items():
        assert getattr(model, name) is value


@every_estimator
def test_methods_need_a_fitted_model(case):
    X, y = case.problem()
    methods = {
        "predict": (X,), "decision_function": (X,), "transform": (X,), "explain": (X,), "verify": (X, y),
        "to_json": (), "summary": (), "near_ties": (), "price": ("x0 > 1",), "get_rules": (),
        "get_patterns": (),
        "get_interactions": (), "score_card": (), "binning_table": (X, y),
        "scaled_card": (), "plot_rules": (), "plot_patterns": (), "plot_shapes": (),
        "plot_path": (), "plot_hull": (), "plot_interactions": (),
    }  # fmt: skip
    for method, arguments in methods.items():
        if hasattr(case.estimator, method):
            with pytest.raises(NotFittedError):
                getattr(case.model(), method)(*arguments)


@every_case
def test_attributes_of_a_fitted_model(case):
    model, X, y = case.fitted()
    if case.source.is_table:
        assert model.n_features_in_ == X.shape[1]
    assert hasattr(model, "classes_") == case.is_classifier
    if case.is_classifier:
        assert model.classes_.tolist() == ["no", "yes"]
    assert np.ndim(model.intercept_) <= 1
    assert getattr(model, "n_iter_", 0) >= 0
    assert 0 < model.score(X, y) <= 1


@every_estimator
@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_score_refuses_missing_targets_as_a_fit_does(case, missing):
    model, X, y = case.fitted()
    holed = np.asarray(y, dtype=object)
    holed[[3, 5]] = missing
    for method in (model.score, case.model().fit):
        with pytest.raises(ValueError, match=r"^Input y contains NaN. \(first in row 3; drop such rows\)$"):
            method(X, holed)


@every_case
def test_fit_returns_the_estimator_and_predicts_every_row(case):
    X, y = case.problem()
    model = case.model()
    assert model.fit(X, y) is model
    for answer in case.answers(model, X):
        assert answer.shape[0] == len(y)
        assert answer.dtype.kind in "OUf"


@cases_that(lambda case: case.is_classifier)
def test_decisions_probabilities_and_classes_agree(case):
    model, X, _ = case.fitted()
    decision = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), model.classes_[(decision > 0).astype(int)])
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), proba)
        assert (np.diff(proba[np.argsort(decision), 1]) >= 0).all()


@cases_that(lambda case: hasattr(case.estimator, "transform"))
def test_transform_has_a_name_for_every_feature(case):
    model, X, _ = case.fitted()
    features = model.transform(X)
    names = model.get_feature_names_out()
    assert features.shape == (len(X), len(names))
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@cases_that(lambda case: hasattr(case.estimator, "transform"))
def test_set_output_gives_a_frame_with_the_names(case, library):
    model, X, _ = case.fitted()
    features = dense(model.transform(X))
    frame = model.set_output(transform=library).transform(X)
    assert type(frame).__module__.partition(".")[0] == library
    assert list(frame.columns) == list(model.get_feature_names_out())
    np.testing.assert_array_equal(frame.to_numpy(), features)
    np.testing.assert_array_equal(dense(model.set_output(transform="default").transform(X)), features)


@cases_that(lambda case: case.takes("sparse_output"))
def test_sparse_output_false_gives_an_array(case):
    model, X, _ = case.fitted()
    features = model.set_params(sparse_output=False).transform(X)
    assert isinstance(features, np.ndarray)
    np.testing.assert_array_equal(features, model.set_params(sparse_output=True).transform(X).toarray())


def dense(features):
    return features.toarray() if hasattr(features, "toarray") else features


@cases_that(lambda case: case.is_classifier)
def test_several_classes_are_one_against_the_rest(case):
    X, signal = case.source.make(60, 5, 1)
    labels = np.array(["low", "middle", "top"])[np.digitize(signal, np.quantile(signal, [0.3, 0.7]))]
    model = case.model().fit(X, labels)
    assert model.classes_.tolist() == ["low", "middle", "top"]
    assert model.decision_function(X).shape == (60, 3)
    assert set(model.predict(X)) <= set(labels)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@cases_that(lambda case: not case.is_classifier)
def test_several_targets_are_columns(case):
    X, y = case.problem()
    model = case.model().fit(X, np.column_stack([y, -y]))
    assert model.predict(X).shape == (60, 2)
    assert case.model().fit(X, y[:, None]).predict(X).shape == (60, 1)


@cases_that(lambda case: case.takes("class_weight"))
def test_class_weight_multiplies_sample_weight(case):
    X, y = case.problem()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    both = case.model(class_weight={"yes": 3.0}).fit(X, y, sample_weight=weights)
    rows = case.model().fit(X, y, sample_weight=weights * np.where(y == "yes", 3.0, 1.0))
    np.testing.assert_array_equal(both.decision_function(X), rows.decision_function(X))
