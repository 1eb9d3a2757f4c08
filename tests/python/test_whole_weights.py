"""The warning of whole-number weights that count as many more rows than there are."""

import warnings

import numpy as np
import pandas as pd
import pytest

from thresher import ItemsetRegressor, L0AdditiveRegressor, RuleClassifier, RuleRegressor

from .command_line import done

RNG = np.random.default_rng(0)
N = 300
TABLE = pd.DataFrame({"age": RNG.integers(18, 80, N), "region": [f"r{k}" for k in RNG.integers(0, 22, N)]})
Y = 0.1 * (TABLE.age < 25) + 0.1 * RNG.normal(size=N)
DAYS = RNG.integers(1, 366, N)
COUNT = f"300 rows as {DAYS.sum():,}. If they are exposures or survey weights, divide them by their mean"


def warned_of_counts(fit):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        fit()
    return [str(own.message) for own in found if "whole numbers" in str(own.message)]


def test_a_card_that_tests_categories_warns_once_of_days_and_not_of_days_divided_by_their_mean():
    model = L0AdditiveRegressor(bins=20)
    [text] = warned_of_counts(lambda: model.fit(TABLE, Y, sample_weight=DAYS))
    assert text.startswith("sample_weight: whole numbers count as that many equal rows in tests of columns")
    assert text.endswith(COUNT)
    for weights in (DAYS / DAYS.mean(), RNG.integers(1, 4, N), np.full(N, 20)):
        assert warned_of_counts(lambda w=weights: model.fit(TABLE, Y, sample_weight=w)) == []
    assert warned_of_counts(lambda: model.fit(TABLE[["age"]], Y, sample_weight=DAYS)) == []


def test_rows_of_weight_0_are_not_counted():
    weights = np.where(np.arange(N) < 20, 11, 0)
    weights[0] = 12
    [text] = warned_of_counts(
        lambda: RuleRegressor(alpha="bic").fit(TABLE[["age"]], Y, sample_weight=weights)
    )
    assert "20 rows as 221" in text


@pytest.mark.parametrize("alpha", ["bic", "ebic"])
def test_rules_chosen_by_a_criterion_that_counts_rows_warn_and_others_do_not(alpha):
    X = TABLE[["age"]]
    [text] = warned_of_counts(lambda: RuleRegressor(alpha=alpha).fit(X, Y, sample_weight=DAYS))
    assert f"in alpha='{alpha}', {COUNT}" in text
    assert warned_of_counts(lambda: RuleRegressor(alpha=0.01).fit(X, Y, sample_weight=DAYS)) == []


def test_weights_of_classes_are_no_sample_weights():
    model = RuleClassifier(alpha="bic", class_weight={True: 1000})
    assert warned_of_counts(lambda: model.fit(TABLE[["age"]], Y > 0)) == []


def test_the_table_of_patterns_and_monitoring_warn():
    records = [["a", "b"] if odd else ["b"] for odd in np.arange(N) % 2]
    model = ItemsetRegressor(alpha=0.01).fit(records, Y)
    [text] = warned_of_counts(lambda: model.pattern_table(records, Y, DAYS))
    assert "in the intervals, 300 records as" in text
    card = L0AdditiveRegressor(lambda0=0.1).fit(TABLE[["age"]], Y)
    [text] = warned_of_counts(lambda: card.monitor(TABLE, TABLE, sample_weight_new=DAYS))
    assert text == f"sample_weight_new: whole numbers count as that many equal rows in psi_by_chance, {COUNT}"


@pytest.mark.filterwarnings("always")
def test_the_command_line_names_its_options(tmp_path, capsys):
    path, model = tmp_path / "policies.csv", tmp_path / "model.json"
    TABLE.assign(days=DAYS, y=Y).to_csv(path, index=False)
    line = f"fit {path} --target y --weights days --model additive -o {model}"
    assert done(capsys, line)[1].count("--weights: whole numbers count as that many equal rows") == 1
    err = done(capsys, f"monitor {model} {path} {path}")[1]
    assert "the weight of new rows: whole numbers count as" in err
    assert "the weight of reference rows: whole numbers count as" in err
