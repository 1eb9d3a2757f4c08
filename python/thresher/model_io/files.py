"""Atomic writing of text files, and safe parsing of JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from .. import _native
from ..data.streams import open_output

_MAX_MESSAGE_CHARS = 400  # as in the core: what a hostile file puts into a message stays short
_BYTES_OF_VALUE = 64  # of an empty list or a short text; a number has 24
_SPARE_BYTES = 8 << 20  # half of the 16 MiB that reading may take beside a multiple of the file
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
        raise FileNotFoundError(f"there is no file {source}") from None
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
        return content.decode()
    except UnicodeError as error:
        raise bad_model(f"{source} is no UTF-8 text ({error})") from None


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
        if n_values * _BYTES_OF_VALUE > 3 * len(text) + _SPARE_BYTES:
            raise bad_model(f"its parameters and labels have {n_values:,} values in {len(text):,} characters")
        envelope: dict[str, Any] = json.loads(
            others, parse_constant=_number, parse_float=_number, parse_int=_whole
        )
        json.dumps(envelope, ensure_ascii=False).encode()
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
