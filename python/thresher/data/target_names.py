"""Names of targets."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .targets import Target


class NamedTarget(np.ndarray):
    """A target that has a name, as a series has.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        The target.
    name : str
        Its name.

    Examples
    --------
    >>> NamedTarget(np.array([1.0, 2.0]), "price").name
    'price'
    """

    name: str

    def __new__(cls, values: NDArray[Any], name: str) -> Self:
        """Return a view of an array."""
        found = np.asarray(values).view(cls)
        found.name = name
        return found


def names_of_targets(y: Any, target: Target) -> list[str] | None:
    """Find the names of the targets.

    Parameters
    ----------
    y : array-like
        As the user gave it.
    target : Target
        The same, checked.

    Returns
    -------
    list of str or None
        None where there are none, or they are not distinct. That of a series is the only one.
    """
    if target.is_1d:
        name = getattr(y, "name", None)
        return [name] if isinstance(name, str) and name else None
    columns = getattr(y, "columns", None)
    if columns is None or len(columns) != target.values.shape[1]:
        return None
    names = [str(name) for name in columns]
    return names if len(set(names)) == len(names) else None
