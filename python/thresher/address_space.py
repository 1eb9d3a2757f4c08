"""The memory that a process with a limited address space (`ulimit -v`) can still allocate."""

from __future__ import annotations

from pathlib import Path

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_STATM = Path("/proc/self/statm")
_STACK_BYTES = 16 << 20  # of a thread of the core
_HEAP_BYTES = 64 << 20  # addresses that the C library reserves for the small blocks of each thread
_SPARE_BYTES = 16 << 20  # a fit takes at most a fifth and this more than its limit


def is_limited() -> bool:
    """Return whether the process has a limit to its address space that can be looked up.

    Returns
    -------
    bool
        False where the system does not tell how much is in use.

    Examples
    --------
    >>> is_limited() in (True, False)
    True
    """
    return resource is not None and _limit() != resource.RLIM_INFINITY and _STATM.exists()


def memory_for_a_fit(n_threads: int) -> float | None:
    """Return the memory limit by which a fit stays within the address space of the process.

    Beyond it an allocation of compiled code fails, which ends the process.

    Parameters
    ----------
    n_threads : int
        The threads of the fit.

    Returns
    -------
    float or None
        Bytes; None where the address space has no limit.

    Examples
    --------
    >>> memory_for_a_fit(1) is None or memory_for_a_fit(1) >= 0
    True
    """
    if not is_limited():
        return None
    left = max(_limit() - int(_STATM.read_text().split()[0]) * resource.getpagesize(), 0)
    heaps = min((n_threads + 1) * _HEAP_BYTES, left / 2)
    stacks = (n_threads + 1) * _STACK_BYTES
    # An eighth is left for fits of a few rows, whose allocations are small.
    return max((left - heaps - stacks - _SPARE_BYTES) / 1.2, left / 8)


def _limit() -> int:
    return resource.getrlimit(resource.RLIMIT_AS)[0]
