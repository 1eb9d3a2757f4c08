"""Translation of the library's messages to rows of files and to options."""

from __future__ import annotations

import argparse
import re
import shlex
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.category_orders import ADVICE_ON_ORDERED_CLASSES, ADVICE_ON_ORDERS
from ..formatting.quoting import replace_unquoted
from .options import flag_of

_UNSEEN = "a category that training did not see"
_WORDS: dict[str, str | Callable[[re.Match[str]], str]] = {
    r"model\.set_params\(handle_unknown='missing'\)": "--handle-unknown missing",
    r"; if the fit had sample_weight, give it too": "",  # `without_options` says it
    r"convert the column, for example with pandas\.to_datetime": "write times as 2026-03-01T09:30:00, or as "
    "numbers",
    r", as with exclude=\['(?P<column>[^']*)'\]": lambda found: f" (--drop {shlex.quote(found['column'])})",
    r", as with exclude=\[[^\]]*\]": " (--drop)",
    r"look at the table with thresher\.examine": "look at the table with thresher doctor",
    r", in pandas with \.astype\(\"string\"\)": "",
    r"; if they are quantities, categorical_features=None says so": "",
    r"^sample_weight_(?P<rows>new|reference)(?P<next> is|:)": r"the weight of \g<rows> rows\g<next>",
    r"^sample_weight is": "the weight is",
    r"(?<![\w'])sample_weight(?![\w'])": "--weights",
    r"; a text is a sequence of letters: for events that are words give lists of them": "",
    r"^X_(?P<rows>new|reference) has no rows": r"the file of \g<rows> rows has no rows",
    r"on_invalid='skip'": "--on-invalid skip",
    r"charges=True": "--charges",
    r"to_json with thresher\.load_model, or fit a model of tables to transform\(X\).*": "thresher predict",
    r"\bto_(?P<format>python|javascript)\b": r"--to \g<format>",
    r"\bor None\b": "or none",
    r", or None with max_nonzero$": "",
    r"give 'cv', (?P<number>a number [^,]*), (or )?a list of .*": r"give 'cv' or \g<number>",
    r", (or )?a list of them(?=$|, or)": "",
    r"^bins (?=\('(uniform|intervals)')": "--bins ",
    r"\('(?P<kind>uniform|intervals)', (?P<size>[\w.]+)\)": lambda found: (
        f"{found['kind']}:{found['size'].upper()}"
    ),
    r"a dict of column: cut points, one array .*for all between two values": "COLUMN=CUT,CUT, or midpoints "
    "(between all neighbouring values)",
    r"^codes(?=: )": "--codes",
    r"^models: ": "",
    re.escape(ADVICE_ON_ORDERS): "for thresholds such as q <= 2 write their codes as numbers into the file",
    re.escape(ADVICE_ON_ORDERED_CLASSES): "to use the order, write the numbers of the levels into the file "
    "(--task regression), or fit two classes for each cut between them",
    r"Numbers are for a regressor": "Numbers are for --task regression",
    r"by NaN \(missing\)": "by an empty cell (missing)",
    r"Give \(name, None\) for missing values": 'The key of missing values is "missing"',
    r"^(?P<message>y holds the class(?!.* of training but for |.*; --target names).*)": (
        r"\g<message>; --target names the column of the target"
    ),
}
"""Words of the package outside quotes, and what the command line has instead."""


@contextmanager
def in_file(rows: NDArray[np.intp], *, of_fit: bool = False) -> Iterator[None]:
    """Translate messages of the library to rows of the file and to options.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,)
        The row in the file, counted from 0, of each row of the data.
    of_fit : bool, default=False
        Whether the command is ``fit``, which can leave columns out.

    Yields
    ------
    None
        The context of a ``with`` statement, which translates warnings, and errors of value and type, of
        time limits and of certificates. A warning is shown once, and one of new categories once a column
        and category: the first one counts all rows.
    """
    try:
        with warnings.catch_warnings():
            show, shown = warnings.showwarning, set[str]()

            def show_once(message: Warning | str, *where: Any) -> None:
                text = reworded(str(message), rows, of_fit=of_fit)
                subject = text.partition(" in data row ")[0] if _UNSEEN in text else text
                if subject not in shown:
                    shown.add(subject)
                    show(text, *where)

            warnings.showwarning = show_once  # type: ignore[assignment]
            yield
    except (ValueError, TypeError, TimeoutError, _native.CertificateError) as error:
        raise type(error)(reworded(str(error), rows, of_fit=of_fit)) from error


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


def reworded(message: str, rows: NDArray[np.intp], *, of_fit: bool = False) -> str:
    """Count rows from 1 below the header; replace parameters by options.

    Parameters
    ----------
    message : str
        A message of the library.
    rows : ndarray of shape (n_rows,)
        The row in the file, counted from 0, of each row of the data.
    of_fit : bool, default=False
        Whether the command is ``fit``. The model of any other one needs its columns.

    Returns
    -------
    str
        The message of the command line.
    """

    def row(found: re.Match[str]) -> str:
        place = int(found["place"])
        return f"data row {rows[place] + 1}" if place < rows.size else found[0]

    message = re.sub(
        rf"^(?!models: )(\w+(?=: (?:got |'))|(?:{_names()})(?=: ))", lambda f: flag_of(f[1]), message
    )
    # A data row is counted by the file already.
    message = replace_unquoted(r"(?<!data )\brow (?P<place>\d+)\b", row, message)
    for words, instead in _WORDS.items():
        message = _replaced(words, instead, message)
    message = replace_unquoted(r"\brecord (?P<place>\d+)\b", row, message)
    message = _with_flags(message)
    if of_fit:
        return _replaced(r"(?P<advice>[Ll]eave it out)(?! \(--)", r"\g<advice> (--drop)", message)
    return _replaced(r",? or leave it out$", "", message)


def _replaced(pattern: str, instead: str | Callable[[re.Match[str]], str], message: str) -> str:
    """Replace a pattern outside quotes by a text, with its groups by name, or by what a function returns."""
    if isinstance(instead, str):
        return replace_unquoted(pattern, lambda found: found.expand(instead), message)
    return replace_unquoted(pattern, instead, message)


@cache
def _names() -> str:
    """Return a pattern of the names of parameters."""
    from .models import parameter_names

    return "|".join(sorted(parameter_names(), key=len, reverse=True))


def _with_flags(message: str) -> str:
    """Replace parameters with underscores, and those that are given a value, by options."""
    known = _names()
    value = r"(?:\[[^\]]*\]|'[^']*'|-?[\w.]*\w)"
    given = rf"(?<![\w.'-])(?P<name>{known})=(?P<value>{value})"
    message = _replaced(given, lambda found: _option(found["name"], found["value"]), message)
    with_underscores = "|".join(name for name in known.split("|") if "_" in name)
    alone = rf"(?<![\w.'-])(?P<name>{with_underscores})(?![\w'(])"
    return _replaced(alone, lambda found: flag_of(found["name"]), message)


def _option(name: str, value: str) -> str:
    """Write a parameter with a value as an option."""
    flag = flag_of(name)
    if flag == "--penalty" and value == "None":  # the default is another one
        return f"{flag} none"
    if value in ("False", "None") and not flag.startswith("--no-"):
        return f"no {flag}"
    if value in ("True", "False", "None"):
        return flag
    if value.startswith("["):
        words = re.findall(r"'[^']*'|[\w.]+", value)
        return " ".join([flag, *(shlex.quote(word.strip("'")) for word in words)])
    return f"{flag} {value.strip(chr(39))}"
