"""Files and pickles of fitted estimators: functions that the base class has as methods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..formatting.text import with_article
from ..model_io import persistence
from ..model_io.envelope import record_options_of, targets_of
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
    options = record_options_of(envelope)
    result = FitResult(
        model, **found, is_1d=is_1d, classes=classes, target_names=names, record_options=options
    )
    self._set_attributes(result, result.selected())
