"""The envelope of a saved model: entries, parameters, and validation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

from numpy.typing import NDArray

from .files import bad_model

FORMAT = "thresher.estimator"
VERSION = 1
_KEYS = {
    "format",
    "version",
    "library",
    "estimator",
    "params",
    "named",
    "is_1d",
    "targets",
    "model",
}
_OPTIONAL_KEYS = {
    "records",
    "invalid_rows",
    "left_out",
    "n_bins",
    "n_rows",
    "weighted",
    "cut_labels",  # of earlier files, not used: shorter texts of cut points, which are now shown as they are
}
_MOST_ROWS = 1 << 63  # positions are in arrays of 64-bit integers
RECORD_OPTIONS = ("record", "event", "time", "session_gap", "same_time", "gap_marker", "smiles", "weights")
"""Options of the command line that say where records and their weights are; a model file may hold them."""


@cache
def library_version() -> str:
    """Return the installed version of the package.

    Returns
    -------
    str
        The version, ``0+unknown`` where the package is not installed.
    """
    try:
        return version("thresher")
    except PackageNotFoundError:
        return "0+unknown"


SKIPPED = object()


def jsonable(value: Any) -> Any:
    """Convert a parameter to JSON, or return `SKIPPED`.

    Parameters
    ----------
    value : object
        A parameter's value.

    Returns
    -------
    object
        A JSON value, or `SKIPPED` if there is none. An array and a column of a frame become lists.

    Examples
    --------
    >>> jsonable((0, math.inf)), jsonable({"age": range(3)})
    ({'tuple': [0, {'number': 'inf'}]}, {'pairs': [['age', [0, 1, 2]]]})
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else {"number": repr(number)}
    if isinstance(value, Mapping):
        pairs = [[jsonable(key), jsonable(entry)] for key, entry in value.items()]
        return SKIPPED if any(SKIPPED in pair for pair in pairs) else {"pairs": pairs}
    if isinstance(value, (list, tuple, range)):
        entries = [jsonable(entry) for entry in value]
        if any(entry is SKIPPED for entry in entries):
            return SKIPPED
        return {"tuple": entries} if isinstance(value, tuple) else entries
    for method in ("tolist", "to_list"):  # of NumPy and pandas, of polars
        if hasattr(value, method):
            return jsonable(getattr(value, method)())
    return SKIPPED


def parameter(value: Any, name: str) -> Any:
    """Convert JSON to a parameter.

    Parameters
    ----------
    value : object
        From :func:`jsonable`.
    name : str
        The parameter's name, for messages.

    Returns
    -------
    object
        The parameter's value.

    Raises
    ------
    FormatError
        If it was not written by :func:`jsonable`.
    """
    if isinstance(value, list):
        return [parameter(entry, name) for entry in value]
    if not isinstance(value, dict):
        return value
    match list(value.items()):
        case [("pairs", list(pairs))]:
            return dict(_pair(pair, name) for pair in pairs)
        case [("tuple", list(entries))]:
            return tuple(parameter(entry, name) for entry in entries)
        case [("number", "inf" | "-inf" | "nan" as number)]:
            return float(number)
    raise bad_model(
        f"parameter {name}: an object has a list of 'pairs', a list 'tuple', or a 'number' that is not finite"
    )


def _pair(pair: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], (str, int, float, bool)):
        raise bad_model(f"parameter {name}: an entry of 'pairs' must be a list of a key and a value")
    return pair[0], parameter(pair[1], name)


def check_envelope(envelope: dict[str, Any], own: Set[str]) -> None:
    """Raise an error unless this is a complete envelope of this version.

    Parameters
    ----------
    envelope : dict
        The contents of a file.
    own : set of str
        Boolean entries that only models of its class have.

    Raises
    ------
    FormatError
        If something is missing, unknown or of another type.
    """
    if envelope.get("format") != FORMAT:
        raise bad_model(f"format is {envelope.get('format')!r}, expected {FORMAT!r}")
    if envelope.get("version") != VERSION:
        raise bad_model(f"version {envelope.get('version')!r}, expected {VERSION}")
    if odd := (set(envelope) - _OPTIONAL_KEYS) ^ (_KEYS | own):
        raise bad_model(f"missing or unknown entries: {', '.join(sorted(odd))}")
    if not isinstance(envelope["params"], dict) or not isinstance(envelope["model"], str):
        raise bad_model("'params' and 'model' must be objects")
    if not isinstance(envelope["library"], str):
        raise bad_model("'library' must be text")
    for name in ("is_1d", "named", *sorted(own)):
        if not isinstance(envelope[name], bool):
            raise bad_model(f"{name!r} must be true or false")


