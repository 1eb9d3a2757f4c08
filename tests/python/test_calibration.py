"""The interval of the AUC, and the calibration slope and intercept."""

import itertools

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from thresher.results.auc_interval import auc_interval
from thresher.results.line_fit import fit_line, margin_loss
from thresher.results.recalibration import recalibration


def drawn(seed, n=120):
    """Events, scores with ties, and weights that count rows."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n).round(1)
    return rng.random(n) < expit(score), score, rng.integers(1, 4, n).astype(float)


def test_the_interval_of_the_auc_is_delongs():
    is_event, score, _ = drawn(0)
    yes, no = score[is_event], score[~is_event]
    wins = (yes[:, None] > no) + 0.5 * (yes[:, None] == no)
    auc = wins.mean()
    assert auc == pytest.approx(roc_auc_score(is_event, score))
    variance = wins.mean(1).var(ddof=1) / yes.size + wins.mean(0).var(ddof=1) / no.size
    half = 1.959963984540054 * np.sqrt(variance) / (auc * (1 - auc))
    assert auc_interval(is_event, score) == pytest.approx(tuple(expit(logit(auc) + np.array([-half, half]))))


def test_weights_that_count_rows_are_repeated_rows():
    is_event, score, counts = drawn(1)
    times = counts.astype(int)
    again = is_event.repeat(times), score.repeat(times)
    assert auc_interval(is_event, score, counts) == pytest.approx(auc_interval(*again))
    chance = expit(score)
    line = recalibration(is_event, chance, counts)
    assert line == pytest.approx(recalibration(again[0], expit(again[1])))
    assert line == pytest.approx(recalibration(is_event, chance, counts * 1e-300))


def test_few_rows_and_separated_rows_have_no_interval():
    for is_event in ([True, False, False], [True, True], [False] * 4, [False, False, True, True]):
        rows = np.array(is_event)
        assert auc_interval(rows, np.arange(float(rows.size))) is None


def test_a_large_variance_beside_the_auc_gives_every_auc():
    is_event = np.arange(400) >= 200
    score, weights = is_event * 1.0, np.ones(400)
    score[0], weights[0] = 2.0, 1e-6
    low, high = auc_interval(is_event, score, weights)
    assert (low, high) == pytest.approx((0.0, 1.0))


def test_intervals_cover_the_auc():
    found = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        is_event = rng.random(80) < 0.3
        low, high = auc_interval(is_event, rng.normal(size=80) + 1.5 * is_event)
        found.append(low <= 0.8555 <= high)  # Phi(1.5 / sqrt(2))
    assert 0.92 <= np.mean(found) <= 0.98


@pytest.mark.parametrize("seed", range(4))
def test_slope_and_intercept_are_those_of_a_logistic_regression(seed):
    is_event, score, weights = drawn(seed, 400)
    chance = expit(3 * score - 1)  # too extreme, and too low
    fitted = LogisticRegression(C=np.inf, tol=1e-10).fit(logit(chance)[:, None], is_event, weights)
    intercept, slope = recalibration(is_event, chance, weights)
    assert (intercept, slope) == pytest.approx((fitted.intercept_[0], fitted.coef_[0, 0]), abs=1e-4)
    assert slope < 0.6


def test_there_is_no_slope_where_the_likelihood_has_no_maximum():
    events = np.array([False, False, True, True])
    for chance in ([0.1, 0.2, 0.8, 0.9], [0.9, 0.8, 0.2, 0.1], [0.1, 0.5, 0.5, 0.9], [0.5] * 4):
        assert recalibration(events, np.array(chance)) is None
    assert recalibration(np.array([True, True]), np.array([0.2, 0.8])) is None


def test_probabilities_of_0_and_1_give_numbers():
    for places in itertools.combinations(range(5), 2):
        is_event = np.isin(np.arange(5), places)
        line = recalibration(is_event, np.array([0.0, 0.3, 0.5, 0.7, 1.0]))
        assert line is None or np.isfinite(line).all()


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_lines_of_least_loss_have_no_slope_left(loss):
    rng = np.random.default_rng(0)
    for _ in range(300):
        values = rng.choice(60, rng.integers(2, 12), replace=False) * 10.0 ** rng.uniform(-2, 3)
        positive, negative = 10.0 ** rng.uniform(-8, 0, (2, values.size))
        for first in (None, (0.5, -1 / np.ptp(values))):
            constant, slope = fit_line(loss, values, positive, negative, first)
            f = constant + slope * values
            up, down = positive * margin_loss(loss, f)[1], negative * margin_loss(loss, -f)[1]
            assert up.sum() == pytest.approx(down.sum(), rel=1e-5)
            if first is None:
                assert (up - down) @ values == pytest.approx(0, abs=-1e-5 * up.sum() * np.ptp(values))
            else:
                assert slope == pytest.approx(first[1])
