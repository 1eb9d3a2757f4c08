"""A warning of whole-number weights that count as many more rows than there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..fit_warnings import warn
from .weights import are_counts, n_of_weight

_MOST_ROWS = 10  # rows that a row counts as, in the mean: more are rarely copies of it


def warn_of_counted_rows(
    weights: NDArray[np.float64] | None, where: str, name: str = "sample_weight", noun: str = "rows"
) -> None:
    """Warn of weights that are numbers of equal rows, ten times as many as there are or more.

    Exposures in days and survey weights are whole numbers too, and would make noise significant.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,) or None
        The weights of all rows.
    where : str
        Where rows are counted.
    name : str, default="sample_weight"
        The argument.
    noun : str, default="rows"
        The noun for rows.

    Warns
    -----
    UserWarning
        If there are such weights.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     warn_of_counted_rows(np.array([365.0, 31.0]), "alpha='bic'")
    >>> print(found[0].message)
    sample_weight: whole numbers count as that many equal rows in alpha='bic', 2 rows as 396. If they are \
exposures or survey weights, divide them by their mean
    """
    if weights is None or not are_counts(weights):
        return
    n_rows, n_counted = n_of_weight(weights, len(weights)), float(weights.sum())
    if n_counted >= _MOST_ROWS * n_rows:
        warn(
            f"{name}: whole numbers count as that many equal rows in {where}, {n_rows:,} {noun} as "
            f"{n_counted:,.0f}. If they are exposures or survey weights, divide them by their mean",
            UserWarning,
        )
