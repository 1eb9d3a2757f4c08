"""Quotes around names and categories that could be misread in the text of a rule."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable

from .numbers import is_number

_UNCLEAR = re.compile(
    r"""(?<![^\s{(])['"]|[<>=]|(?:^|\s)and(?:\s|$)|\bis\s+(?:not\s+)?missing\b|\bis\s+a\s+number\b"""
)
_QUOTED = re.compile(r"""(?<![^\s{(])(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_QUOTED_IN_MESSAGE = r"""(?<!\w)(?:'(?:[^\\]|\\.)*?'|"(?:[^\\]|\\.)*?")(?!\w)"""


def replace_unquoted(pattern: str, replace: Callable[[re.Match[str]], str], message: str) -> str:
    """Replace what a pattern matches in a message, but not in the names and values that it quotes.

    Parameters
    ----------
    pattern : str
        The pattern.
    replace : callable
        Returns what takes the place of a match.
    message : str
        A message with names and values in single or double quotes.

    Returns
    -------
    str
        The message.

    Examples
    --------
    >>> replace_unquoted("row", lambda found: "line", "column 'row' in row 3")
    "column 'row' in line 3"
    """
    either = re.compile(rf"(?P<quoted>{_QUOTED_IN_MESSAGE})|(?:{pattern})")
    return either.sub(lambda found: found[0] if found["quoted"] else replace(found), message)


def quote_unclear(text: str, separators: str = "") -> str:
    """Quote a name or a category that could be misread in a condition.

    Parameters
    ----------
    text : str
        The name or category.
    separators : str, default=""
        Characters that separate it from others.

    Returns
    -------
    str
        The text, in quotes if it is empty, begins or ends with a space, has line breaks, separators, signs of
        comparison, the word "and" or a word that begins with a quotation mark, or is a word of conditions.

    Examples
    --------
    >>> quote_unclear("deep red"), quote_unclear("missing"), quote_unclear("a, b", ","), quote_unclear("")
    ('deep red', "'missing'", "'a, b'", "''")
    >>> quote_unclear("a and b"), quote_unclear(">= 200")
    ("'a and b'", "'>= 200'")
    """
    is_unclear = text.lower() in ("", "missing", "known") or text != text.strip() or not text.isprintable()
    is_unclear = is_unclear or bool(_UNCLEAR.search(text)) or any(sign in text for sign in separators)
    return repr(text) if is_unclear else text


def quote_name(name: str) -> str:
    """Quote the name of a column that could be misread in a condition.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    str
        The name, in quotes as by :func:`quote_unclear`, or if it is a number.

    Examples
    --------
    >>> quote_name("age"), quote_name("x > 3"), quote_name("2024")
    ('age', "'x > 3'", "'2024'")
    """
    return repr(name) if is_number(name) else quote_unclear(name)


def quote_category(text: str) -> str:
    """Quote a category that could be misread in a condition or in a list.

    Parameters
    ----------
    text : str
        The category.

    Returns
    -------
    str
        The category, in quotes as by :func:`quote_unclear`, or if it has a comma.

    Examples
    --------
    >>> quote_category("red"), quote_category("Other, none")
    ('red', "'Other, none'")
    """
    return quote_unclear(text, ",")


def leading_quoted(text: str) -> tuple[str, str] | None:
    """Read a name or a category in quotes at the start of a text.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    (str, str) or None
        What the quotes hold, and the text after them; None without quotes.

    Examples
    --------
    >>> leading_quoted("'a and b' and x > 3"), leading_quoted("a and b")
    (('a and b', ' and x > 3'), None)
    """
    found = _QUOTED.match(text)
    if not found:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)
        try:
            return str(ast.literal_eval(found[0])), text[found.end() :]
        except SyntaxError:  # a backslash of the user's
            return found[0][1:-1], text[found.end() :]


def split_conjunction(text: str) -> list[str]:
    """Split the text of a rule at each ``and`` outside quotes.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    list of str
        The conditions.

    Examples
    --------
    >>> split_conjunction("age > 30 and home = 'own and rent'")
    ['age > 30', "home = 'own and rent'"]
    """
    hidden = _QUOTED.sub(lambda found: found[0].replace(" and ", "\0and\0"), text)
    return [part.replace("\0", " ") for part in hidden.split(" and ")]
