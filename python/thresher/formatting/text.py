"""Formatting of names and sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from .composition import composed, composed_alike, told_apart
from .numbers import format_number
from .quoting import split_conjunction

_ALIKE = 0.65  # the least similarity of names: two of three letters are equal ("aeg", "age")


def format_level(level: bool | int | float | str) -> str:
    """Format a category.

    Parameters
    ----------
    level : bool, int, float or str
        The value.

    Returns
    -------
    str
        Numbers without a trailing ``.0``, text unchanged.

    Examples
    --------
    >>> format_level(True), format_level(2.0), format_level("deep red")
    ('True', '2', 'deep red')
    """
    if isinstance(level, float) and not isinstance(level, bool):
        return format_number(level)
    return str(level)


def on_one_line(text: str) -> str:
    r"""Write line breaks and other characters that cannot be printed as escapes.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text on one line.

    Examples
    --------
    >>> print(on_one_line("two lines:\n1, 2"))
    two lines:\n1, 2
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def refuse_surrogates(text: str, where: str) -> None:
    """Raise an error for half of a surrogate pair, which no file and no page can hold.

    Parameters
    ----------
    text : str
        A name, a category or a label.
    where : str
        What it is, for the message.

    Raises
    ------
    ValueError
        If the text has such a character.

    Examples
    --------
    >>> refuse_surrogates("café", "column 'town'")
    """
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(
            f"{where} holds {text!r}, which is no valid Unicode text (an unpaired surrogate; often bytes "
            "of a wrongly decoded file): replace it"
        )


def with_article(name: str) -> str:
    """Add the indefinite article to a class name.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    str
        The name with ``a`` or ``an``.

    Examples
    --------
    >>> with_article("RuleClassifier"), with_article("ItemsetClassifier"), with_article("L0Regressor")
    ('a RuleClassifier', 'an ItemsetClassifier', 'an L0Regressor')
    """
    return f"{'an' if name[0] in 'AEIOU' or name.startswith('L0') else 'a'} {name}"


def wrap_conjunction(text: str, width: int) -> list[str]:
    """Wrap a long rule between its conditions, and longer conditions between their words.

    Parameters
    ----------
    text : str
        The rule.
    width : int
        The most characters of a line; a longer word is broken.

    Returns
    -------
    list of str
        The lines, the later ones indented.

    Examples
    --------
    >>> wrap_conjunction("age > 30 and bmi <= 25", 16)
    ['age > 30', '  and bmi <= 25']
    """
    lines = [""]
    for number, condition in enumerate(split_conjunction(text)):
        piece = condition if number == 0 else f"and {condition}"
        if lines[-1] and len(lines[-1]) + 1 + len(piece) > width:
            lines.append(f"  {piece}")
        else:
            lines[-1] = f"{lines[-1]} {piece}" if lines[-1] else piece
    return [part for line in lines for part in _between_words(line, width)]


def shorten_conditions(text: str, width: int, shorten: Callable[[str, int], str]) -> str:
    """Shorten each condition of a rule, or each item of a pattern.

    Parameters
    ----------
    text : str
        The rule or pattern.
    width : int
        The most characters of a condition.
    shorten : callable
        Shortens a text that has more than a number of characters.

    Returns
    -------
    str
        The rule or pattern.

    Examples
    --------
    >>> shorten_conditions("temperature > 3 and age > 30", 9, leave_out_middle)
    'temp… > 3 and age > 30'
    """
    return " and ".join(shorten(part, width) for part in split_conjunction(text))


def leave_out_middle(text: str, width: int) -> str:
    """Replace the middle of a long text by an ellipsis.

    Parameters
    ----------
    text : str
        The text.
    width : int
        The most characters of the result.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> leave_out_middle("abcdefgh", 5)
    'ab…gh'
    """
    end = (width - 1) // 2
    return text if len(text) <= width else f"{text[: width - 1 - end]}…{text[len(text) - end :]}"


def _between_words(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_on_hyphens=False,
    )


