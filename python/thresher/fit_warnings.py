"""Warnings of fits, which a batch gathers from its threads and processes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Caught = list[tuple[str, type[Warning]]]
"""Messages and categories of warnings."""

_INNER = ("thresher", "sklearn", "joblib")
_caught: ContextVar[Caught | None] = ContextVar("caught", default=None)


@contextmanager
def gathered() -> Iterator[Caught]:
    """Gather what :func:`warn` says in this thread.

    Yields
    ------
    list of (str, type)
        Messages and categories.

    Examples
    --------
    >>> with gathered() as found:
    ...     warn("too few rows", UserWarning)
    >>> found
    [('too few rows', <class 'UserWarning'>)]
    """
    found: Caught = []
    token = _caught.set(found)
    try:
        yield found
    finally:
        _caught.reset(token)


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's code, or leave the warning to the batch that gathers those of its fits.

    Parameters
    ----------
    message : str
        The message.
    category : type
        The class of the warning.
    """
    found = _caught.get()
    if found is None:
        warnings.warn(message, category, stacklevel=_level_of_user())
    else:
        found.append((message, category))


def _level_of_user() -> int:
    """Count the calls from :func:`warn` to the code that called this package, maybe by scikit-learn."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in _INNER:
        level, frame = level + 1, frame.f_back
    return level
