"""Reading a model: certificates, paths, explanations that add up, prices and ties."""

import numpy as np
import pytest

from .members import cases_that

certified = cases_that(lambda case: hasattr(case.estimator, "verify"))
explained = cases_that(lambda case: hasattr(case.estimator, "explain"))


@certified
def test_the_certificate_is_complete_and_true(case):
    model, X, y = case.fitted()
    certificate = model.certificate_
    assert certificate.complete
    assert 0 <= certificate.relative_gap <= case.model().tol
    assert certificate.gap == pytest.approx(certificate.primal - certificate.dual, abs=1e-12)
    assert isinstance(certificate.n_candidates, int)
    assert certificate.nodes >= 0
    assert certificate.seconds >= 0
    assert str(certificate)
    fresh = model.verify(X, y)
    assert fresh.complete
    assert fresh.primal == pytest.approx(certificate.primal, rel=1e-9)


@explained
def test_explanations_add_up_to_the_decision(case):
    model, X, _ = case.fitted()
    rows = case.source.take(X, np.arange(4))
    decision = model.decision_function(rows) if case.is_classifier else model.predict(rows)
    for explanation, wanted, answer in zip(model.explain(rows), decision, model.predict(rows), strict=True):
        [(_, start)] = explanation.starts
        assert start + sum(part.value for part in explanation.contributions) == pytest.approx(wanted)
        assert explanation.prediction == answer
        assert str(explanation)
        assert explanation._repr_html_()


@explained
def test_explanations_of_several_outputs_add_up(case):
    X, signal = case.source.make(60, 5, 0)
    if case.is_classifier:
        y = np.digitize(signal, np.quantile(signal, [0.3, 0.7]))
    else:
        y = np.column_stack([signal, -signal])
    model = case.model().fit(X, y)
    rows = case.source.take(X, np.arange(3))
    decision = model.decision_function(rows) if case.is_classifier else model.predict(rows)
    for explanation, wanted in zip(model.explain(rows), decision, strict=True):
        for output, (label, start) in enumerate(explanation.starts):
            parts = [part.value for part in explanation.contributions if part.output == label]
            assert start + sum(parts) == pytest.approx(wanted[output])


@cases_that(lambda case: hasattr(case.estimator, "near_ties"))
def test_ties_are_in_order_and_priced(case):
    model, _, _ = case.fitted()
    ratios = [tie.ratio for tie in model.near_ties(0.5)]
    assert ratios == sorted(ratios, reverse=True)
    assert all(0.5 <= ratio <= 1.001 for ratio in ratios)
    with pytest.raises(ValueError, match="within: got 2"):
        model.near_ties(within=2)
    with pytest.raises(ValueError, match="limit: got 0"):
        model.near_ties(limit=0)
    loaded = case.estimator.from_json(model.to_json())
    with pytest.raises(ValueError, match="training data are not here"):
        loaded.near_ties()


@cases_that(lambda case: hasattr(case.estimator, "fit_path"))
def test_a_path_holds_models_that_answer(case):
    X, y = case.problem()
    model = case.model().fit_path(X, y)
    path = model.path_
    assert len(path) >= 1
    assert repr(path)
