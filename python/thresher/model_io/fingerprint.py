"""Fingerprints of data and parameters, equal in every process for equal ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import joblib

_WITHOUT_EFFECT = ("n_jobs", "verbose")


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
    return _hash(_plain(data), "data")


def _hash(value: Any, noun: str) -> str:
    try:
        return str(joblib.hash(value, hash_name="sha1"))
    except Exception as error:
        raise TypeError(
            f"checkpoint: the {noun} have no fingerprint ({error}); give what can be pickled, not a generator"
        ) from error


def _plain(data: Any) -> Any:
    """Return records without what reading them leaves behind, and sets in no order."""
    if isinstance(data, Iterator):
        raise TypeError("checkpoint: data that a generator gives have no fingerprint; give a list")
    if isinstance(data, (list, tuple)):
        return [_plain(entry) for entry in data] if any(map(_is_record, data)) else data
    if isinstance(data, frozenset):
        return set(data)
    if hasattr(data, "ToBinary"):  # a molecule of rdkit, which caches what it computes
        return data.ToBinary()
    if hasattr(data, "nodes") and hasattr(data, "edges"):  # a graph of networkx, which caches views
        directed = getattr(data, "is_directed", bool)()
        return directed, list(data.nodes(data=True)), list(data.edges(data=True))
    return data


def _is_record(entry: Any) -> bool:
    return not isinstance(entry, (int, float, str, bytes)) and entry is not None
