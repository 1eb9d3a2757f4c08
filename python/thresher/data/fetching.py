"""Batches that another thread fetches, so that this one can look at limits and signals meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

_LOOK = 0.05
"""Seconds between two looks, as in the core."""


def fetched(batches: Iterable[Any], look: Callable[[], None]) -> Iterator[Any]:
    """Iterate over batches; Arrow and polars take seconds for a wide one, in which Python handles no signal.

    Parameters
    ----------
    batches : iterable
        The batches, fetched one by one in a thread. After an error of this one it ends with the batch that it
        is at.
    look : callable
        Called while a batch is awaited; it may raise an error.

    Yields
    ------
    object
        The batches.

    Examples
    --------
    >>> list(fetched([1, 2], lambda: None))
    [1, 2]
    """
    iterator, end = iter(batches), object()
    thread = ThreadPoolExecutor(1, "thresher-batches")
    try:
        while True:
            batch = thread.submit(next, iterator, end)
            while not wait([batch], _LOOK).done:
                look()
            if batch.result() is end:
                return
            yield batch.result()
            del batch
    finally:
        thread.shutdown(wait=False)
