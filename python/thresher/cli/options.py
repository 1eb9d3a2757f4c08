"""Early checks of options, and translation of the library's messages to options."""

from __future__ import annotations

import argparse
import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.streams import open_input, target_of
from ..model_io.files import decoded

FLAGS: Mapping[str, str] = {
    "n_bins": "--bins",
    "linear": "--no-linear",
    "class_weight": "--balanced",
    "random_state": "--seed",
    "categorical_features": "--categorical",
}
"""Options with another name than the estimators' parameters."""


_WRITE_TIMES = "write times as 2026-03-01T09:30:00, or as numbers"


def flag_of(parameter: str) -> str:
    """Return the option of a parameter.

    Parameters
    ----------
    parameter : str
        The parameter's name.

    Returns
    -------
    str
        The option.

    Examples
    --------
    >>> flag_of("max_features"), flag_of("random_state")
    ('--max-features', '--seed')
    """
    return FLAGS.get(parameter, "--" + parameter.replace("_", "-"))


def number(text: str) -> float:
    """Parse an option that is a number.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ArgumentTypeError
        If it is none.

    Examples
    --------
    >>> number("0.5")
    0.5
    """
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text!r}; give a number") from None


def whole_number(text: str) -> int:
    """Parse an option that is a whole number.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    int
        The number.

    Raises
    ------
    ArgumentTypeError
        If it is none.

    Examples
    --------
    >>> whole_number("12")
    12
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text!r}; give a whole number") from None


def check_output(arguments: argparse.Namespace, suffixes: tuple[str, ...] = ()) -> None:
    """Check in advance that the file of ``--output``, if any, can be written.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments; every other path among them is a file that the command reads.
    suffixes : tuple of str, default=()
        The allowed suffixes; empty: any.

    Raises
    ------
    ValueError
        If it has another suffix, or is one of the files that are read.
    OSError
        If the folder does not exist or cannot be written to, or the path is a folder.
    """
    path: Path | None = arguments.output
    if path is None:
        return
    if suffixes and path.suffix and path.suffix.lower() not in suffixes:
        raise ValueError(
            f"--output: cannot write {path.suffix!r} files; end the name on {', '.join(suffixes)}"
        )
    target = target_of(path)
    folder = target.parent if target is not None and path.is_symlink() else path.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"--output: there is no folder {folder}; make it first")
    if path.is_dir():
        raise IsADirectoryError(f"--output: {path} is a folder; give the name of a file")
    if target is None:
        return
    if any(target.exists() and other.exists() and target.samefile(other) for other in _files_read(arguments)):
        raise ValueError(f"--output: {path} is read and would be lost; give another name")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"--output: nothing can be written to {folder}; give another folder")


def read_json_object(path: Path, content: str) -> dict[str, Any]:
    """Read a JSON object that an option names.

    Parameters
    ----------
    path : Path
        The file; ``-`` is standard input.
    content : str
        What the object holds, for messages.

    Returns
    -------
    dict
        The object.

    Raises
    ------
    ValueError
        If it is not JSON, or no object.
    OSError
        If it cannot be read.
    """
    with open_input(path) as file:
        text = decoded(file.read(), str(path))
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path}: give a JSON object of {content}")
    return found


def _files_read(arguments: argparse.Namespace) -> Iterator[Path]:
    """Return the paths among the arguments, but that of the output."""
    for name, value in vars(arguments).items():
        if name != "output":
            yield from (
                each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Path)
            )


@contextmanager
def in_file(rows: NDArray[np.intp]) -> Iterator[None]:
    """Translate messages of the library to rows of the file and to options.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,)
        The row in the file, counted from 0, of each row of the data.

    Yields
    ------
    None
        The context of a ``with`` statement, which translates warnings, and errors of value and type and of
        certificates.
    """
    try:
        with warnings.catch_warnings():
            show = warnings.showwarning
            warnings.showwarning = lambda message, *where: show(reworded(str(message), rows), *where)
            yield
    except (ValueError, TypeError, _native.CertificateError) as error:
        raise type(error)(reworded(str(error), rows)) from error


def without_options(message: str, arguments: argparse.Namespace, kind: str) -> str:
    """Name the options whose absence may be why a certificate is refused.

    Parameters
    ----------
    message : str
        The message.
    arguments : Namespace
        The parsed arguments of ``verify``.
    kind : str
        The model.

    Returns
    -------
    str
        The message with the options that are not given, which the fit may have had.
    """
    names = ["weights", *(["time", "session_gap", "same_time"] if kind == "sequences" else [])]
    absent = [flag_of(name) for name in names if getattr(arguments, name) is None]
    return f"{message}; if the fit had {' or '.join(absent)}, give that too" if absent else message


def reworded(message: str, rows: NDArray[np.intp]) -> str:
    """Count rows from 1 below the header; replace parameters by options.

    Parameters
    ----------
    message : str
        A message of the library.
    rows : ndarray of shape (n_rows,)
        The row in the file, counted from 0, of each row of the data.

    Returns
    -------
    str
        The message of the command line.
    """

    def row(found: re.Match[str]) -> str:
        place = int(found[1])
        return f"data row {rows[place] + 1}" if place < rows.size else found[0]

    message = re.sub(r"^(\w+)(?=: (?:got |'))", lambda found: flag_of(found[1]), message)
    message = re.sub(r"\brow (\d+)\b", row, message)
    message = message.replace("model.set_params(handle_unknown='missing')", "--handle-unknown missing")
    message = message.replace("; if the fit had sample_weight, give it too", "")  # `without_options` says it
    message = re.sub(r"^sample_weight_(new|reference) is", r"the weight of \1 rows is", message)
    message = message.replace("convert the column, for example with pandas.to_datetime", _WRITE_TIMES)
    if message.startswith("y holds the class"):
        message += "; --target names the column of the target"
    message = message.replace("on_invalid='skip'", "--on-invalid skip").replace("charges=True", "--charges")
    message = re.sub(r"\brecord (\d+)\b", row, message)
    return message.replace("leave it out", "leave it out (--drop)")
