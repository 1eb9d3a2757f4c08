"""Reading of graphs as the parameters say: charges of atoms, and molecules that are invalid."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ...data.graph_records import ValidGraphs, named, read_valid
from ...results.certificate import Certificate
from ...results.explanation import Contribution
from ...results.subset_certificate import SubsetCertificate
from .._patterns import PatternModel
from .._training import PathRequest, TrainingData


class GraphRecords(PatternModel):
    """Base class of the graph estimators.

    With ``on_invalid="skip"`` a fit leaves out molecules that rdkit does not read and missing records, with
    their targets and weights; predictions of such records are NaN.
    """

    charges: bool
    on_invalid: str

    def _graphs(self, X: Any, *, is_training: bool = False) -> ValidGraphs:
        """Read records; the labels of new ones tell charges where those of training do."""
        charges = self.charges if is_training else self._fitted.view.vocabulary.has_charges
        return read_valid(X, charges=charges, skip=self.on_invalid == "skip")

    # ------------------------------------------------------------------ training

    def _read(self, X: Any, y: Any, sample_weight: Any, path: PathRequest | None = None) -> TrainingData:
        """Check the data, and leave out records that are invalid."""
        found = self._graphs(X, is_training=True)
        if not found.graphs:
            raise ValueError(
                f"all {found.n_records} records are invalid, such as {named(found.invalid)}; there is "
                "nothing to learn from"
            )
        reader: Any = self
        if found.invalid:
            y = taken(y, found, "y")
            sample_weight = taken(sample_weight, found, "sample_weight")
            if not isinstance(self.cv, int) and not hasattr(self.cv, "split") and np.iterable(self.cv):
                folds = [_of_kept(fold, found) for fold in self.cv]
                reader = type(self)(**{**self.get_params(deep=False), "cv": folds})
        data: TrainingData = super(GraphRecords, reader)._read(found.graphs, y, sample_weight, path)
        return replace(data, inputs=replace(data.inputs, invalid=found.invalid))

    def _warn(self, data: TrainingData, seconds: float) -> None:
        """Keep the positions of invalid records and warn of them, and of limits."""
        invalid = data.inputs.invalid
        self.invalid_rows_ = np.asarray(list(invalid), dtype=np.int64)
        if invalid:
            warnings.warn(
                f"left out {len(invalid)} of {data.inputs.n_rows + len(invalid)} records, which rdkit does "
                f"not read: {named(invalid)}; invalid_rows_ lists them",
                UserWarning,
                stacklevel=5,
            )
        super()._warn(data, seconds)

    def verify(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Certificate | SubsetCertificate:
        """Prove what the certificate says again by an independent search.

        Parameters
        ----------
        X, y, sample_weight : records and array-like
            The training data of the model; records that the fit left out are left out again.

        Returns
        -------
        Certificate or SubsetCertificate
            The new certificate.

        Raises
        ------
        CertificateError
            If the check fails: the data differ, the file was edited, or there is a defect.
        TypeError, ValueError
            If the data cannot be read.
        """
        check_is_fitted(self)
        found = self._graphs(X)
        y, sample_weight = taken(y, found, "y"), taken(sample_weight, found, "sample_weight")
        proof: Certificate | SubsetCertificate = super().verify(found.graphs, y, sample_weight)
        return proof

    # ------------------------------------------------------------------ predictions

    def _finite_decision(self, X: Any) -> NDArray[np.float64]:
        """Compute the decision values, NaN for invalid records."""
        check_is_fitted(self)
        found = self._graphs(X)
        if not found.graphs:
            return np.full((found.n_records, len(self._fitted.outputs)), np.nan)
        return found.scatter(super()._finite_decision(found.graphs))

    def _activations(self, X: Any) -> Any:
        """Return the indicator of each pattern for each record, NaN for invalid ones."""
        check_is_fitted(self)
        found = self._graphs(X)
        if not found.invalid:
            return super()._activations(found.graphs)
        occurs = np.zeros((0, len(self.patterns_)))
        if found.graphs:
            occurs = super()._activations(found.graphs).toarray()
        return sparse.csr_array(found.scatter(occurs))

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        """Return the contributions to the decision value of each record, none for invalid ones."""
        found = self._graphs(X)
        parts: list[list[Contribution]] = [[] for _ in range(found.n_records)]
        if found.graphs:
            for row, own in zip(found.rows, super()._contributions(found.graphs), strict=True):
                parts[row] = own
        return parts


def score(self: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Return the accuracy of a classifier, the R^2 of a regressor; invalid records do not count.

    Parameters
    ----------
    X : list of graphs
        As in :meth:`fit`.
    y : array-like of shape (n_records,) or (n_records, n_outputs)
        Their targets.
    sample_weight : array-like of shape (n_records,), optional
        Weight of each record.

    Returns
    -------
    float
        The score.

    Raises
    ------
    TypeError, ValueError
        As in :meth:`predict`, or if every record is invalid.
    """
    check_is_fitted(self)
    found = self._graphs(X)
    y, sample_weight = taken(y, found, "y"), taken(sample_weight, found, "sample_weight")
    mixin: Any = ClassifierMixin if self._task == "classification" else RegressorMixin
    return float(mixin.score(self, found.graphs, y, sample_weight))


def taken(values: Any, found: ValidGraphs, name: str) -> Any:
    """Select the entries of an array-like that belong to records that could be read.

    Parameters
    ----------
    values : array-like or None
        One entry for each record; None and a single number are returned as they are.
    found : ValidGraphs
        The records.
    name : str
        The name of the values, for messages.

    Returns
    -------
    array-like or None
        The entries.

    Raises
    ------
    ValueError
        If there is not one entry for each record.
    """
    if not found.invalid or values is None or np.ndim(values) == 0:
        return values
    if len(values) != found.n_records:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"X has {found.n_records} records, {name} has {len(values)}"
        )
    rows = found.rows.tolist()
    frame = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, (nw.DataFrame, nw.Series)):
        return frame[rows].to_native()
    return [values[row] for row in rows] if isinstance(values, (list, tuple)) else np.asarray(values)[rows]


def _of_kept(fold: Any, found: ValidGraphs) -> Any:
    """Replace the rows of a fold by their positions among the records that could be read."""
    place = np.full(found.n_records, -1, dtype=np.int64)
    place[found.rows] = np.arange(found.rows.size)
    parts = []
    for part in fold:
        rows = np.asarray(part)
        if rows.dtype == bool and rows.shape == (found.n_records,):
            rows = np.flatnonzero(rows)
        is_known = rows.dtype.kind in "iu" and rows.size and rows.min() >= 0 and rows.max() < found.n_records
        parts.append(place[rows][place[rows] >= 0] if is_known else part)
    return tuple(parts)
