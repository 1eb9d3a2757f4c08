"""Models in files and pickles answer as the ones that were fitted, bit by bit."""

import copy
import json
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest

import thresher
from thresher import FormatError
from thresher.model_io.envelope import jsonable

from .members import ESTIMATORS, cases_that, every_case, every_estimator


def check_same(case, model, other, X):
    assert type(other) is type(model)
    for one, two in zip(case.answers(model, X), case.answers(other, X), strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one, two)
    assert getattr(other, "n_iter_", None) == getattr(model, "n_iter_", None)
    assert getattr(other, "certificate_", None) == getattr(model, "certificate_", None)


@every_case
def test_json_round_trip(case, tmp_path):
    model, X, _ = case.fitted()
    text = model.to_json()
    again = case.estimator.from_json(text)
    check_same(case, model, again, X)
    assert again.to_json() == text
    path = tmp_path / "model.json"
    model.to_json(path)
    assert path.read_text(encoding="utf-8") == text
    check_same(case, model, case.estimator.from_json(path), X)
    check_same(case, model, thresher.load_model(path), X)
    check_same(case, model, thresher.load_model(str(path)), X)


@every_case
def test_parameters_come_back_from_json(case):
    model, _, _ = case.fitted()
    again = case.estimator.from_json(model.to_json())
    for name, value in model.get_params().items():
        assert jsonable(getattr(again, name)) == jsonable(value), name


@every_case
def test_pickles_and_copies_keep_everything(case, tmp_path):
    model, X, _ = case.fitted()
    joblib.dump(model, tmp_path / "model.joblib")
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model), joblib.load(tmp_path / "model.joblib")]
    for again in copies:
        check_same(case, model, again, X)
        assert again.get_params() == model.get_params()
        assert hasattr(again, "path_") == hasattr(model, "path_")
        if hasattr(model, "path_"):
            assert len(again.path_) == len(model.path_)


@every_estimator
def test_an_unfitted_estimator_is_pickled(case):
    again = pickle.loads(pickle.dumps(case.model()))
    assert again.get_params() == case.model().get_params()
    assert not [name for name in vars(again) if name.endswith("_")]


@every_estimator
def test_a_pickle_of_another_version_is_refused(case):
    state = case.model().__getstate__()
    with pytest.raises(FormatError, match="a pickle of version 9"):
        case.model().__setstate__({**state, "version": 9})


@every_estimator
def test_a_file_of_another_estimator_says_which(case):
    model, _, _ = case.fitted()
    text, name = model.to_json(), case.estimator.__name__
    for other in ESTIMATORS:
        if other.estimator is not case.estimator:
            with pytest.raises(FormatError, match=rf"it holds an? {name}; read it with {name}\.from_json"):
                other.estimator.from_json(text)


@cases_that(lambda case: case.source.is_table)
def test_names_come_back(case, tmp_path):
    X, y = case.problem()
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    model = case.model().fit(frame, y)
    again = case.estimator.from_json(model.to_json())
    assert list(again.feature_names_in_) == list(frame.columns)
    check_same(case, model, again, frame)


@cases_that(lambda case: hasattr(case.estimator, "verify"))
def test_a_model_from_a_file_is_verified(case):
    model, X, y = case.fitted()
    again = case.estimator.from_json(model.to_json())
    fresh = again.verify(X, y)
    assert fresh.complete
    assert fresh.primal == pytest.approx(model.certificate_.primal, rel=1e-9)


@cases_that(lambda case: hasattr(case.estimator, "verify"))
def test_verify_refuses_other_data_and_an_edited_model(case):
    model, X, y = case.fitted()
    with pytest.raises(thresher.CertificateError):
        model.verify(X, y[::-1])
    document = json.loads(model.to_json())
    document["model"]["outputs"][0]["points"][0]["intercept"] += 0.5
    with pytest.raises(thresher.CertificateError):
        case.estimator.from_json(json.dumps(document)).verify(X, y)


def _narrowed(document, name, value):
    document["params"].update({name: value})


