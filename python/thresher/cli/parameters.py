"""Options of ``thresher fit``, generated from the declared parameters of the estimators."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, KeysView, Mapping
from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from ..validation import ParameterInfo, hint_of, list_parameters
from .options import flag_of

# Parameters with an option of another form (`--balanced`, `--drop`, `-v`, `--seed`), or none.
_ELSEWHERE = {
    "categorical_features", "class_weight", "verbose", "random_state", "sparse_output", "warm_start",
}  # fmt: skip

# Values that mean something else in each model, as parameters of words do.
_EXPLAINED_BY_MODEL = {"monotonic_cst", "ridge"}

_FORMS: Mapping[str, str | Callable[[re.Match[str]], str]] = {
    r'\("uniform", n\): n bins': "uniform:N: N bins",
    r'\("intervals", delta\): in gaps wider than delta': "intervals:DELTA: in gaps wider than DELTA",
    r"a dict: the cut points of the columns that it names; a list: those of each column [^;]*; None": (
        "COLUMN=CUT,CUT (once for each column): the cut points of that column; midpoints"
    ),
    r"Other columns of a dict or a list have": "Where columns are named, the others have",
    r"\('uniform', (\d+)\)": r"uniform:\1",
    r" A dict gives the codes of single columns, a list those of every numeric column\.": "",
    r"; a list: the best of these[^.;]*": "",
    r" A list: [^.]*\.": "",
    r"subgraph: for labels of nodes, of edges, or \(True\) both": (
        "subgraph, for labels of: nodes, edges, both, none"
    ),
    r", in bytes: 2e9 for two gigabytes": ": 500MB, 2GiB, or a number of bytes",
    r"; of several values the one of least held-out loss": "",
    r" or `bounds` on every coefficient\. A branch and bound needs these": ". A branch and bound needs that",
    r" \(True\), or the one given, such as 0\.001": "",
    r"`partial_fit` and `n_interactions` begin": "`n_interactions` begins",
    r"as `X` has columns": "as there are columns",
    r"It becomes ``pos_label_``; None: the last of ``classes_``": "Default: the last of the sorted classes",
    r"; its ``equivalents`` lists others[^.]*": "",
    r"records that are None or NaN": "records without a value",
    r"warns, and lists them in ``invalid_rows_``; predictions, [^.]* are NaN": (
        "and warns; predictions of them are empty"
    ),
    r"less ``centers_``, which is": "less their centers, which are",
    r"``certificate_``": "the certificate",
    r"\bNone\b": "none",
    r"`linear=False`": "--no-linear",
    r"(`+)(?P<name>[a-z]\w*)=\"?(?P<value>[\w.]+)\"?\1": lambda found: (
        f"{flag_of(found['name'])} {found['value']}"
    ),
    r"(?<!`)`(?P<name>[a-z]\w*)`(?!`)": lambda found: flag_of(found["name"]),
    r"``([^`]+)``": r"'\1'",
}
"""Forms of values in the texts of parameters, and what the command line has instead."""

_SIZE = re.compile(r"(.*?)\s*(?:([kmgt])(i?))?b?", re.IGNORECASE | re.DOTALL)
"""A number of bytes: digits, a prefix (of 1,000, or with ``i`` of 1,024), the unit."""


def declared(estimators: Iterable[type]) -> dict[str, ParameterInfo]:
    """Collect the parameters of several estimators by name.

    Parameters
    ----------
    estimators : iterable of type
        Estimator classes; those without declarations are skipped.

    Returns
    -------
    dict of str to ParameterInfo
        The parameters; a shared parameter allows the values of all its estimators.
    """
    found: dict[str, ParameterInfo] = {}
    for estimator in estimators:
        if not hasattr(estimator, "_parameters"):
            continue
        for info in list_parameters(estimator):
            known = found.get(info.name)
            allowed = info.allowed if known is None else (*known.allowed, *info.allowed)
            found[info.name] = info._replace(allowed=tuple(dict.fromkeys(map(_hashable, allowed))))
    return {name: info for name, info in found.items() if name not in _ELSEWHERE}


def _hashable(constraint: Any) -> Any:
    try:
        hash(constraint)
    except TypeError:
        return repr(constraint)
    return constraint


def add_parameter(
    option: Callable[..., Any], info: ParameterInfo, models: Mapping[str, ParameterInfo]
) -> None:
    """Add the option of one parameter to a parser.

    Parameters
    ----------
    option : callable
        ``add_argument`` of the parser or of a group.
    info : ParameterInfo
        The parameter.
    models : mapping of str to ParameterInfo
        The parameter of this name in each model that has it. Where it is one of several
        words (or None), the option accepts those of all models, and its help describes each.
    """
    flag = "--" + info.name.replace("_", "-")
    shown = _help(info)
    constraints = [constraint for other in models.values() for constraint in other.allowed]
    has_words = all(isinstance(constraint, StrOptions | None) for constraint in constraints)
    if has_words:
        none = (None,) if None in constraints else ()
        info = info._replace(allowed=(StrOptions(words_of(constraints)), *none))
    if has_words or info.name in _EXPLAINED_BY_MODEL:
        helps: dict[str, list[str]] = {}
        for name, other in models.items():
            helps.setdefault(_help(other), []).append(name)
        if len(helps) > 1:
            shown = " ".join(f"{', '.join(names)}: {text}" for text, names in helps.items())
    if info.name in _READERS:
        option(flag, help=shown, **_READERS[info.name])
    elif isinstance(info.default, bool):
        option(flag, help=shown, action=argparse.BooleanOptionalAction)
    elif object not in info.allowed:
        option(flag, help=shown, type=reader(info.allowed), metavar="VALUE")


def words_of(constraints: Iterable[Any]) -> KeysView[str]:
    """Collect the words that constraints allow.

    Parameters
    ----------
    constraints : iterable of constraint
        Constraints of scikit-learn.

    Returns
    -------
    keys of str
        The words, in their order.
    """
    return dict.fromkeys(word for c in constraints if isinstance(c, StrOptions) for word in c.options).keys()


def _help(info: ParameterInfo) -> str:
    text = f"{' '.join(info.text.split())} {_default(info)}".strip()
    for form, instead in _FORMS.items():
        text = re.sub(form, instead, text)
    return text.replace("%", "%%")


def _default(info: ParameterInfo) -> str:
    """Return the default of an option as it is typed; options of columns or labels have no word for none."""
    if info.default is None and info.name in ("exclude", "monotonic_cst", "pos_label", "special_codes"):
        return ""
    words = {True: "yes", False: "none" if info.name == "wildcards" else "no"}
    return f"(default: {words[info.default] if isinstance(info.default, bool) else info.default})"


def reader(allowed: tuple[Any, ...]) -> Callable[[str], Any]:
    """Create the parser of an option from the constraints of its parameter.

    Parameters
    ----------
    allowed : tuple of constraint
        Constraints of scikit-learn.

    Returns
    -------
    callable
        A function for ``type=``; its errors list what is allowed.

    Examples
    --------
    >>> read = reader((StrOptions({"cv"}), Interval(Integral, 1, None, closed="left"), None))
    >>> read("cv"), read("3"), read("none")
    ('cv', 3, None)
    """
    texts = words_of(allowed)
    kinds = {constraint.type for constraint in allowed if isinstance(constraint, Interval)}
    is_whole = kinds == {Integral} or (not kinds and Integral in allowed)

    def read(text: str) -> Any:
        if text in texts:
            return text
        if None in allowed and text.lower() == "none":
            return None
        try:
            return _number(text, is_whole)
        except ValueError:
            hint = hint_of(tuple(c for c in allowed if not isinstance(c, str)))
            hint = re.sub(r"\bNone$", "none", hint)
            raise argparse.ArgumentTypeError(f"got {text!r}; give {hint}") from None

    return read


def _number(text: str, is_whole: bool) -> float:
    try:
        return int(text)
    except ValueError:
        if is_whole:
            raise
        return float(text)


def _bins(text: str) -> Any:
    """Parse `bins`: ``uniform:5`` is ("uniform", 5), "midpoints" is None, ``age=18,40`` a pair for a dict."""
    name, _, cuts = text.rpartition("=")
    if name:
        return _column_with_numbers(text, name, cuts, "give COLUMN=CUT or COLUMN=CUT,CUT")
    kind, _, size = text.partition(":")
    try:
        if size and kind in ("uniform", "intervals"):
            return kind, _number(size, is_whole=kind == "uniform")
        if text in ("auto", "supervised"):
            return text
        return None if text == "midpoints" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"got {text!r}; give a number of quantile bins, uniform:N, intervals:DELTA, midpoints or "
            "COLUMN=CUT,CUT; of rules also auto or supervised"
        ) from None


def _bytes(text: str) -> float | None:
    """Parse ``100MB``, ``2GiB``, a number of bytes, or ``none``."""
    if text.lower() == "none":
        return None
    found = _SIZE.fullmatch(text.strip())
    digits, prefix, is_binary = found.groups() if found else (text, None, None)
    try:
        size = _number(digits, is_whole=False)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"got {text!r}; give bytes, such as 500000000, 500MB or 2GiB, or none"
        ) from None
    base = 1024.0 if is_binary else 1000.0
    return size * base ** " kmgt".index((prefix or " ").lower())


def _direction(text: str) -> tuple[str, int | str]:
    """Parse ``age=1`` or ``age=peak``: a column and its direction, or its trend in additive models."""
    name, _, sign = text.rpartition("=")
    words = ("auto", "peak", "valley", "convex", "concave")
    if name and sign in words:
        return name, sign
    if not name or sign not in ("1", "-1", "0"):
        listed = [f"COLUMN={word}" for word in words]
        raise argparse.ArgumentTypeError(
            f"got {text!r}; give COLUMN=1 or COLUMN=-1, of additive models also {', '.join(listed[:-1])} or "
            f"{listed[-1]}"
        )
    return name, int(sign)


def _codes(text: str) -> tuple[str, list[float]]:
    """Parse ``income=-9999,998``: a column and its special codes."""
    name, _, codes = text.rpartition("=")
    return _column_with_numbers(text, name, codes, "give COLUMN=CODE or COLUMN=CODE,CODE")


def _column_with_numbers(text: str, name: str, numbers: str, hint: str) -> tuple[str, list[float]]:
    try:
        if name and numbers:
            return name, [float(number) for number in numbers.split(",")]
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"got {text!r}; {hint}")


def _wildcards(text: str) -> bool | str:
    """Parse the parameter `wildcards`: ``both`` is True, ``none`` is False."""
    known: dict[str, bool | str] = {"nodes": "nodes", "edges": "edges", "both": True, "none": False}
    if text not in known:
        raise argparse.ArgumentTypeError(f"got {text!r}; give nodes, edges, both or none")
    return known[text]


class _Pairs(argparse.Action):
    """Collects pairs in a dict; the lists of a column are joined, and other values are given once."""

    def __call__(self, _parser: Any, namespace: argparse.Namespace, values: Any, _option: Any = None) -> None:
        found = dict(getattr(namespace, self.dest, None) or {})
        for name, value in values:
            before = found.get(name, value)
            if isinstance(value, list):
                found[name] = list(dict.fromkeys([*before, *value]))
            elif before != value:
                raise argparse.ArgumentError(self, f"column {name!r} has both {before} and {value}; give one")
            found.setdefault(name, value)
        setattr(namespace, self.dest, found)


class _Bins(argparse.Action):
    """Sets the parameter `bins`, whose pairs of a column and its cut points are collected in a dict."""

    def __call__(self, _parser: Any, namespace: argparse.Namespace, values: Any, _option: Any = None) -> None:
        before = getattr(namespace, self.dest, None)
        is_pair = isinstance(values, tuple) and isinstance(values[1], list)
        if hasattr(namespace, self.dest) and isinstance(before, dict) != is_pair:
            raise argparse.ArgumentError(self, "give either the cut points of columns, or one value for all")
        if is_pair and isinstance(before, dict) and values[0] in before:
            raise argparse.ArgumentError(
                self, f"column {values[0]!r} is given twice; list all its cut points"
            )
        found = {**(before if isinstance(before, dict) else {}), values[0]: values[1]} if is_pair else values
        setattr(namespace, self.dest, found)


_READERS: Mapping[str, Mapping[str, Any]] = {
    "bins": {"type": _bins, "action": _Bins, "metavar": "VALUE"},
    "cv": {"type": int, "metavar": "FOLDS"},
    "exclude": {"nargs": "+", "action": "extend", "metavar": "COLUMN"},
    "memory_limit": {"type": _bytes, "metavar": "BYTES"},
    "monotonic_cst": {"type": _direction, "nargs": "+", "action": _Pairs, "metavar": "COLUMN=TREND"},
    "pos_label": {"metavar": "LABEL"},
    "special_codes": {"type": _codes, "nargs": "+", "action": _Pairs, "metavar": "COLUMN=CODE"},
    "wildcards": {"type": _wildcards, "metavar": "PART"},
}
"""Parsers of the options whose parameter accepts any object."""
