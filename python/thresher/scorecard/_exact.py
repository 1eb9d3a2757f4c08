"""The exact points of a model, before any rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bins import ColumnBins
from .scaling import Scaling


def log_odds_scale(model: Any) -> float:
    """Return the multiple of the decision values that is log-odds."""
    return float(model._log_odds_scale[model._fitted_loss()])


def exact_points(model: Any, scaling: Scaling, bins: ColumnBins) -> NDArray[np.float64]:
    """Return the exact points of the bins of a column; their mean over the training rows is 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        return scaling.sign * scaling.factor * log_odds_scale(model) * np.asarray(bins.values)


def exact_base(model: Any, scaling: Scaling) -> float:
    """Return the exact mean score of the training rows."""
    return float(scaling.score(log_odds_scale(model) * float(model.intercept_)))
