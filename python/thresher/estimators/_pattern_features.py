"""Patterns as features of records: methods of the pattern estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ..data.vocabulary import Vocabulary


def transform(self: Any, X: Any) -> Any:
    """Return the indicator of each pattern for each record.

    Parameters
    ----------
    X : records
        As in :meth:`fit`.

    Returns
    -------
    scipy.sparse.csr_array or ndarray of shape (n_records, n_patterns)
        1.0 where the pattern occurs, else 0.0; columns in the order of ``patterns_``.
        A sparse array where `sparse_output` is True.

    Raises
    ------
    TypeError, ValueError
        As in :meth:`predict`.
    """
    indicators = self._activations(X)
    is_frame = _get_output_config("transform", self)["dense"] != "default"
    return indicators if self.sparse_output and not is_frame else indicators.toarray()


def get_feature_names_out(self: Any, input_features: Any = None) -> NDArray[np.object_]:
    """Return the names of the columns of :meth:`transform`, the texts of the patterns.

    Parameters
    ----------
    input_features : array-like of str, optional
        Names for the columns of a matrix that had none in training.

    Returns
    -------
    ndarray of shape (n_patterns,)
        The texts; with several outputs each begins with the class or target.

    Raises
    ------
    ValueError
        If the names differ from those in training.
    """
    check_is_fitted(self)
    view = self._fitted.view
    vocabulary = view.vocabulary
    if self._fitted.schema is not None:
        vocabulary = Vocabulary(_check_feature_names_in(self, input_features).tolist())
    texts = []
    for pattern in self.patterns_:
        text = view.family.pattern(pattern.payload, vocabulary, view.language).text
        texts.append(text if pattern.output is None else f"{pattern.output}: {text}")
    return np.asarray(texts, dtype=object)
