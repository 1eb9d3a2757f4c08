"""Bins of a score: atoms, rare scores, both directions."""

import numpy as np
import pandas as pd
import pytest

import thresher as t
from thresher.results.ranking import equal_weight_cuts


def table(n_high, n):
    return pd.DataFrame({"x": np.repeat([1.0, 0.0], [n_high, n - n_high])})


@pytest.mark.parametrize("pos_label", ["ill", "well"])
def test_a_model_of_two_scores_has_two_bins_whichever_is_rare(pos_label):
    old, new = table(960, 1000), table(800, 1000)
    y = np.where(old["x"] + (np.arange(1000) % 10 == 0) == 1, "ill", "well")
    model = t.RuleClassifier(alpha=1e-4, linear=False, pos_label=pos_label).fit(old, y)
    by_hand = (0.80 - 0.96) * np.log(0.80 / 0.96) + (0.20 - 0.04) * np.log(0.20 / 0.04)
    found = model.monitor(old, new)
    assert found.psi == pytest.approx(by_hand, rel=1e-9)
    assert len(found.bins.columns()["bin"]) == 2


@pytest.mark.parametrize("seed", range(200))
def test_scores_negated_have_the_same_index(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=rng.integers(1, 40))
    old, new = rng.choice(values, 60), rng.choice(np.append(values, rng.normal(size=5)), 40)
    weights = rng.integers(0, 3, 60).astype(float) if seed % 2 else None
    n_bins = int(rng.integers(2, 12))
    cuts, mirrored = (equal_weight_cuts(sign * old, weights, n_bins, halfway=True) for sign in (1.0, -1.0))
    for rows in (old, new):
        codes = np.searchsorted(cuts, rows), np.searchsorted(mirrored, -rows)
        assert codes[0].tolist() == (len(cuts) - codes[1]).tolist()
    counted = np.unique(old if weights is None else old[weights > 0]).size
    assert len(cuts) == counted - 1 if counted <= n_bins else 0 < len(cuts) < n_bins


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_rare_score_at_either_end_is_a_bin_of_its_own(sign):
    score = sign * np.concatenate([np.full(2, -1.0), np.zeros(50), np.arange(1.0, 49.0)])
    cuts = equal_weight_cuts(score, None, 10, halfway=True)
    assert (sign * -0.5) in cuts
    assert (sign * 0.5) in cuts


@pytest.mark.parametrize("high_score", ["low_risk", "high_risk"])
def test_bands_of_few_scores_are_these_scores(high_score):
    rows = table(960, 1000)
    y = np.where(rows["x"] + (np.arange(1000) % 10 == 0) == 1, "bad", "good")
    card = (
        t.L0AdditiveClassifier(lambda0=0.01, pos_label="bad").fit(rows, y).scaled_card(high_score=high_score)
    )
    assert sorted(card.bands(rows).columns()["count"]) == [40, 960]
