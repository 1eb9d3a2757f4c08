"""Plots that most estimators have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..plotting import PathDisplay


def plot_path(self: Any, *, output: Any = None, ax: Any = None) -> PathDisplay:
    """Plot the size of each term against the strength of the penalty, with the held-out loss.

    Parameters
    ----------
    output : object, optional
        The class or target, where the model has several; the first by default.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    PathDisplay
        The plot.

    Raises
    ------
    ValueError
        If there is no such output.
    ImportError
        If matplotlib is not installed.
    """
    from ..plotting import PathDisplay

    return PathDisplay.from_estimator(self, output=output, ax=ax)
