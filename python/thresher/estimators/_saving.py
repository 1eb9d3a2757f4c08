"""Files and pickles of fitted estimators: functions that the base class has as methods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data.columns import Column, categorical_mask
from ..data.folds import check_cv
from ..data.targets import check_pos_label
from ..formatting.text import with_article
from ..model_io import persistence
from ..model_io.envelope import record_options_of, targets_of, training_rows_of
from ..model_io.files import bad_model, write
from ._training import FitResult


def to_json(self: Any, path: str | Path | None = None) -> str:
    """Serialise the model as JSON: terms, parameters and classes.

    Parameters
    ----------
    path : str or Path, optional
        A file to which the text is also written.

    Returns
    -------
    str
        The text; :meth:`from_json` restores a model with bit-identical predictions.
    """
    check_is_fitted(self)
    text = persistence.dump(self)
    if path is not None:
        write(path, text)
    return text


def saved_parts(self: Any, *, all_points: bool) -> dict[str, Any]:
    """Return the contents of a file except the parameters: the selected points, or all."""
    result = self._fitted
    return {
        "named": result.schema is not None and result.schema.named,
        "is_1d": result.is_1d,
        "targets": result.target_names,
        **({"n_rows": result.n_rows} if result.n_rows else {}),
        **({} if result.is_weighted is None else {"weighted": result.is_weighted}),
        **({} if result.record_options is None else {"records": dict(result.record_options)}),
        "model": _all_points(self) if all_points else self._chosen_points(),
    }


def _all_points(self: Any) -> dict[str, Any]:
    """Return the document with the whole path and the index of the selected point."""
    parts = zip(self._fitted.outputs, self._path_index, strict=True)
    return {**self._fitted.document, "outputs": [{**output, "selected": k} for output, k in parts]}


def chosen_points(self: Any) -> dict[str, Any]:
    """Return the document with the selected points only."""
    outputs = []
    for output, k in zip(self._fitted.outputs, self._path_index, strict=True):
        scores = {"cv": None} if "cv" in output else {}
        outputs.append({**output, "selected": 0, "points": [output["points"][k]], **scores})
    return {**self._fitted.document, "outputs": outputs}


def restore(
    self: Any, envelope: Mapping[str, Any], classes: NDArray[Any] | None = None, vocabulary: Any = None
) -> None:
    """Set the model of a checked envelope; a pickle has classes and vocabulary with their types."""
    model = self._load_core(envelope["model"])
    found = self._interpret(model, None, envelope, vocabulary)
    document = found["document"]
    if document["task"] != self._task:
        name = with_article(type(self).__name__)
        raise bad_model(f"it is for {document['task']}, {name} is for {self._task}")
    if classes is None and document.get("classes") is not None:
        classes = np.asarray(document["classes"])
    names, is_1d = targets_of(envelope, document["task"], len(document["outputs"]), classes)
    n_rows, is_weighted = training_rows_of(envelope)
    result = FitResult(
        model,
        **found,
        is_1d=is_1d,
        classes=classes,
        target_names=names,
        record_options=record_options_of(envelope),
        n_rows=n_rows,
        is_weighted=is_weighted,
        is_loaded=True,
    )
    self._set_attributes(result, result.selected())


class _ColumnsOfFit(NamedTuple):
    """What parameters are checked against where there are no rows: the columns of a fit."""

    names: list[str]
    columns: list[Column]


def check_without_rows(self: Any, names: list[str], columns: list[Column]) -> None:
    """Check the parameters against the columns of a table, as a fit does, but for the number of its rows."""
    self._core_parameters(_ColumnsOfFit(names, columns), None)
    if "cv" in self._parameters:
        check_cv(self.cv)


def check_restored(self: Any) -> None:
    """Check the parameters of a file as a fit does, once its columns and classes are known."""
    result: FitResult = self._fitted
    schema = result.schema
    names = [] if schema is None else schema.names
    levels = [] if schema is None else schema.levels
    columns: list[Column] = [
        np.zeros(0) if known is None else (np.zeros(0, dtype=np.int32), known) for known in levels
    ]
    try:
        check_without_rows(self, names, columns)
        if "categorical_features" in self._parameters:
            categorical_mask(self.categorical_features, names)
        if "pos_label" in self._parameters and result.classes is not None:
            check_pos_label(self.pos_label, result.classes)
    except (TypeError, ValueError) as error:
        raise bad_model(f"parameter {error}") from None
