"""The collection of garbage while a model is put together.

The document of a model has a hundred thousand objects and none to collect, but their number makes Python
look for garbage among all objects of the process: a tenth of a second with pandas and scikit-learn in memory,
whenever the number of objects has grown by a quarter.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Create objects without a search for garbage.

    Yields
    ------
    None
        While nothing is collected; references that end free their objects as ever.

    Examples
    --------
    >>> with uncollected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
