"""Atomic writing of text files, and safe parsing of JSON."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from .. import _native

_NO_OBJECT = ("", "null", "true", "false")  # JSON that is not an object, rather than file names


def bad_model(message: str) -> _native.FormatError:
    """Create the error for an invalid model file.

    Parameters
    ----------
    message : str
        The reason.

    Returns
    -------
    FormatError
        The error to raise.
    """
    return _native.FormatError(f"not a valid thresher model: {message}")


def write(path: str | Path, text: str) -> None:
    """Write a file atomically: a failure leaves no partial file.

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
    """Return a model's text.

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
        If the file is not text.
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
    """Parse JSON from an untrusted source.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    dict
        The object.

    Raises
    ------
    FormatError
        If it is not a JSON object: truncated, edited, with NaN or infinities, or nested too deeply.
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
