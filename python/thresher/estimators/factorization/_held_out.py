"""The rows that are held out for early stopping."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data.folds import Fold
from .._training import TrainingData


def held_out_rows(estimator: Any, data: TrainingData) -> list[Fold]:
    """Draw the rows for early stopping, by class for a classifier.

    Parameters
    ----------
    estimator : estimator
        The machine.
    data : TrainingData
        Its training data; rows of weight 0 are left out.

    Returns
    -------
    list of (train, test)
        One pair of row numbers, ascending.
    """
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    seed = data.parameters["seed"]
    target, weights = data.target, data.weights
    rows = np.arange(data.inputs.n_rows) if weights is None else np.flatnonzero(weights > 0)
    kind = ShuffleSplit if target.codes is None else StratifiedShuffleSplit
    split = kind(1, test_size=estimator.validation_fraction, random_state=seed)
    labels = None if target.codes is None else target.codes[rows]
    train, test = next(split.split(rows, labels))
    return [(np.sort(rows[train]).astype(np.int64), np.sort(rows[test]).astype(np.int64))]
