"""Declarations of parameters: allowed values, description, and the message for an invalid value.

A declaration holds scikit-learn's constraints (``Interval``, ``StrOptions``, ...).
Checks, messages, docstrings and command-line options are generated from it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    Options,
    StrOptions,
    make_constraint,
)

_WIDTH = 88  # characters in a line of a docstring
LARGEST_WHOLE = 2**53
"""Whole numbers up to here are numbers of eight bytes, as in JSON, and so are their sums."""

Constraint = Any
"""A constraint of scikit-learn, a type, "boolean" or None."""


def integer(low: int, high: int | None = None) -> Interval:
    """Allow whole numbers.

    Parameters
    ----------
    low, high : int
        The least and the greatest, both included; without `high` there is no upper end.

    Returns
    -------
    Interval
        The constraint.
    """
    return Interval(Integral, low, high, closed="left" if high is None else "both")


def number(
    low: float, high: float | None = None, *, closed: Literal["left", "right", "both", "neither"] = "neither"
) -> Interval:
    """Allow finite numbers.

    Parameters
    ----------
    low, high : float
        The ends; without `high` there is no upper end.
    closed : {"left", "right", "both", "neither"}, default="neither"
        Which ends are included.

    Returns
    -------
    Interval
        The constraint.
    """
    return Interval(Real, low, high, closed=closed)


def words(*options: str) -> StrOptions:
    """Allow one of several strings.

    Parameters
    ----------
    *options : str
        The strings, in the order in which messages list them.

    Returns
    -------
    StrOptions
        The constraint.
    """
    return StrOptions(dict.fromkeys(options).keys())


@dataclass(frozen=True)
class Parameter:
    """The declaration of an estimator's parameter.

    Parameters
    ----------
    allowed : tuple of constraint
        Constraints of scikit-learn; a value must satisfy one of them.
    text : str
        The description, as in a docstring.
    kind : str, default=""
        The type, as in a docstring; generated from `allowed` by default.
    hint : str, default=""
        What to give, for messages; generated from `allowed` by default.
    """

    allowed: tuple[Constraint, ...]
    text: str
    kind: str = ""
    hint: str = ""

    def but(self, **changes: Any) -> Parameter:
        """Copy the declaration with some fields changed.

        Parameters
        ----------
        **changes : object
            New values of the fields.

        Returns
        -------
        Parameter
            The changed declaration.
        """
        return replace(self, **changes)

    def check(self, name: str, value: Any) -> None:
        """Raise an error if a value is not allowed.

        Parameters
        ----------
        name : str
            The parameter's name.
        value : object
            The value.

        Raises
        ------
        InvalidParameterError
            A ValueError and a TypeError; the message contains the value and what is allowed.
        """
        check(name, value, *self.allowed, hint=self.hint)


class ParameterInfo(NamedTuple):
    """A parameter of an estimator, an entry of :func:`list_parameters`.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        Its type, as in a docstring.
    default : object
        Its default.
    allowed : tuple of constraint
        Constraints of scikit-learn; a value must satisfy one of them.
    text : str
        Its description.
    """

    name: str
    kind: str
    default: Any
    allowed: tuple[Constraint, ...]
    text: str


def list_parameters(estimator: type) -> list[ParameterInfo]:
    """List the parameters of an estimator with their declarations.

    Parameters
    ----------
    estimator : type
        The class.

    Returns
    -------
    list of ParameterInfo
        In the order of the constructor.

    Examples
    --------
    >>> from thresher import RuleRegressor
    >>> info = list_parameters(RuleRegressor)[0]
    >>> info.name, info.kind, info.default
    ('alpha', '{"cv", "bic", "ebic"} or float', 'cv')
    """
    declared: Mapping[str, Parameter] = estimator._parameters  # type: ignore[attr-defined]
    return [
        ParameterInfo(name, entry.kind or kind_of(entry.allowed), argument.default, entry.allowed, entry.text)
        for name, argument in inspect.signature(estimator).parameters.items()
        for entry in (declared[name],)
    ]


def check(name: str, value: Any, *allowed: Constraint, hint: str = "") -> None:
    """Raise an error if a value satisfies none of the constraints.

    Parameters
    ----------
    name : str
        The parameter's name.
    value : object
        The value.
    *allowed : constraint
        Constraints of scikit-learn.
    hint : str, default=""
        What to give, for messages; generated from `allowed` by default.

    Raises
    ------
    InvalidParameterError
        A ValueError and a TypeError; the message contains the value and what is allowed.

    Examples
    --------
    >>> check("limit", 0, integer(1), None)
    Traceback (most recent call last):
        ...
    sklearn.utils._param_validation.InvalidParameterError: limit: got 0; give a whole number >= 1, or None
    """
    if not any(_satisfies(value, constraint) for constraint in allowed):
        whole = (own for own in allowed if getattr(own, "type", None) is Integral)
        is_too_large = any(_is_too_large(value, own) for own in whole)
        limit = f"; whole numbers are at most {LARGEST_WHOLE}" * is_too_large
        raise InvalidParameterError(f"{name}: got {value!r}; give {hint or hint_of(allowed)}{limit}")


def numbers(name: str, values: Any, *, zero: bool = False, hint: str = "") -> list[float]:
    """Check one number or several.

    Parameters
    ----------
    name : str
        The parameter's name.
    values : number or array-like of numbers
        The value.
    zero : bool, default=False
        Whether 0 is allowed.
    hint : str, default=""
        What to give, for messages.

    Returns
    -------
    list of float
        The numbers as given: finite, > 0 (or >= 0).

    Raises
    ------
    InvalidParameterError
        If there is no number, or one is not allowed.

    Examples
    --------
    >>> numbers("alphas", [1, 0.1])
    [1.0, 0.1]
    """
    try:
        refused = values is None or isinstance(values, (str, bytes, bool, Mapping))
        found = np.empty(0) if refused else np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        found = np.empty(0)
    if not found.size or not np.isfinite(found).all() or (found < 0).any() or (found == 0).any() > zero:
        check(name, values, hint=hint or f"one or more finite numbers {'>=' if zero else '>'} 0")
    return [float(value) for value in found]


def _satisfies(value: Any, constraint: Constraint) -> bool:
    # bool is a subclass of int, but True is not meant as the number 1; and 10**400 is no float.
    is_odd = isinstance(value, (bool, np.bool_)) or _is_too_large(value, constraint)
    is_satisfied = make_constraint(constraint).is_satisfied_by(value)
    return bool(is_satisfied) and not (isinstance(constraint, Interval) and is_odd)


def _is_too_large(value: Any, constraint: Constraint) -> bool:
    most = LARGEST_WHOLE if getattr(constraint, "type", None) is Integral else 2**1023
    return isinstance(value, Integral) and abs(int(value)) > most


def hint_of(allowed: tuple[Constraint, ...]) -> str:
    """Describe the values that the constraints allow.

    Parameters
    ----------
    allowed : tuple of constraint
        Constraints of scikit-learn.

    Returns
    -------
    str
        The alternatives, joined by commas and "or".

    Examples
    --------
    >>> hint_of((words("cv", "bic"), number(0)))
    "'cv', 'bic' or a number > 0"
    """
    hints = (_hints(constraint) for constraint in allowed if constraint is not None)
    parts = list(dict.fromkeys(part for own in hints for part in own))
    text = " or ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"{text}, or None" if None in allowed else text


def _hints(constraint: Constraint) -> list[str]:
    if isinstance(constraint, Options):
        return [repr(option) for option in constraint.options]
    if isinstance(constraint, Interval):
        return [_hint_of_interval(constraint)]
    if isinstance(constraint, str):
        return ["True or False"] if constraint == "boolean" else [f"an {constraint}"]
    return [getattr(constraint, "__name__", str(constraint))]


def _hint_of_interval(interval: Interval) -> str:
    kind = "a whole number" if interval.type is Integral else "a number"
    bounds = []
    if interval.left is not None:
        bounds.append(f"{'>=' if interval.closed in ('left', 'both') else '>'} {interval.left:g}")
    if interval.right is not None:
        bounds.append(f"{'<=' if interval.closed in ('right', 'both') else '<'} {interval.right:g}")
    return f"{kind} {' and '.join(bounds)}".rstrip()


def kind_of(allowed: tuple[Constraint, ...]) -> str:
    """Write the type of a parameter as a docstring does.

    Parameters
    ----------
    allowed : tuple of constraint
        Constraints of scikit-learn.

    Returns
    -------
    str
        The type.

    Examples
    --------
    >>> kind_of((integer(1), None)), kind_of((words("a", "b"),))
    ('int or None', '{"a", "b"}')
    """
    return " or ".join(dict.fromkeys(map(_kind, allowed)))


def _kind(constraint: Constraint) -> str:
    if isinstance(constraint, Options):
        return "{" + ", ".join(_quoted(option) for option in constraint.options) + "}"
    if isinstance(constraint, Interval):
        return "int" if constraint.type is Integral else "float"
    if isinstance(constraint, str):
        return "bool" if constraint == "boolean" else constraint
    return str(getattr(constraint, "__name__", constraint))


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def parameters_section(estimator: type) -> str:
    """Write the parameters of an estimator as the lines of a docstring.

    Parameters
    ----------
    estimator : type
        The class.

    Returns
    -------
    str
        One entry a parameter.
    """
    lines = []
    for parameter in list_parameters(estimator):
        lines.append(f"{parameter.name} : {parameter.kind}, default={_quoted(parameter.default)}")
        lines.extend(_filled(parameter.text))
    return "\n".join(lines)


def _filled(text: str) -> Iterator[str]:
    """Break a text into indented lines: :mod:`textwrap` takes eight times as long, at each import."""
    line = "   "
    for word in text.split():
        if len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = "   "
        line = f"{line} {word}"
    yield line
