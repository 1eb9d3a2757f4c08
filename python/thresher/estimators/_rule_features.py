"""The rules of a model as features: functions that the rule estimators have as methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ..fit_warnings import warn


def compared_columns(self: Any) -> set[int]:
    """Return the positions of the columns with a condition on a category, not only on missing values."""
    conditions = (c for rule in self.rules_ for c in rule.conditions)
    return {c.feature_index for c in conditions if c.category is not None}


def transform(self: Any, X: Any) -> NDArray[np.float64]:
    """Return the indicator of each rule for each row.

    Linear terms are no features: a model of these alone gives no column. Fit with ``linear=False`` where the
    features shall replace the columns.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows, with the columns of training.

    Returns
    -------
    ndarray of shape (n_rows, n_rules)
        1.0 where the rule holds, else 0.0; columns in the order of ``rules_``.

    Raises
    ------
    TypeError, ValueError
        As in :meth:`predict`.

    Warns
    -----
    UserWarning
        If the model has linear terms alone.
    """
    check_is_fitted(self)
    if not self.rules_ and np.any(getattr(self, "linear_coef_", 0.0)):
        warn(
            f"the {type(self).__name__} has linear terms alone, which transform leaves out, so that it "
            "gives no feature; fit it with linear=False for rules in their place",
            UserWarning,
        )
    return np.asarray(self._indicators(self._table(X)), dtype=np.float64)


def get_feature_names_out(self: Any, input_features: Any = None) -> NDArray[np.object_]:
    """Return the names of the columns of :meth:`transform`, the texts of the rules.

    Parameters
    ----------
    input_features : array-like of str, optional
        Names for the columns where the table had none.

    Returns
    -------
    ndarray of shape (n_rules,)
        The texts; with several outputs each begins with the class or target.

    Raises
    ------
    ValueError
        If the names differ from those in training.
    """
    check_is_fitted(self)
    names = _check_feature_names_in(self, input_features)
    texts = []
    for rule in self.rules_:
        renamed = tuple(replace(c, feature_name=str(names[c.feature_index])) for c in rule.conditions)
        text = replace(rule, conditions=renamed).text
        texts.append(text if rule.output is None else f"{rule.output}: {text}")
    return np.asarray(texts, dtype=object)
