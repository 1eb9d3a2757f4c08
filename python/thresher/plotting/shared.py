"""What the plots share: colours, short texts, and how they are shown in a line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

UP, DOWN, GREY = "#2b7bba", "#c8553d", "#777777"


class Display(ABC):
    """A plot, shown in a line that counts what was drawn."""

    @abstractmethod
    def _content(self) -> str: ...

    def __repr__(self) -> str:
        """Say what is drawn."""
        return f"{type(self).__name__}({self._content()})"


def pyplot() -> Any:
    """Import matplotlib.

    Returns
    -------
    module
        ``matplotlib.pyplot``.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'thresher[plot]'") from error
    return plt


def escape_mathtext(text: Any) -> str:
    r"""Give a text the form in which a plot shows it as it is: between two dollars it would set a formula.

    Parameters
    ----------
    text : object
        A name, a label.

    Returns
    -------
    str
        The text with its dollars marked.

    Examples
    --------
    >>> print(escape_mathtext("a $5 voucher"))
    a \$5 voucher
    """
    return str(text).replace("$", "\\$")


def shorten(text: str, width: int = 62) -> str:
    """Cut a text that is too long for a plot.

    Parameters
    ----------
    text : str
        Any text.
    width : int, default=62
        Its most characters.

    Returns
    -------
    str
        The text as :func:`escape_mathtext` gives it, with an ellipsis where it was cut.

    Examples
    --------
    >>> shorten("abcdef", 4)
    'abc…'
    """
    return escape_mathtext(text if len(text) <= width else text[: width - 1] + "…")


def most_important(terms: Iterable[Any], limit: int) -> list[Any]:
    """Take the terms of largest importance.

    Parameters
    ----------
    terms : iterable of Rule or Pattern
        Terms with an importance.
    limit : int
        The most to take.

    Returns
    -------
    list
        The most important first; equals keep their order.
    """
    return sorted(terms, key=lambda term: -term.importance)[:limit]