def format_names(names: Sequence[object]) -> str:
    """Format a list of names for a message, eight at most.

    Parameters
    ----------
    names : list
        The names, or labels of other types.

    Returns
    -------
    str
        The names in quotes, other labels as in Python, with the number of those omitted.

    Examples
    --------
    >>> format_names(["age", "bmi"])
    "'age', 'bmi'"
    """
    return format_list(names, 8, repr)


def format_list(items: Sequence[Any], most: int, show: Callable[[Any], str] = str) -> str:
    """Format the first items of a list, and say how many there are beside them.

    Parameters
    ----------
    items : sequence
        The items.
    most : int
        How many are shown.
    show : callable, default=str
        Formats an item.

    Returns
    -------
    str
        The items, separated by commas.

    Examples
    --------
    >>> format_list([3, 1, 2], 2), format_list([3, 1], 2)
    ('3, 1 and 1 more', '3, 1')
    """
    shown = ", ".join(show(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def with_output(text: str, output: Any) -> str:
    """Put the class or target that a text is about before it.

    Parameters
    ----------
    text : str
        The text.
    output : object
        The class or target; None where there is one.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> with_output("age > 3", "cat"), with_output("age > 3", None)
    ('[cat] age > 3', 'age > 3')
    """
    return text if output is None else f"[{output}] {text}"


def pluralize(number: int, name: str) -> str:
    """Format a count with its noun.

    Parameters
    ----------
    number : int
        The count.
    name : str
        The noun in the singular.

    Returns
    -------
    str
        The count and the noun, with a plural s unless the count is 1.

    Examples
    --------
    >>> pluralize(1, "rule"), pluralize(2, "term")
    ('1 rule', '2 terms')
    """
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def plain_texts(labels: Iterable[Any]) -> dict[str, str]:
    """Index texts by what is left of them without spaces, case and leading zeros.

    Parameters
    ----------
    labels : iterable
        Labels; those that are no text are ignored.

    Returns
    -------
    dict of str to str
        The label of each plain text.

    Examples
    --------
    >>> plain_texts(["Red", 7])
    {'red': 'Red'}
    """
    return {plain_text(label): label for label in labels if isinstance(label, str)}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Ask for the known name that a wrong one resembles.

    Parameters
    ----------
    name : str
        The wrong name.
    known : iterable of str
        Those that exist.

    Returns
    -------
    str
        The question in parentheses, to be put after the name; empty if no name is similar.

    Examples
    --------
    >>> did_you_mean("agee", ["sex", "age"]), did_you_mean("Sex", ["sex", "age"]), did_you_mean("z", ["age"])
    (" (did you mean 'age'?)", " (did you mean 'sex'?)", '')
    """
    plain = {plain_text(text): text for text in known}
    close = get_close_matches(plain_text(name), plain, 1, _ALIKE)
    return f" (did you mean {plain[close[0]]!r}?)" if close else ""


def spelled_otherwise(new: Iterable[Any], known: Mapping[str, str]) -> str:
    """Say that a new text is one of training but for spaces, case, leading zeros or Unicode composition.

    Parameters
    ----------
    new : iterable
        The new labels.
    known : mapping of str to str
        Those of training, as :func:`plain_texts` indexes them.

    Returns
    -------
    str
        A sentence about the first of them; empty if there is none.

    Examples
    --------
    >>> spelled_otherwise(["blue", "RED"], plain_texts(["red"]))
    "'RED' is 'red' of training but for spaces, case or leading zeros: spell them as in training"
    """
    plain = {text: plain_text(text) for text in new if isinstance(text, str)}
    text = next((text for text in plain if plain[text] in known), None)
    if text is None:
        return ""
    pair = [text, known[plain[text]]]
    difference = "its Unicode composition" if composed_alike(pair) else "spaces, case or leading zeros"
    shown, label = told_apart(pair)
    return f"{shown} is {label} of training but for {difference}: spell them as in training"


def plain_text(text: str) -> str:
    """Return a text without what is easily lost or added where tables are copied.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text in lower case, with single spaces, composed letters and no leading zeros.

    Examples
    --------
    >>> plain_text(" Red  wine "), plain_text("04109")
    ('red wine', '4109')
    """
    return composed(" ".join(text.split()).casefold()).lstrip("0")
