"""Fits: functions that the base class has as methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from ..cluster import without_client
from ..progress import with_callbacks
from ._resumed import fit_resumable
from ._training import GivenRows, PathRequest

_Estimator = TypeVar("_Estimator")


@without_client
@with_callbacks
def fit(
    self: _Estimator,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    checkpoint: str | Path | None = None,
) -> _Estimator:
    """Fit the model.

    Parameters
    ----------
    X : table or records
        Training data in one of the forms that the class describes: a table of shape
        (n_rows, n_features) (NumPy, pandas, polars, pyarrow, scipy.sparse or nested
        lists), or n_rows records. Rules and score cards also read a table in batches, twice, and
        take one or two bytes a cell: the path of a Parquet file or of a folder of them, a
        pyarrow.dataset.Dataset, a polars.LazyFrame, a list of record batches or frames, or a
        function that returns an iterator over them.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs), str or list of str
        Target values; several columns for regression only. Of a table that is read in batches
        also the name of a column, or a list of them; the other columns are the features.
    sample_weight : array-like of shape (n_rows,) or str, optional
        Weight of each row. A weight of 2 is the same as two copies of the row in one fold of a
        cross-validation (with `groups` copies are in one), 0 the same as leaving the row out. Whole
        numbers count as rows in tests and information criteria: divide exposures and survey weights
        by their mean. Of a table that is read in batches also the name of a column.
    groups : array-like of shape (n_rows,) or str, optional
        The group of each row, such as a patient: rows of one group are in one fold of the
        cross-validation. Of a table that is read in batches also the name of a column. They have no
        effect, and cause a warning, where nothing is chosen by cross-validation.
    checkpoint : str or Path, optional
        A folder, created if needed, for the results of finished steps, such as searches or the models of a
        path. If the process ends, the same call goes on from them to the same model; after the end of the fit
        it reads the model.

    Returns
    -------
    estimator
        The fitted estimator. If the fit fails, the estimator is unchanged.

    Raises
    ------
    TypeError, ValueError
        If the data or the parameters are invalid, or `checkpoint` cannot tell them from other ones.
    MemoryError
        If `memory_limit` is too small for the data.
    TimeoutError
        If `time_limit` ends before the data are read.
    OSError
        If a file of `checkpoint` cannot be written.

    Warns
    -----
    ConvergenceWarning
        If a limit ended the fit before it converged; the model is the best one found so far.
    """
    fit_resumable(self, GivenRows(X, y, sample_weight, groups), None, checkpoint)
    return self


@without_client
@with_callbacks
def fit_path(
    self: _Estimator,
    X: Any,
    y: ArrayLike,
    *,
    alphas: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    checkpoint: str | Path | None = None,
) -> _Estimator:
    """Fit the whole regularisation path without selecting a model.

    Parameters
    ----------
    X : table or records
        Training data, as in :meth:`fit`.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Target values.
    alphas : array-like of shape (n_alphas,), optional
        The regularisation strengths; by default those that ``fit`` tries.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row.
    checkpoint : str or Path, optional
        A folder for the results of finished steps, as in :meth:`fit`.

    Returns
    -------
    estimator
        The estimator with ``path_`` set; ``path_.at(alpha)`` gives a fitted
        estimator. Its own predictions are those of the last model of the path.

    Raises
    ------
    TypeError, ValueError, MemoryError, TimeoutError, OSError
        As in :meth:`fit`.
    """
    fit_resumable(self, GivenRows(X, y, sample_weight), PathRequest(alphas), checkpoint)
    return self
