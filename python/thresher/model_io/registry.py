"""The classes that a file can hold: the public estimators, and score cards in points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..public_names import MODULES, load

if TYPE_CHECKING:
    from .persistence import SavableEstimator

ESTIMATORS = tuple(name for name, module in MODULES.items() if module.startswith("estimators."))
"""The names of the public estimators."""

CARD_FORMAT = "thresher.scaled_card"
"""The entry ``format`` of the file of a score card in points."""


def find(name: str) -> type[SavableEstimator] | None:
    """Return the estimator of a name.

    Parameters
    ----------
    name : str
        The name in a file.

    Returns
    -------
    type or None
        None where no estimator has the name.
    """
    kind: type[SavableEstimator] | None = load(name) if name in ESTIMATORS else None
    return kind


def name_of(estimator: type) -> str:
    """Name the class that a file of an estimator holds.

    Parameters
    ----------
    estimator : type
        The class, or a subclass of the user's, which writes files of the class it extends.

    Returns
    -------
    str
        The name of a public estimator.
    """
    return next(cls.__name__ for cls in estimator.__mro__ if find(cls.__name__) is cls)
