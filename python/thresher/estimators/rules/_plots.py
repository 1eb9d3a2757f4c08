"""Plots of rule models: functions that the estimators have as methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...plotting import DependenceDisplay, GroupsDisplay, RulesDisplay


def plot_rules(self: Any, *, max_rules: int = 20, output: Any = None, ax: Any = None) -> RulesDisplay:
    """Plot the coefficients of the terms with their support.

    Parameters
    ----------
    max_rules : int, default=20
        The most terms to show, the most important first.
    output : object, optional
        The class or target, where the model has several; all of them by default.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    RulesDisplay
        The plot.

    Raises
    ------
    ValueError
        If there is no such output.
    ImportError
        If matplotlib is not installed.
    """
    from ...plotting import RulesDisplay

    return RulesDisplay.from_estimator(self, max_rules=max_rules, output=output, ax=ax)


def plot_groups(self: Any, *, max_groups: int = 20, output: Any = None, ax: Any = None) -> GroupsDisplay:
    """Plot the norm and the number of rules of each set of columns.

    Parameters
    ----------
    max_groups : int, default=20
        The most groups to show, the largest norm first.
    output : object, optional
        The class or target, where the model has several; all of them by default.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    GroupsDisplay
        The plot.

    Raises
    ------
    ValueError
        If there is no such output.
    ImportError
        If matplotlib is not installed.
    """
    from ...plotting import GroupsDisplay

    return GroupsDisplay.from_estimator(self, max_groups=max_groups, output=output, ax=ax)


def plot_dependence(
    self: Any,
    feature: str | int,
    *,
    X: Any = None,
    sample_weight: Any = None,
    output: Any = None,
    ax: Any = None,
) -> DependenceDisplay:
    """Plot how the prediction depends on one column, averaged over rows.

    Parameters
    ----------
    feature : str or int
        The column's name or position.
    X : array or frame of shape (n_rows, n_features), optional
        The rows to average over; by default up to 2,000 training rows with the weights of the fit,
        `class_weight` included; a saved model does not contain them.
    sample_weight : array-like of shape (n_rows,), optional
        The weights of the rows of `X`; equal by default.
    output : object, optional
        The class or target, where the model has several; all of them by default.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    DependenceDisplay
        The plot.

    Raises
    ------
    ValueError
        If there is no such column, a saved model gets no `X`, or `sample_weight` is invalid.
    ImportError
        If matplotlib is not installed.
    """
    from ...plotting import DependenceDisplay

    return DependenceDisplay.from_estimator(
        self, feature, X=X, sample_weight=sample_weight, output=output, ax=ax
    )
