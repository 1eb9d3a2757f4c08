"""Makes `tests/oracle` importable as `oracle` from every test; what holds for all tests."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

sys.path.insert(0, str(Path(__file__).parent))

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell starts what runs in its background with interrupts ignored; tests send some.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_make_parametrize_id(val, argname):
    """Name a test by its parameters' values in words: pytest's own names of objects are numbers."""
    if isinstance(val, dict):
        return ",".join(f"{name}={value!r}" for name, value in val.items())[:60]
    if isinstance(val, type):
        return val.__name__
    if isinstance(val, BaseEstimator):
        return "-".join([type(val).__name__, *filter(None, [getattr(val, "loss", None)])])
    if isinstance(val, range):
        return f"{argname} {val.start} to {val[-1]}"
    if isinstance(val, (tuple, list)) and val and all(isinstance(part, str) for part in val):
        return " ".join(val)[:60]
    if val is None or isinstance(val, (bool, int, float, tuple, list)):
        return f"{argname}={val!r}"[:60]
    text = getattr(val, "text", val)
    return text[:60] if isinstance(text, str) else None


@pytest.fixture(autouse=True)
def _close_figures():
    """No figure outlives its test."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
