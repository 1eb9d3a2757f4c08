"""The model that a fit with ``warm_start=True`` goes on from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...data.compressed import Compressed
from ...data.inputs import Table
from ...formatting.text import format_names
from .._training import FitResult, TrainingData

_HOW = "fit with warm_start=False, which begins anew"


def start_of(estimator: Any, rows: Table | Compressed, data: TrainingData) -> Any:
    """Return the compiled model from which a fit goes on.

    Parameters
    ----------
    estimator : estimator
        The machine, fitted or not.
    rows : Table or Compressed
        The training rows, before categories have columns of their own.
    data : TrainingData
        The training data.

    Returns
    -------
    object or None
        The model; None where the fit begins anew.

    Raises
    ------
    ValueError
        If the model is of other columns, categories, classes, order or rank.
    """
    if not (estimator.warm_start and estimator.__sklearn_is_fitted__()):
        return None
    known = estimator._fitted
    difference = _of_columns(known.schema, rows) or _of_outputs(known, data) or _of_factors(estimator, known)
    if difference:
        raise ValueError(f"warm_start: {difference}; {_HOW}")
    return known.model


def _of_columns(schema: Any, rows: Table | Compressed) -> str:
    """Say what differs between columns; empty if nothing does."""
    if difference := _of_lists("X", "column", rows.names, schema.names):
        return difference
    columns: Sequence[Any] = rows.columns if isinstance(rows, Table) else [None] * len(rows.names)
    for name, column, known in zip(rows.names, columns, schema.levels, strict=True):
        levels = column[1] if isinstance(column, tuple) else None
        if (levels is None) != (known is None):
            kinds = ("numbers", "categories") if levels is None else ("categories", "numbers")
            return f"column {name!r} has {kinds[0]}, and had {kinds[1]} in the fit of the model"
        if difference := _of_lists(f"column {name!r}", "category", levels or [], known or []):
            return difference
    return ""


def _of_lists(owner: str, noun: str, found: Sequence[Any], known: Sequence[Any]) -> str:
    """Say which entry is the first that is new or missing; empty if both have the same in the same order."""
    if list(found) == list(known):
        return ""
    new = next((own for own in found if own not in set(known)), None)
    if new is not None:
        return f"{owner} has the {noun} {new!r}, which the model does not have"
    absent = next((own for own in known if own not in set(found)), None)
    if absent is not None:
        return f"{owner} lacks the {noun} {absent!r} of the model"
    return f"{owner} has them in another order than the model: {format_names(list(known))}"


def _of_outputs(known: FitResult, data: TrainingData) -> str:
    """Say what differs between classes or targets; empty if nothing does."""
    if data.target.classes is not None and known.classes is not None:
        return _of_lists("y", "class", data.target.classes.tolist(), known.classes.tolist())
    n = data.target.values.shape[1]
    return "" if n == len(known.outputs) else f"y has {n} targets, the model {len(known.outputs)}"


def _of_factors(estimator: Any, known: FitResult) -> str:
    """Say which of the parameters that shape the factors differs; empty if none of these does."""
    language = known.document["language"]
    orders = language["orders"]
    fitted = {
        "order": "all" if None in orders else max(orders, default=estimator.order),
        "rank": language["rank"],
        "fit_linear": language["linear"],
    }
    for name, value in fitted.items():
        given = getattr(estimator, name)
        if given not in ("auto", value):
            return f"{name} is {given!r}, and was {value!r} in the fit of the model"
    return ""
