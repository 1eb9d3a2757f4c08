"""Warnings of fits, which a batch gathers from its threads and processes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Caught = list[tuple[str, type[Warning]]]
"""Messages and categories of warnings."""

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
    ...     warn("too few rows", UserWarning, stacklevel=2)
    >>> found
    [('too few rows', <class 'UserWarning'>)]
    """
    found: Caught = []
    token = _caught.set(found)
    try:
        yield found
    finally:
        _caught.reset(token)


def warn(message: str, category: type[Warning], stacklevel: int) -> None:
    """Warn, or leave the warning to the batch that gathers those of its fits.

    Parameters
    ----------
    message : str
        The message.
    category : type
        The class of the warning.
    stacklevel : int
        As in ``warnings.warn``.
    """
    found = _caught.get()
    if found is None:
        warnings.warn(message, category, stacklevel=stacklevel + 1)
    else:
        found.append((message, category))
