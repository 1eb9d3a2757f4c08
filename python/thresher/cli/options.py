"""Parsing and early checks of options; what every command says of its inputs and outputs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from ..data.streams import is_standard_output, open_input, target_of
from ..data.table_files import is_parquet_name
from ..model_io.files import decoded

FLAGS: Mapping[str, str] = {
    "n_bins": "--bins",
    "linear": "--no-linear",
    "class_weight": "--balanced",
    "random_state": "--seed",
    "categorical_features": "--categorical",
}
"""Options with another name than the estimators' parameters."""


class UsageError(ValueError):
    """A wrong command line: the program ends with the status 2."""


def note(text: str) -> None:
    """Print a note on standard error.

    Parameters
    ----------
    text : str
        What it says.
    """
    print(f"note: {text}", file=sys.stderr)


def say_written(path: Path | None, stream: TextIO | None = None) -> None:
    """Say where the output is, unless that is standard output.

    Parameters
    ----------
    path : Path or None
        The file of ``--output``.
    stream : text file, optional
        Where to say it; by default standard output.
    """
    if path is not None and not is_standard_output(path):
        print(f"written to {path}", file=stream)


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


def writes_parquet(arguments: argparse.Namespace) -> bool:
    """Return whether the file of ``--output`` is Parquet.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments of any command.

    Returns
    -------
    bool
        False without such an option, too.
    """
    output = getattr(arguments, "output", None)
    return output is not None and is_parquet_name(output)


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
