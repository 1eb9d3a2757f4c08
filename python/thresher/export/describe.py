"""Texts of terms."""

from __future__ import annotations

from collections.abc import Sequence

from ..formatting.numbers import format_number
from ..formatting.quoting import quote_category, quote_name
from ..formatting.text import format_level
from ..results.shape_function import missing_text
from .conditions import Condition, Equals, Has, Interval, IsCode, finite_ends
from .formula import Column, Linear, Lookup, RuleTerm, Steps, Term


def text_of(term: Term, columns: Sequence[Column]) -> str:
    """Return a text of a term.

    Parameters
    ----------
    term : Term
        The term.
    columns : sequence of Column
        The columns of the formula.

    Returns
    -------
    str
        For example ``age > 30 and colour = red``, or the name of a column.

    Examples
    --------
    >>> age = Column("age", "number", 0)
    >>> text_of(RuleTerm((Interval(0, 30.0, 40.0),), 0.5), [age])
    '30 < age <= 40'
    """
    if isinstance(term, RuleTerm):
        return " and ".join(_condition(each, columns) for each in term.conditions)
    return number_text(columns[term.column]) if isinstance(term, (Linear, Steps, Lookup)) else "factor"


def number_text(column: Column) -> str:
    """Return the text of what terms see of a column.

    Parameters
    ----------
    column : Column
        The column.

    Returns
    -------
    str
        Its name, and what is subtracted from it.

    Examples
    --------
    >>> number_text(Column("day", "number", 0, center=2460000.0))
    '(day - 2460000)'
    """
    if not column.center:
        return column.name
    sign = "-" if column.center > 0 else "+"
    return f"({column.name} {sign} {format_number(abs(column.center))})"


def _condition(condition: Condition, columns: Sequence[Column]) -> str:
    column = columns[condition.column]
    name = quote_name(column.name)
    if isinstance(condition, Interval):
        lower, upper = (None if end is None else format_number(end) for end in finite_ends(condition))
        if lower is None:
            return f"{name} known" if upper is None else f"{name} <= {upper}"
        return f"{name} > {lower}" if upper is None else f"{lower} < {name} <= {upper}"
    if isinstance(condition, Equals):
        sign = "!=" if condition.negated else "="
        return f"{name} {sign} {quote_category(format_level(column.levels[condition.level]))}"
    if isinstance(condition, IsCode):
        if condition.or_missing:
            return f"{name} {missing_text(condition.codes)}"
        sign = "!=" if condition.negated else "="
        return " and ".join(f"{name} {sign} {format_number(code)}" for code in condition.codes)
    if isinstance(condition, Has):
        return column.name if condition.present else f"not {column.name}"
    return f"{name} {'missing' if condition.missing else 'known'}"
