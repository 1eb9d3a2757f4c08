"""Fits, predictions and verifications of tables that are read in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from .. import _native
from ..data._coded_columns import ColumnPlan
from ..data.budget import Budget, running_budget
from ..data.coded_tables import CodedTable, coded, plan_again, plan_of, read_coded
from ..data.columns import categorical_mask
from ..data.datasets import Dataset, dataset_of, is_dataset, naming_first_row, read_once
from ..data.extra_columns import Extra
from ..data.fit_rows import rows_of_weight
from ..data.inputs import Table
from ..data.masked_arrays import fill_masked
from ..data.other_forms import refuse_names_of_columns
from ..data.schema import Schema, check_names
from ..data.target_names import NamedTarget
from ..data.targets import scored_target
from ..data.unknown_categories import apply_handle_unknown, one_warning_for_all_batches
from ..data.weights import row_weights
from ..formatting.text import did_you_mean, format_names
from ._base import Estimator
from ._columns import exclude_of
from ._cut_points import bins_to_separate
from ._training import GivenRows, PathRequest, TrainingData

_T = TypeVar("_T")


@dataclass(frozen=True)
class Targets:
    """Several columns of targets.

    Parameters
    ----------
    columns : list of str
        Their names.
    cells : list of ndarray of shape (n_rows,)
        Their cells.
    """

    columns: list[str]
    cells: list[NDArray[Any]]

    def to_numpy(self) -> NDArray[Any]:
        """Return the cells as one array of shape (n_rows, n_targets)."""
        return np.column_stack(self.cells)


def read_training(
    estimator: Any, X: Any, y: Any, sample_weight: Any, groups: Any, budget: Budget
) -> tuple[CodedTable, Any, Any, Any]:
    """Read training rows in batches.

    Parameters
    ----------
    estimator : RuleModel or AdditiveModel
        The estimator, with checked parameters.
    X : as :func:`.data.datasets.dataset_of`
        The table with all columns.
    y : str, list of str or array-like
        The column of the target, or the columns of several; or the targets themselves.
    sample_weight : str, array-like or None
        The column of the weights, or the weights themselves.
    groups : str, array-like or None
        The column of the groups, or the groups themselves.
    budget : Budget
        The limits of the fit.

    Returns
    -------
    table : CodedTable
        The features: all other columns.
    y, sample_weight, groups : object
        The targets, the weights and the groups.
    """
    data = dataset_of(X)
    extra = _names_of_extra(data, y, sample_weight, groups)
    names = [name for name in data.names if name not in extra]
    if not names:
        raise ValueError(f"Found array with 0 feature(s): X has no column beside {format_names(extra)}")
    categorical = categorical_mask(estimator.categorical_features, names)
    has_linear = getattr(estimator, "linear", False)
    in_order = _is_in_order(y, sample_weight, groups)
    plan = plan_of(names, categorical, bins_to_separate(estimator.bins, names), has_linear)
    plan = replace(plan, in_order=in_order, excluded=_excluded(estimator, names))
    table, found = read_coded(data, plan, extra, budget)
    return table, _target(found, y), _of_rows(found, sample_weight), _of_rows(found, groups)


def read_again(estimator: Any, X: Any, y: Any, sample_weight: Any) -> tuple[CodedTable, Any, Any]:
    """Read rows in batches with the schema of training, every column of it.

    Parameters
    ----------
    estimator : RuleModel or AdditiveModel
        The fitted estimator.
    X, y, sample_weight : object
        As for :func:`read_training`; further columns of `X` are not read.

    Returns
    -------
    table : CodedTable
        The features.
    y, sample_weight : object
        The targets and the weights.
    """
    check_is_fitted(estimator)
    schema: Schema = estimator._fitted.schema
    data = dataset_of(X)
    extra = _names_of_extra(data, y, sample_weight)
    names, owner = _features(data, schema, extra), type(estimator).__name__
    check_names(np.asarray(names, dtype=object) if data.named else None, schema, owner)
    if len(names) != len(schema.names):
        n = len(schema.names)
        raise ValueError(f"X has {len(names)} features, but {owner} is expecting {n} features as input.")
    plan = replace(_plan_again(estimator, names), in_order=_is_in_order(y, sample_weight))
    table, found = read_coded(data, plan, extra, running_budget())
    columns: list[Any] = table.columns
    rows = Table(columns, schema.names, table.feature_names, table.n_rows)
    weights = _of_rows(found, sample_weight)
    with rows_of_weight(weights):
        known: list[Any] = apply_handle_unknown(
            rows, schema, estimator.handle_unknown, range(len(columns))
        ).columns
    return CodedTable(known, schema.names, table.n_rows, data.named), _target(found, y), weights


def _plan_again(estimator: Any, names: list[str]) -> ColumnPlan:
    plan = plan_again(names, estimator._fitted.document["features"], bins_to_separate(estimator.bins, names))
    return replace(plan, excluded=_excluded(estimator, names))


def _excluded(estimator: Any, names: list[str]) -> list[int]:
    return exclude_of(getattr(estimator, "exclude", None), names)


def verified_rows(estimator: Any, X: Any, y: Any, sample_weight: Any, prove: Callable[..., _T]) -> _T:
    """Verify a model on a table in memory or in batches.

    The problem of a fit from disk has ranges of numbers in columns of very many, that of a fit in memory the
    numbers. A model does not say which one it is of, so that a table in memory is tried as both.

    Parameters
    ----------
    estimator : RuleModel or AdditiveModel
        The fitted estimator.
    X, y, sample_weight : object
        As for :func:`read_training`, or a table in memory.
    prove : callable
        Given a table, `y` and `sample_weight`, returns the certificate.

    Returns
    -------
    object
        The certificate.

    Raises
    ------
    CertificateError
        If the check fails.
    """
    if is_dataset(X):
        in_codes, y, sample_weight = read_again(estimator, X, y, sample_weight)
        with _naming_ranges(in_codes):
            return prove(in_codes, y, sample_weight)
    _refuse_names(X, y, sample_weight)
    table = estimator._table(X, every_column=True)
    try:
        return prove(table, y, sample_weight)
    except _native.CertificateError:
        in_codes = coded(table, _plan_again(estimator, table.names))
        with suppress(_native.CertificateError):
            if in_codes.in_ranges:
                return prove(in_codes, y, sample_weight)
        with _naming_ranges(in_codes):
            raise


@contextmanager
def _naming_ranges(table: CodedTable) -> Iterator[None]:
    """Say of a refusal that ranges of numbers are those of one order of the rows, and of a fit from disk."""
    try:
        yield
    except _native.CertificateError as error:
        if not table.in_ranges:
            raise
        raise _native.CertificateError(
            f"{error}; a fit from disk has ranges of {format_names(table.in_ranges)}, of more than 65,000 "
            "distinct numbers, which depend on the order of the rows: give the rows in the order of the fit, "
            "in memory if it had them there"
        ) from None


def read(self: Any, rows: GivenRows, budget: Budget, path: PathRequest | None = None) -> TrainingData:
    """Check the data, and convert data and parameters for the core."""
    if rows.y is not None and is_dataset(rows.X):
        rows = GivenRows(*read_training(self, *rows, budget))
    return Estimator._read(self, rows, budget, path)


def decision_values(self: Any, X: Any) -> NDArray[np.float64]:
    """Add up intercept and terms; shape (n_rows, n_outputs)."""
    X = read_once(X)
    return decision(self, X) if is_dataset(X) else Estimator._decision(self, X)


def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the score of the predictions: R^2 of a regressor, the accuracy of a classifier.

    Parameters
    ----------
    X, y, sample_weight : as in fit
        The rows and their targets.

    Returns
    -------
    float
        The score; 1 is perfect.
    """
    mixin = RegressorMixin if self._task == "regression" else ClassifierMixin
    X, sample_weight = read_once(X), fill_masked(sample_weight)
    if not _names(y):
        y = scored_target(y, type(self).__name__)
    if not is_dataset(X):
        _refuse_names(X, y, sample_weight)
        sample_weight = row_weights(sample_weight, _num_samples(y))
        with rows_of_weight(sample_weight):
            return float(mixin.score(self, X, y, sample_weight))
    data = dataset_of(X)
    extra = Extra(_names_of_extra(data, y, sample_weight))
    # Predictions and targets of one reading: the next one may have another order.
    with rows_of_weight(lambda: extra.latest(sample_weight)):
        predictions = self.predict(extra.read_beside(data))
    target, weights = _target(extra, y), _of_rows(extra, sample_weight)
    y = target.to_numpy() if isinstance(target, Targets) else target
    y = scored_target(y, type(self).__name__)
    weights = row_weights(weights, _num_samples(y))
    return float(mixin.score(SimpleNamespace(predict=lambda _: predictions), X, y, weights))


