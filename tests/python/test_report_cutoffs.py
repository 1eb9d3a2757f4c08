"""The cutoff that a reader of a report chooses."""

import numpy as np
import pytest

import thresher as t

from .pages import Page
from .test_scorecard import event_probability


@pytest.mark.parametrize("kind", ["probability", "low_risk", "high_risk", "decimals", "weighted"])
def test_cutoffs_by_loops(kind, tmp_path):
    """Counts and rates at every cutoff, as a reader of the page gets them."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 30, (300, 2)).astype(float)
    y = np.where(X[:, 0] + rng.normal(0, 8, 300) > 18, "bad", "good")
    weights = rng.integers(0, 4, 300).astype(float) if kind == "weighted" else np.ones(300)
    model = t.L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y)
    shown, value, is_high_safe = model, event_probability(model, X), False
    if kind in ("low_risk", "high_risk", "decimals"):
        is_high_safe = kind != "high_risk"
        shown = model.scaled_card(whole=kind != "decimals", high_score="low_risk" if is_high_safe else kind)
        value = shown.score(X)
    t.report(tmp_path / "page.html", shown, X, y, sample_weight=weights if kind == "weighted" else None)
    page = Page(tmp_path / "page.html")
    data = page.models[0]["cutoffs"]
    n = len(data["safe"][0])
    expression = "given.map((k) => Report.at_cutoff(page.models[0].cutoffs, k))"
    found = page.run(expression, tmp_path, list(range(n)))
    bad = y == "bad"
    for at in found:
        safe = value >= at["cutoff"] if is_high_safe else value <= at["cutoff"]
        wanted = [float(weights[part].sum()) for part in (safe & bad, safe & ~bad, ~safe & bad, ~safe & ~bad)]
        np.testing.assert_allclose(at["safe"] + at["risky"], wanted, rtol=1e-7, atol=1e-6)
        assert at["safe_share"] == pytest.approx((wanted[0] + wanted[1]) / weights.sum())
        assert at["tpr"] == pytest.approx(wanted[2] / weights[bad].sum())
        assert at["fpr"] == pytest.approx(wanted[3] / weights[~bad].sum())
    start = found[data["start"]]
    chosen = event_probability(shown, X) > 0.5
    assert start["risky"][0] == pytest.approx(weights[chosen & bad].sum())
    assert start["risky"][1] == pytest.approx(weights[chosen & ~bad].sum())


def test_cutoffs_need_two_classes_and_their_targets(tmp_path):
    X = np.arange(60.0)[:, None]
    three = t.RuleClassifier(alpha=0.05).fit(X, np.arange(60) % 3)
    two = t.RuleClassifier(alpha=0.05).fit(X, X[:, 0] > 30)
    for model, y in ((three, np.arange(60) % 3), (two, None)):
        model.report(tmp_path / "page.html", X, y)
        assert Page(tmp_path / "page.html").models[0]["cutoffs"] is None
    two.report(tmp_path / "page.html", X[:1], [False])
    page = Page(tmp_path / "page.html")
    (at,) = page.run("[Report.at_cutoff(page.models[0].cutoffs, 500)]", tmp_path)
    assert at["cutoff"] == 0.5
    assert at["tpr"] is None


@pytest.mark.parametrize("kind", ["model", "card"])
def test_cutoffs_of_groups_by_loops(kind, tmp_path):
    """Counts of each group at every cutoff; a group whose rows have no weight is left out."""
    rng = np.random.default_rng(6)
    X = rng.integers(0, 30, (300, 2)).astype(float)
    y = np.where(X[:, 0] + rng.normal(0, 8, 300) > 18, "bad", "good")
    branch = np.where(np.arange(300) < 10, "closed", rng.choice(["north", "south"], 300))
    weights = np.where(branch == "closed", 0.0, rng.integers(0, 4, 300))
    model = t.L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y)
    shown = model.scaled_card() if kind == "card" else model
    t.report(tmp_path / "page.html", shown, X, y, sample_weight=weights, group=branch)
    page = Page(tmp_path / "page.html")
    data = page.models[0]["cutoffs"]
    assert [group["label"] for group in data["groups"]] == ["north", "south"]
    cutoffs = "page.models[0].cutoffs"
    expression = f"given.map(([g, k]) => Report.at_cutoff({{ ...{cutoffs}, ...{cutoffs}.groups[g] }}, k))"
    asked = [[g, k] for g in (0, 1) for k in range(0, len(data["safe"][0]), 7)]
    value, bad = shown.score(X) if kind == "card" else event_probability(model, X), y == "bad"
    for (g, _), at in zip(asked, page.run(expression, tmp_path, asked), strict=True):
        own = branch == ["north", "south"][g]
        safe = (value >= at["cutoff"] if kind == "card" else value <= at["cutoff"]) & own
        parts = (safe & bad, safe & ~bad, ~safe & own & bad, ~safe & own & ~bad)
        wanted = [float(weights[part].sum()) for part in parts]
        np.testing.assert_allclose(at["safe"] + at["risky"], wanted, rtol=1e-7, atol=1e-6)
