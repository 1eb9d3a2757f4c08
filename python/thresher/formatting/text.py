"""Names and sentences as people read them."""

from __future__ import annotations

from collections.abc import Sequence

from .numbers import format_number


def format_level(level: bool | int | float | str) -> str:
    """Write a category's value.

    Parameters
    ----------
    level : bool, int, float or str
        The value.

    Returns
    -------
    str
        Numbers without a needless ``.0``, text as it is.

    Examples
    --------
    >>> format_level(True), format_level(2.0), format_level("deep red")
    ('True', '2', 'deep red')
    """
    if isinstance(level, float) and not isinstance(level, bool):
        return format_number(level)
    return str(level)


def with_article(name: str) -> str:
    """Put the article before a class name.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    str
        With ``a`` or ``an`` as it is spoken.

    Examples
    --------
    >>> with_article("RuleClassifier"), with_article("ItemsetClassifier"), with_article("L0Regressor")
    ('a RuleClassifier', 'an ItemsetClassifier', 'an L0Regressor')
    """
    return f"{'an' if name[0] in 'AEIOU' or name.startswith('L0') else 'a'} {name}"


def wrap_conjunction(text: str, width: int) -> list[str]:
    """Break a long rule between its conditions.

    Parameters
    ----------
    text : str
        The rule.
    width : int
        The most characters of a line, where a condition is not longer by itself.

    Returns
    -------
    list of str
        The lines, the later ones indented.

    Examples
    --------
    >>> wrap_conjunction("age > 30 and bmi <= 25", 12)
    ['age > 30', '  and bmi <= 25']
    """
    lines = [""]
    for number, condition in enumerate(text.split(" and ")):
        piece = condition if number == 0 else f"and {condition}"
        if lines[-1] and len(lines[-1]) + 1 + len(piece) > width:
            lines.append(f"  {piece}")
        else:
            lines[-1] = f"{lines[-1]} {piece}" if lines[-1] else piece
    return lines


def format_names(names: Sequence[str]) -> str:
    """List names for a message, eight at most.

    Parameters
    ----------
    names : list of str
        The names.

    Returns
    -------
    str
        In quotes, with the number of the others.

    Examples
    --------
    >>> format_names(["age", "bmi"])
    "'age', 'bmi'"
    """
    shown = ", ".join(repr(name) for name in names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


def pluralize(number: int, name: str) -> str:
    """Count things.

    Parameters
    ----------
    number : int
        How many.
    name : str
        What one is called.

    Returns
    -------
    str
        Both, with a plural s where there is not one.

    Examples
    --------
    >>> pluralize(1, "rule"), pluralize(2, "term")
    ('1 rule', '2 terms')
    """
    return f"{number:,} {name}{'' if number == 1 else 's'}"
