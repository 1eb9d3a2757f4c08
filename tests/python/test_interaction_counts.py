"""How many interactions a factorization machine has, and how many it was asked for."""

import contextlib
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from thresher import FactorizationMachineRegressor as Regressor

X = np.random.default_rng(0).normal(size=(60, 12))


@pytest.mark.parametrize("count", [1, 2])
def test_a_small_number_of_interactions_is_met_exactly(count):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 30))
    y = 2 * rows[:, 1] * rows[:, 2] - 1.5 * rows[:, 5] * rows[:, 9] + 0.3 * rng.normal(size=600)
    assert Regressor(n_interactions=count).fit(rows, y).n_interactions_ == count


@pytest.mark.parametrize(
    ("params", "most"), [({}, "12 columns have 66 pairs"), ({"order": 3}, "12 columns have 286 sets")]
)
def test_more_interactions_than_there_are_is_an_error(params, most):
    with pytest.raises(ValueError, match=f"n_interactions: got 500, but {most}.*; give at most as many"):
        Regressor(n_interactions=500, **params).fit(X, X[:, 0])


def test_pairs_of_levels_of_one_column_are_none():
    table = pd.DataFrame({"a": list("uvw") * 20, "b": list("pqpqq") * 12, "c": np.arange(60.0)})
    with pytest.raises(ValueError, match="3 columns have 11 pairs of their levels"):
        Regressor(n_interactions=12).fit(table, table.c)


def test_what_rounding_leaves_of_factors_is_no_interaction():
    """Where no levels interact the penalty shrinks all entries to 1e-11 and less, but not to 0."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame({"u": rng.integers(0, 50, 1000), "i": rng.integers(0, 80, 1000)}).astype(str)
        model = Regressor(alpha=1e-3).fit(table, rng.integers(1, 6, 1000))
        sizes = model.interactions_.to_frame()["coef"].abs()
        assert (sizes > 1e-9).all()


def test_a_time_limit_is_the_only_reason_for_another_number():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 60))
    y = rows[:, 0] * rows[:, 1] + rng.normal(size=20_000)
    for limit in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0):  # the first that is enough to read the rows
        model = Regressor(n_interactions=10, random_state=0, time_limit=limit)
        with contextlib.suppress(TimeoutError), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(rows, y)
            break
    [said] = [str(each.message) for each in caught]
    assert re.fullmatch(r"time_limit: .* interactions instead of 10: give more time, or a number .*", said)
    assert "the fit was ended by time_limit after" in str(model.summary())
