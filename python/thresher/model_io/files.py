"""Atomic writing of text files, and safe parsing of JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import _native
from ..data.streams import open_output

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
    """Write a file as :func:`~thresher.data.streams.open_output` does: a failure leaves no partial file.

    Parameters
    ----------
    path : str or Path
        The file.
    text : str
        Its content.
    """
    content = text.encode()
    with open_output(path) as file:
        file.write(content)


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
        content = Path(source).read_bytes()
    except ValueError as error:  # a null or a surrogate in it, which no file's name has
        raise bad_model(f"{str(source)[:60]!r} is neither a model nor the name of a file ({error})") from None
    return decoded(content, source)


def decoded(content: bytes, source: str | Path) -> str:
    """Decode the content of a model file.

    Parameters
    ----------
    content : bytes
        The content.
    source : str or Path
        The file's name, for the message.

    Returns
    -------
    str
        The text.

    Raises
    ------
    FormatError
        If it is not text.
    """
    try:
        return content.decode()
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
