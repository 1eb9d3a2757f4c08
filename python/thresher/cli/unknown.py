"""Categories that training did not see: the option of the commands that use a fitted model."""

from __future__ import annotations

import argparse
from typing import Any

from .fitted_models import estimator_of


def add_handle_unknown(command: argparse.ArgumentParser) -> None:
    """Declare the option.

    Parameters
    ----------
    command : ArgumentParser
        The parser of the command.
    """
    command.add_argument(
        "--handle-unknown",
        choices=("error", "missing", "warn"),
        help="a category that training did not see, in a column that the model uses: an error, or a missing "
        "value, with or without a warning (default: as in the fit)",
    )


def set_handle_unknown(model: Any, handle: str | None) -> None:
    """Set how a fitted model treats unknown categories.

    Parameters
    ----------
    model : estimator or ScaledCard
        The model, which is changed.
    handle : {"error", "missing", "warn"} or None
        The option; None leaves the model as it was fitted.

    Raises
    ------
    ValueError
        If the model has no categories.

    Examples
    --------
    >>> from thresher import RuleRegressor
    >>> model = RuleRegressor()
    >>> set_handle_unknown(model, "missing")
    >>> model.handle_unknown
    'missing'
    """
    if handle is None:
        return
    owner = estimator_of(model)
    if "handle_unknown" not in owner.get_params():
        raise ValueError(f"--handle-unknown is for models with categories, {type(owner).__name__} has none")
    owner.set_params(handle_unknown=handle)
