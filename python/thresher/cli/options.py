"""What the command line was given, checked early, and the library's messages in its words."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FLAGS: Mapping[str, str] = {
    "linear": "--no-linear",
    "class_weight": "--balanced",
    "random_state": "--seed",
    "categorical_features": "--categorical",
}
"""Options that are not called as the estimators' parameters are."""


def flag_of(parameter: str) -> str:
    """Name the option of a parameter.

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


def or_number(*words: str, read: Callable[[str], Any] = float) -> Callable[[str], Any]:
    """Make the reader of an option that is a word or a number.

    Parameters
    ----------
    *words : str
        The words.
    read : callable, default=float
        Reads the number.

    Returns
    -------
    callable
        For ``type=``; refuses other texts by saying what is allowed.

    Examples
    --------
    >>> or_number("cv")("0.5"), or_number("cv")("cv")
    (0.5, 'cv')
    """

    def option(text: str) -> Any:
        if text in words:
            return text
        try:
            return read(text)
        except ValueError:
            kind = "a whole number" if read is int else "a number"
            raise argparse.ArgumentTypeError(f"got {text!r}; give {', '.join(words)} or {kind}") from None

    return option


def check_output(path: Path | None, read: Sequence[Path], suffixes: tuple[str, ...] = ()) -> None:
    """Refuse a file that cannot be written, before the work is done.

    Parameters
    ----------
    path : Path or None
        The file; None for none.
    read : sequence of Path
        The files that the command reads.
    suffixes : tuple of str, default=()
        What its name may end on; empty: on anything.

    Raises
    ------
    ValueError
        If its name ends on something else, or it is one of the files that are read.
    OSError
        If there is no such folder, or a folder has its name.
    """
    if path is None:
        return
    if suffixes and path.suffix and path.suffix.lower() not in suffixes:
        raise ValueError(
            f"--output: cannot write {path.suffix!r} files; end the name on {', '.join(suffixes)}"
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(f"--output: there is no folder {path.parent}; make it first")
    if any(path.resolve() == other.resolve() for other in read):
        raise ValueError(f"--output: {path} is read and would be lost; give another name")
    if path.is_dir():
        raise IsADirectoryError(f"--output: {path} is a folder; give the name of a file")


@contextmanager
def in_file(rows: NDArray[np.intp]) -> Iterator[None]:
    """Put messages of the library into the words of a file and of the options.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,)
        The file's row, counted from 0, of each row that the library was given.

    Yields
    ------
    None
        For a ``with`` statement; errors of value and type leave it reworded.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        raise type(error)(_reworded(str(error), rows)) from error


def _reworded(message: str, rows: NDArray[np.intp]) -> str:
    """Count rows as the file does, from 1 below the header; name options, not parameters."""

    def row(found: re.Match[str]) -> str:
        place = int(found[1])
        return f"data row {rows[place] + 1}" if place < rows.size else found[0]

    message = re.sub(r"^(\w+)(?=: got )", lambda found: flag_of(found[1]), message)
    message = re.sub(r"\brow (\d+)\b", row, message)
    return message.replace("leave it out", "leave it out (--drop)")
