"""Reading a model: summaries, certificates, paths, explanations that add up, prices and ties."""

import numpy as np
import pytest

from .members import cases_that, every_case

certified = cases_that(lambda case: hasattr(case.estimator, "verify"))


@certified
def test_the_certificate_is_complete_and_consistent(case):
    model, _, _ = case.fitted()
    certificate = model.certificate_
    assert certificate.complete
    if case.takes("tol"):
        assert certificate.relative_gap <= (1 if case.is_best_subset else case.model().tol)
        assert isinstance(certificate.n_candidates, int)
        assert certificate.nodes >= 0
    assert certificate.relative_gap >= 0
    assert certificate.gap == pytest.approx(certificate.primal - certificate.dual, abs=1e-12)
    assert certificate.seconds >= 0
    assert str(certificate)


@certified
def test_the_certificate_is_verified(case):
    model, X, y = case.fitted()
    fresh = model.verify(X, y)
    assert fresh.complete
    assert fresh.primal == pytest.approx(model.certificate_.primal, rel=1e-9)


@every_case
def test_the_summary_says_what_the_model_adds_up(case):
    model, _, y = case.fitted()
    summary = model.summary()
    assert str(summary)
    assert "<table" in summary._repr_html_()
    assert "|" in summary.to_markdown()
    assert "tabular" in summary.to_latex()
    frame = summary.to_frame()
    assert len(frame) >= len(summary.rows)
    for row in summary.rows:
        assert row.support is None or 0 <= row.support <= 1
        assert row.n_rows is None or 0 <= row.n_rows <= len(y)


@certified
def test_the_summary_ends_with_the_certificate(case):
    model, _, _ = case.fitted()
    assert str(model.certificate_) in str(model.summary())


@every_case
def test_explanations_add_up_to_the_decision(case):
    model, X, _ = case.fitted()
    rows = case.source.take(X, np.arange(4))
    decision = model.decision_function(rows) if case.is_classifier else model.predict(rows)
    for explanation, wanted, answer in zip(model.explain(rows), decision, model.predict(rows), strict=True):
        assert explanation.decision == wanted
        total = explanation.intercept + sum(part.value for part in explanation.contributions)
        assert total == pytest.approx(wanted, rel=1e-12, abs=1e-12)
        assert explanation.prediction == answer
        assert str(explanation)
        assert explanation._repr_html_()
    [alone] = model.explain(case.source.take(X, np.array([2])))
    assert alone.decision == decision[2]


@every_case
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
        for number, (output, intercept) in enumerate(explanation.intercepts):
            parts = [part.value for part in explanation.contributions if part.output == output]
            assert intercept + sum(parts) == pytest.approx(wanted[number], rel=1e-12, abs=1e-12)


@cases_that(lambda case: hasattr(case.estimator, "near_ties") and not case.is_best_subset)
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
    with pytest.raises(ValueError, match="training data are not available"):
        loaded.near_ties()


@cases_that(lambda case: hasattr(case.estimator, "fit_path"))
def test_a_path_holds_models_that_answer(case):
    X, y = case.problem()
    path = case.model().fit_path(X, y).path_
    assert len(path) >= 1
    assert repr(path)
