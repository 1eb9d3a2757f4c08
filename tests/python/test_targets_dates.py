"""Targets that are dates or durations."""

import numpy as np
import pandas as pd
import pytest

import thresher


@pytest.mark.parametrize("dates", [pd.date_range("2026-01-01", periods=9), pd.timedelta_range(0, periods=9)])
@pytest.mark.parametrize("form", [pd.Series, np.asarray, list])
def test_dates_are_no_target_of_a_regression(dates, form):
    with pytest.raises(ValueError, match=r"y (holds dates|must hold numbers)"):
        thresher.RuleRegressor(alpha=0.1).fit(np.arange(9.0)[:, None], form(dates))