def record_options_of(envelope: Mapping[str, Any]) -> dict[str, str] | None:
    """Read where records are in files.

    Parameters
    ----------
    envelope : mapping
        A checked envelope.

    Returns
    -------
    dict of str to str or None
        Values of `RECORD_OPTIONS`; None where the file has none.

    Raises
    ------
    FormatError
        If an option is unknown or no text.
    """
    options = envelope.get("records")
    if options is None:
        return None
    if not isinstance(options, dict) or not options or not set(options) <= set(RECORD_OPTIONS):
        raise bad_model(f"'records' must be an object of {', '.join(RECORD_OPTIONS)}")
    if not all(isinstance(value, str) and value for value in options.values()):
        raise bad_model("the entries of 'records' must be text")
    return dict(options)


def invalid_rows_of(envelope: Mapping[str, Any]) -> tuple[int, ...]:
    """Read which records the fit left out.

    Parameters
    ----------
    envelope : mapping
        A checked envelope.

    Returns
    -------
    tuple of int
        Their positions, in increasing order; empty where the file has none.

    Raises
    ------
    FormatError
        If they are no such numbers.
    """
    rows = envelope.get("invalid_rows", [])
    if not isinstance(rows, list) or not all(type(row) is int and 0 <= row < _MOST_ROWS for row in rows):
        raise bad_model("'invalid_rows' must be a list of positions")
    if any(before >= after for before, after in pairwise(rows)):
        raise bad_model("'invalid_rows' must increase")
    return tuple(rows)


def training_rows_of(envelope: Mapping[str, Any]) -> tuple[int, bool | None]:
    """Read how many rows the fit had, and whether they had different weights.

    Parameters
    ----------
    envelope : mapping
        A checked envelope.

    Returns
    -------
    n_rows : int
        Their number; 0 where the file has none.
    is_weighted : bool or None
        Whether weights differed; None where the file does not say.

    Raises
    ------
    FormatError
        If they are of another type or range.
    """
    n_rows, is_weighted = envelope.get("n_rows", 0), envelope.get("weighted")
    if type(n_rows) is not int or not 0 <= n_rows < _MOST_ROWS:
        raise bad_model("'n_rows' must be a number of rows")
    if is_weighted is not None and type(is_weighted) is not bool:
        raise bad_model("'weighted' must be true or false")
    return n_rows, is_weighted


def targets_of(
    envelope: Mapping[str, Any], task: str, n_outputs: int, classes: NDArray[Any] | None
) -> tuple[list[str] | None, bool]:
    """Check classes and targets against the outputs.

    Parameters
    ----------
    envelope : mapping
        A checked envelope.
    task : str
        The task of the model.
    n_outputs : int
        The number of outputs.
    classes : ndarray or None
        The labels of a classifier.

    Returns
    -------
    targets : list of str or None
        Names of the targets, one for all classes.
    is_1d : bool
        Whether the target had one dimension.

    Raises
    ------
    FormatError
        If they do not match.
    """
    classification = task == "classification"
    if classification and (classes is None or len(classes) != max(2, n_outputs)):
        raise bad_model("its classes do not fit its outputs")
    targets = envelope["targets"]
    if targets is not None and (
        not isinstance(targets, list)
        or len(targets) != (1 if classification else n_outputs)
        or not all(isinstance(name, (str, int, float)) for name in targets)
    ):
        raise bad_model("'targets' must name each of its targets, or be null")
    return targets, bool(envelope["is_1d"]) and (classification or n_outputs == 1)
