"""Errors of memory in terms of the whole limit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from .budget import Budget

_NEED = re.compile(r"memory_limit: (\d+) bytes (do not hold .* take )about (\d+)")  # an error of the core


@contextmanager
def naming_held_memory(budget: Budget) -> Iterator[None]:
    """State an error of the core, which sees the rest of the limit, in terms of the whole limit.

    Parameters
    ----------
    budget : Budget
        The limits of the fit.

    Yields
    ------
    None
        While the core runs.

    Raises
    ------
    MemoryError
        If the core raises it.
    """
    try:
        yield
    except MemoryError as error:
        if budget.memory_limit is None:
            raise
        if not budget.held:
            raise MemoryError(f"{error}{budget.source}") from None
        found = _NEED.search(str(error))
        if found is None:
            held = (
                f"memory_limit: {budget.memory_limit:.0f} bytes, of which the data as read take {budget.held}"
            )
            raise MemoryError(f"{error} ({held}){budget.source}") from None
        need = f"about {int(found[3]) + budget.held}, {budget.held} of them for the data as read"
        raise MemoryError(
            f"memory_limit: {budget.memory_limit:.0f} bytes {found[2]}{need}"
            f"{str(error)[found.end() :]}{budget.source}"
        ) from None
