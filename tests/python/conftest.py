"""Models that several files use."""

import pytest

from thresher import RuleRegressor

from .data import FRAME, Y


@pytest.fixture(scope="session")
def model():
    """Rules for the box and the line of `data.FRAME`; files that need another model define their own."""
    return RuleRegressor(alpha=0.02, max_features=2).fit(FRAME, Y)