CLAIMS = {
    "number of candidates": lambda d, o, p: d["model"].update(n_candidates=d["model"]["n_candidates"] + "0"),
    "primal": lambda d, o, p: p.update(primal=0.99 * p["primal"]),
    "dual": lambda d, o, p: p.update(dual=0.99 * p["dual"]),
    "gap": lambda d, o, p: p.update(gap=0.5 * p["gap"] + 1e-9 * p["primal"]),
    "relative gap": lambda d, o, p: p.update(relative_gap=0.5 * p["relative_gap"] + 1e-9),
    "strength": lambda d, o, p: p.update(alpha=0.9 * p["alpha"]),
    "tolerance": lambda d, o, p: p.update(tol=10 * p["tol"]),
    "rows of a term": lambda d, o, p: o["terms"][0].update(n_rows=o["terms"][0]["n_rows"] + 1),
    "support": lambda d, o, p: o["terms"][0].update(support=0.99 * o["terms"][0]["support"]),
    "equivalents": lambda d, o, p: o["terms"][0].update(equivalents=[o["terms"][1]["pattern"]]),
    "least support": lambda d, o, p: _narrowed(d, "min_support", 20),
    "size of a term": lambda d, o, p: [
        _narrowed(d, name, 1)
        for name in ("max_features", "max_items", "max_length", "max_edges")
        if name in d["params"]
    ],
}


@pytest.mark.parametrize("claim", CLAIMS)
@cases_that(
    lambda case: (
        hasattr(case.estimator, "near_ties")
        and isinstance(case.params["alpha"], float)
        and not case.is_best_subset
    )
)
def test_verify_finds_each_claim_that_is_not_true(case, claim):
    model, X, y = case.fitted()
    document = json.loads(model.to_json())
    output = document["model"]["outputs"][0]
    assert len(output["terms"]) > 1
    CLAIMS[claim](document, output, output["points"][0])
    with pytest.raises((thresher.CertificateError, FormatError, ValueError)):
        case.estimator.from_json(json.dumps(document)).verify(X, y)


@every_estimator
def test_a_file_holds_the_chosen_model_alone(case):
    X, y = case.problem()
    model = case.model().fit(X, y)
    for output in json.loads(model.to_json())["model"]["outputs"]:
        assert len(output["points"]) == 1


@every_case
def test_models_with_several_outputs_come_back(case):
    X, signal = case.source.make(60, 5, 0)
    if case.is_classifier:
        y = np.array(["low", "middle", "top"])[np.digitize(signal, np.quantile(signal, [0.3, 0.7]))]
    else:
        y = pd.DataFrame({"first": signal, "second": -signal})
    model = case.model().fit(X, y)
    for again in (case.estimator.from_json(model.to_json()), pickle.loads(pickle.dumps(model))):
        check_same(case, model, again, X)


@cases_that(lambda case: case.is_classifier)
def test_labels_of_any_type_come_back(case):
    X, y = case.problem()
    for labels in (y == "yes", np.where(y == "yes", 7, -2), np.where(y == "yes", "a b", "c")):
        model = case.model().fit(X, labels)
        again = case.estimator.from_json(model.to_json())
        assert again.classes_.tolist() == model.classes_.tolist()
        assert again.classes_.dtype.kind == model.classes_.dtype.kind
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


WRONG = {
    "alpha": [-1.0, "nonsense", [], ["a"], [-1.0], True],
    "bins": [
        "nonsense",
        -1,
        [[1.0]] * 99,
        {"nonsense": [1.0]},
        {"pairs": [["nonsense", [1.0]]]},
        {"pairs": []},
        {"pairs": [1]},
    ],
    "bounds": ["nonsense", [1, 2], {"nonsense": [-1, 1]}],
    "categorical_features": ["nonsense", ["nonsense"], 1.5],
    "class_weight": ["nonsense", 3],
    "cv": ["nonsense", 1, -1, 0.5],
    "exclude": ["nonsense", ["nonsense"], 1.5],
    "lambda0": [-1.0, "nonsense", [], [-1.0]],
    "lambda2": [-1.0, [-1.0], ["a"]],
    "max_edges": [-1, "nonsense", 1.5],
    "max_length": [-1, "nonsense", 1.5],
    "max_rules": [-1, "nonsense", 1.5],
    "monotonic_cst": ["nonsense", [7], {"nonsense": 1}, {"pairs": [["nonsense", 1]]}],
    "one_standard_error": ["nonsense", 3],
    "pos_label": ["nonsense", 12345],
    "ridge": [-1.0, [-1.0]],
    "special_codes": ["nonsense", {"nonsense": 1}],
    "tol": [-1.0, "nonsense"],
}


@every_estimator
def test_parameters_of_a_file_are_those_that_a_fit_takes(case):
    content = json.loads(case.fitted()[0].to_json())
    for name in set(WRONG) & set(content["params"]):
        for value in WRONG[name]:
            edited = json.dumps({**content, "params": {**content["params"], name: value}})
            with pytest.raises(FormatError, match=rf"parameter {name}\b"):
                thresher.load_model(edited)
