"""Makes `tests/oracle` importable as `oracle` from every test; what holds for all tests."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell starts what runs in its background with interrupts ignored; tests send some.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _close_figures():
    """No figure outlives its test."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
