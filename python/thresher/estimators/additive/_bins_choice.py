"""How many bins the columns of a score card have, by the held-out loss.

Where effects are smooth, or rows few, many cut points follow the noise; where the place of a limit matters,
few miss it. Strengths are therefore compared on the same folds with more and more quantile bins, as long as
that lowers the held-out loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._compared_fits import ComparedFit, ComparedFits, Fit
from .._training import TrainingData

MOST_BINS = 1000
"""The number of bins where nothing is compared."""
COMPARED_BINS = (20, 100, MOST_BINS)
"""The numbers of bins that are compared."""
_PARTS_OF_TIME = (0.1, 0.3, 1.0)  # of the time left: 1,000 bins take ten times as long as 20


def fit_with_best_bins(data: TrainingData, fit: Fit) -> tuple[Any, None]:
    """Fit with more and more bins; take the model of the least held-out loss.

    Parameters
    ----------
    data : TrainingData
        The training rows, with folds or without.
    fit : callable
        Returns the compiled model and None.

    Returns
    -------
    model : object
        The compiled model.
    training : None
        What the core's fit returns beside it.
    """
    if not data.folds:
        return fit(data)
    is_proved = data.parameters["gap_tol"] is not None
    fits = ComparedFits(data, fit)
    best = ComparedFit(None, None, float("inf"), is_complete=False)
    chosen = {"bins": quantiles(COMPARED_BINS[0])}
    for n, part in zip(COMPARED_BINS, _PARTS_OF_TIME, strict=True):
        changes = {"bins": quantiles(n)}
        other = fits.attempt({**changes, "gap_tol": None}, f"{n}-bins", part)
        if best.model is not None and not other.is_better(best):
            break
        best, chosen = other, changes
    if is_proved or best.model is None:
        best = fits.run(chosen)
    fits.remove_journals()
    return best.model, None


def cut_points_of(features: Iterable[Mapping[str, Any]]) -> dict[str, NDArray[np.float64]]:
    """Return the candidate cut points of a card.

    Parameters
    ----------
    features : iterable of mapping
        The columns of its document.

    Returns
    -------
    dict of str to ndarray
        Those of each numeric column that has some.

    Examples
    --------
    >>> cut_points_of([{"name": "age", "cuts": [18.0, 65.0]}, {"name": "one", "cuts": []}])
    {'age': array([18., 65.])}
    """
    return {own["name"]: np.array(own["cuts"]) for own in features if own.get("cuts")}


def quantiles(n: int) -> dict[str, Any]:
    """Return quantile bins as the core takes them.

    Parameters
    ----------
    n : int
        Their number.

    Returns
    -------
    dict
        The rule for cut points.

    Examples
    --------
    >>> quantiles(20)
    {'kind': 'quantiles', 'n': 20}
    """
    return {"kind": "quantiles", "n": n}
