"""The penalty of small models: a best subset, or L1 where that has less held-out loss.

A best subset follows the training rows more closely than an L1 model of as many terms. Where there is much
to explain it is the better one by far; with few events, or noise, the shrunken coefficients of L1 are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.core_parameters import options_of
from ._compared_fits import ComparedFits, Fit
from ._training import TrainingData

_PART_OF_L1 = 0.25  # of the time of a fit; without a limit it takes a tenth of that of a subset


def fit_small_model(estimator: Any, data: TrainingData, fit: Fit) -> tuple[Any, Any]:
    """Fit; with penalty="auto" and a best subset that cross-validation chooses, compare the L1 penalty.

    Parameters
    ----------
    estimator : estimator
        The estimator of rules or patterns.
    data : TrainingData
        The training rows.
    fit : callable
        Returns the compiled model and the core's training data.

    Returns
    -------
    model, training : object
        Those of the fit of the lower held-out loss. Without time to compare subsets, of the L1 fit where all
        of its comparison had time.
    """
    options = options_of(data.parameters)
    is_open = estimator.penalty == "auto" and options["ridge"] is None
    if not (is_open and options["penalty"] == "l0" and options["alpha"]["kind"] == "cv"):
        return fit(data)
    fits = ComparedFits(data, fit)
    l1 = fits.attempt({"penalty": "l1"}, "l1", _PART_OF_L1)
    subset = fits.run({})
    fits.remove_journals()
    takes_l1 = l1.is_better(subset) and (np.isfinite(subset.loss) or l1.is_complete)
    best = l1 if takes_l1 else subset
    return best.model, best.training
