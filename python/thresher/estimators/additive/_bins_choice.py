"""How many bins the columns of a score card have, by the held-out loss.

Where effects are smooth, or rows few, many cut points follow the noise; where the place of a limit matters,
few miss it. Strengths are therefore compared on the same folds with more and more quantile bins, as long as
that lowers the held-out loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...fit_warnings import warn
from ...model_io.files import bad_model
from .._compared_fits import ComparedFit, ComparedFits, Fit
from .._cut_points import bins_of
from .._training import TrainingData

MOST_BINS = 1000
"""The number of bins where nothing is compared."""
COMPARED_BINS = (20, 100, MOST_BINS)
"""The numbers of bins that are compared."""
_FIRST_ROWS = 1000  # most columns show in these that they have many values


def fit_with_best_bins(data: TrainingData, fit: Fit) -> tuple[Any, int]:
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
    n : int
        The number of bins.
    """
    if not data.folds or not _has_many_values(data.inputs, COMPARED_BINS[0]):
        return fit(data)[0], MOST_BINS
    is_proved = data.parameters["gap_tol"] is not None
    fits = ComparedFits(data, fit)
    best, chosen = ComparedFit(None, None, np.inf, is_complete=False), COMPARED_BINS[0]

    def name(n: int) -> str:  # of the results in a checkpoint: one fit has that of the whole
        return "" if n == COMPARED_BINS[0] and not is_proved else f"{n}-bins"

    part = 0.5 if is_proved else 1.0  # of the time left; a finer number takes longer than those before
    for n in COMPARED_BINS:
        other = fits.attempt({"bins": bins_of(n, data.inputs), "gap_tol": None}, name(n), part)
        if best.model is not None and not other.is_better(best):
            if best.is_complete and not other.is_complete:
                warn(
                    f"time_limit: the time was over before {n} bins were compared; the card has {chosen}. "
                    f"Give more time, or bins={chosen}, which takes less",
                    ConvergenceWarning,
                )
            break
        best, chosen = other, n
    bins = {"bins": bins_of(chosen, data.inputs)}
    if best.model is None:
        best = fits.run(bins, "" if is_proved else name(chosen))
    elif is_proved:
        proved = fits.attempt(bins, "", 1.0)
        if proved.model is not None and not best.is_better(proved):  # worse without time for its folds
            best = proved
    fits.remove_journals()
    return best.model, chosen


def _has_many_values(table: Any, n: int) -> bool:
    """Return whether some column has more than `n` numbers, so that fewer bins than values are a choice."""
    return any(_has_more_than(column, n) for column in table.columns)


def _has_more_than(column: Any, n: int) -> bool:
    if not isinstance(column, np.ndarray):
        return not isinstance(column, tuple)  # categories have none, a column from disk may have many
    return len(np.unique(column[:_FIRST_ROWS])) > n + 1 or len(np.unique(column)) > n + 1


def n_bins_of(envelope: Mapping[str, Any]) -> int | None:
    """Read the number of bins that a fit chose.

    Parameters
    ----------
    envelope : mapping
        A checked envelope.

    Returns
    -------
    int or None
        The number; None where there was nothing to choose.

    Raises
    ------
    FormatError
        If it is none that is compared.
    """
    n = envelope.get("n_bins")
    if n is not None and (type(n) is not int or n not in COMPARED_BINS):
        raise bad_model(f"'n_bins' must be one of {', '.join(map(str, COMPARED_BINS))}")
    return n