def decision(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Compute decision values in batches.

    Parameters
    ----------
    estimator : RuleModel
        The fitted estimator.
    X : as :func:`.data.datasets.dataset_of`
        The rows; columns that the model does not know are not read.

    Returns
    -------
    ndarray of shape (n_rows, n_outputs)
        Intercept and terms added up.
    """
    check_is_fitted(estimator)
    schema: Schema = estimator._fitted.schema
    data = dataset_of(X)
    columns = _features(data, schema, ())
    if not columns:
        names = format_names(schema.names)
        raise ValueError(f"X has none of the model's columns {names}; it has {format_names(data.names)}")
    used = {schema.names[place] for place in estimator._used_columns()}
    if schema.named and data.named and used <= set(columns):
        columns = [name for name in columns if name in used] or columns[:1]
    parts: list[NDArray[np.float64]] = []
    with one_warning_for_all_batches() as unknown:
        for unknown.start, frame in data.read(columns):
            with naming_first_row(unknown.start):
                native = frame.to_native()
                if not data.named:
                    native = native.set_axis(range(len(columns)), axis=1)
                parts.append(estimator._decision(native))
    if not parts:
        return np.empty((0, len(estimator._path_index)))
    return np.concatenate(parts)


def _features(data: Dataset, schema: Schema, extra: Sequence[str]) -> list[str]:
    """Return the columns of a table that a model reads."""
    others = [name for name in data.names if name not in extra]
    by_name = schema.named and data.named
    return [name for name in schema.names if name in set(others)] if by_name else others


def _names_of_extra(data: Dataset, y: Any, sample_weight: Any, groups: Any = None) -> list[str]:
    """Return the columns of targets, weights and groups; raise an error for one that does not exist."""
    if not isinstance(sample_weight, str) and (several := _names(sample_weight)):
        raise ValueError(f"sample_weight: got {sample_weight!r}; give the name of one column, {several[0]!r}")
    given = {"y": _names(y), "sample_weight": _names(sample_weight)}
    given["groups"] = [groups] if isinstance(groups, str) else []  # a list has the groups themselves
    roles = [(role, name) for role, names in given.items() for name in names]
    for role, name in roles:
        if name not in data.names:
            meant = did_you_mean(name, data.names)
            raise ValueError(
                f"{role}: there is no column {name!r}{meant}; the columns are {format_names(data.names)}"
            )
    extra = [name for _, name in roles]
    if len(set(extra)) < len(extra):
        raise ValueError(f"y, sample_weight and groups name a column twice: {format_names(extra)}")
    return extra


def _refuse_names(X: Any, y: Any, sample_weight: Any) -> None:
    """Raise an error for names of columns of a table in memory."""
    refuse_names_of_columns(X, y, "y")
    refuse_names_of_columns(X, sample_weight, "sample_weight")


def _is_in_order(*given: Any) -> bool:
    """Return whether something is given for each row, and not as a column."""
    return any(values is not None and not _names(values) for values in given)


def _names(given: Any) -> list[str]:
    if isinstance(given, str):
        return [given]
    is_list = isinstance(given, (list, tuple)) and bool(given)
    return list(given) if is_list and all(isinstance(name, str) for name in given) else []


def _target(found: Extra, y: Any) -> Any:
    names = _names(y)
    if isinstance(y, str):
        return NamedTarget(found.column(y), y)
    return Targets(names, [found.column(name) for name in names]) if names else y


def _of_rows(found: Extra, values: Any) -> Any:
    """Return weights or groups, from the column that is named."""
    return found.column(values) if isinstance(values, str) else values
