"""Text files that are whole or absent, and JSON that may be hostile."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from .. import _native

_NO_OBJECT = ("", "null", "true", "false")  # texts that were meant as JSON, not as names of files


def bad_model(message: str) -> _native.FormatError:
    """Make the error for a file that is no model.

    Parameters
    ----------
    message : str
        What is wrong with it.

    Returns
    -------
    FormatError
        To be raised.
    """
    return _native.FormatError(f"not a valid thresher model: {message}")


def write(path: str | Path, text: str) -> None:
    """Write a file in one step: it is there whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file.
    text : str
        Its content.
    """
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink()
        raise


def read_source(source: str | Path) -> str:
    """Get a model's text.

    Parameters
    ----------
    source : str or Path
        The text itself (it begins with a brace or a bracket), or the path of a file.

    Returns
    -------
    str
        The text.

    Raises
    ------
    FormatError
        If the file is no text.
    OSError
        If the file cannot be read.
    """
    if isinstance(source, str) and (source.strip() in _NO_OBJECT or source.lstrip().startswith(("{", "["))):
        return source
    try:
        return Path(source).read_text(encoding="utf-8")
    except UnicodeError as error:
        raise bad_model(f"{source} is no UTF-8 text ({error})") from None


def parse(text: str) -> dict[str, Any]:
    """Read JSON that nobody vouches for.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    dict
        What it says.

    Raises
    ------
    FormatError
        If it is no JSON object: truncated, edited, with NaN or infinities, or nested too deeply.
    """

    def refuse(name: str) -> Any:
        raise bad_model(f"it holds {name}")

    try:
        envelope = json.loads(text, parse_constant=refuse)
    except _native.FormatError:
        raise
    except RecursionError:
        raise bad_model("it is nested too deeply") from None
    except ValueError as error:
        raise bad_model(f"{error}; the file may be truncated or edited") from None
    if not isinstance(envelope, dict):
        raise bad_model("expected a JSON object")
    return envelope
