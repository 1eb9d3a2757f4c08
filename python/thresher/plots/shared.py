"""What the plots share: colours, short texts, and the name of an effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..convex.base import ConvexModelBase

UP, DOWN, GREY = "#2b7bba", "#c8553d", "#777777"


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


def short(text: str, width: int = 62) -> str:
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
        The text, with an ellipsis where it was cut.

    Examples
    --------
    >>> short("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= width else text[: width - 1] + "…"


def effect_of(estimator: ConvexModelBase) -> str:
    """Say what the terms of a model add up to.

    Parameters
    ----------
    estimator : estimator
        A fitted one.

    Returns
    -------
    str
        For example "prediction", or "log-odds of yes".
    """
    if estimator._task == "regression":
        return "prediction"
    kind = "log-odds" if estimator.loss == "logistic" else "score"
    return f"{kind} of {estimator.classes_.tolist()[1]}" if len(estimator.classes_) == 2 else kind
