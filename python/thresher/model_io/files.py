"""Atomic writing of text files, and safe parsing of JSON."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from .. import _native
from ..data.streams import open_output

_MAX_MESSAGE_CHARS = 400  # as in the core: what a hostile file puts into a message stays short
_BYTES_OF_VALUE = 64  # of an empty list or a short text; a number has 24
_SPARE_BYTES = 8 << 20  # half of the 16 MiB that reading may take beside a multiple of the file
_WIDE = re.compile(rb"(?:[\xc4-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})+")
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
    if len(message) > 2 * _MAX_MESSAGE_CHARS:  # without copies of a long text
        message = message[:_MAX_MESSAGE_CHARS] + message[-_MAX_MESSAGE_CHARS:]
    line = " ".join(message.split())
    if len(line) > _MAX_MESSAGE_CHARS:
        line = f"{line[: _MAX_MESSAGE_CHARS // 2]} ... {line[-_MAX_MESSAGE_CHARS // 2 :]}"
    return _native.FormatError(f"not a valid thresher model: {line}")


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
    except FileNotFoundError:
        name = str(source) if str(source).isprintable() else repr(str(source))
        raise FileNotFoundError(f"there is no file {name}") from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{source} is a folder; give the file of a model") from None
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
        # One character beyond Latin-1 doubles the memory of the whole text, another kind quadruples it.
        return (content if content.isascii() else _WIDE.sub(_escaped, content)).decode()
    except UnicodeError as error:
        raise bad_model(f"{source} is no UTF-8 text ({error})") from None


def _escaped(found: re.Match[bytes]) -> bytes:
    """Return characters as JSON escapes; what is no UTF-8 stays as it is."""
    try:
        return json.dumps(found[0].decode())[1:-1].encode()
    except UnicodeError:
        return found[0]


def _bytes_of_texts(text: str) -> int:
    """Return the memory of the texts with escapes as they are read, and of the longest in a message."""
    total = largest = 0
    at = text.find("\\u")
    while at >= 0:
        end = text.find('"', at)
        part = text[text.rfind('"', 0, at) + 1 : end if end >= 0 else len(text)]
        n_bytes = (len(part) - 5 * part.count("\\u")) * (4 if "\\ud" in part.lower() else 2)
        total, largest = total + n_bytes, max(largest, n_bytes)
        at = text.find("\\u", end) if end >= 0 else -1
    return total + 2 * largest


def parse(text: str) -> dict[str, Any]:
    """Parse the JSON of a saved estimator from an untrusted source.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    dict
        The object; its entry ``model`` is the text of the document.

    Raises
    ------
    FormatError
        If it is not a JSON object: truncated, edited, with a key twice, with NaN or infinities, or
        nested too deeply.
    """
    try:
        others, model = _native.split_model(text)
        n_values = sum(map(others.count, ",[{"))
        need = n_values * _BYTES_OF_VALUE + _bytes_of_texts(text)
        if need > 3 * len(text) + _SPARE_BYTES:
            raise bad_model(
                f"its texts and {n_values:,} parameters and labels take {need:,} bytes, far more than its "
                f"{len(text):,} characters"
            )
        envelope: dict[str, Any] = json.loads(
            others, parse_constant=_number, parse_float=_number, parse_int=_whole
        )
        if "\\u" in others:
            for part in json.JSONEncoder(ensure_ascii=False).iterencode(envelope):
                part.encode()  # one text at a time: all at once would be as wide as the widest
    except _native.FormatError:
        raise
    except RecursionError:
        raise bad_model("it is nested too deeply") from None
    except UnicodeEncodeError as error:
        raise bad_model(f"it holds half of a pair of surrogates, which is no text ({error.reason})") from None
    except ValueError as error:
        raise bad_model(f"{error}; the file may be truncated or edited") from None
    return envelope if model is None else {**envelope, "model": model}


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise bad_model(f"it holds {text[:20]}, which is not a finite number")
    return number


def _whole(text: str) -> int:
    _number(text)
    return int(text)
