"""Fingerprints of data and parameters, equal in every process for equal ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .content import digest_of

_WITHOUT_EFFECT = ("n_jobs", "verbose", "time_limit")  # a model that the time cut short is not kept


def of_parameters(params: Mapping[str, Any]) -> str:
    """Return the fingerprint of parameters, except those that change no result.

    Parameters
    ----------
    params : mapping
        The parameters by their names.

    Returns
    -------
    str
        40 hexadecimal digits.

    Raises
    ------
    TypeError
        If a parameter is a generator or the like.

    Examples
    --------
    >>> of_parameters({"alpha": 0.1, "n_jobs": 2}) == of_parameters({"alpha": 0.1, "n_jobs": None})
    True
    """
    return _hash({name: value for name, value in params.items() if name not in _WITHOUT_EFFECT}, "parameters")


def of_data(data: Any) -> str:
    """Return the fingerprint of a table, records, targets or weights.

    Parameters
    ----------
    data : object
        The data.

    Returns
    -------
    str
        40 hexadecimal digits.

    Raises
    ------
    TypeError
        If they can be read only once.

    Examples
    --------
    >>> of_data([frozenset("ab"), frozenset("c")]) == of_data([frozenset("ba"), frozenset("c")])
    True
    """
    _refuse_iterators(data)
    return _hash(data, "data")


def _hash(value: Any, noun: str) -> str:
    try:
        return digest_of(value).hex()
    except Exception as error:
        raise TypeError(
            f"checkpoint: the {noun} have no fingerprint ({error}); give what can be pickled, not a generator"
        ) from error


def _refuse_iterators(data: Any) -> None:
    """Raise an error for data that can be read once, also for records that can."""
    entries = data if isinstance(data, (list, tuple)) else ()
    if isinstance(data, Iterator) or any(isinstance(entry, Iterator) for entry in entries):
        raise TypeError("checkpoint: data that a generator gives have no fingerprint; give a list")
