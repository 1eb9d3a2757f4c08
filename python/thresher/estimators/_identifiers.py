"""Warnings about columns of text that make poor categories: dates, and what hardly repeats, such as names."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.coded_tables import CodedTable
from ..data.inputs import Table
from ..data.numbers_in_text import are_dates
from ..data.schema import Schema
from ..fit_warnings import warn
from ..formatting.composition import composed_alike, spelled_alike, told_apart
from ..formatting.text import format_names, pluralize
from ._columns import exclude_of
from ._training import FitResult

_MIN_ROWS = 20  # fewer rows may differ everywhere by chance


def warn_of_dates(estimator: Any, schema: Schema) -> None:
    """Warn of columns of dates as text, unless `categorical_features` names the columns of categories.

    Parameters
    ----------
    estimator : estimator
        The estimator of a table.
    schema : Schema
        The columns of its fit.
    """
    if not isinstance(getattr(estimator, "categorical_features", None), str):
        return
    excluded = exclude_of(getattr(estimator, "exclude", None), schema.names)
    for place, (name, levels) in enumerate(zip(schema.names, schema.levels, strict=True)):
        if place in excluded or not levels or not are_dates(levels):
            continue
        warn(
            f"column {name!r} holds dates as text, such as {levels[0]!r}: each of them is a category, and "
            "rows of other days have none that the model knows. Turn it into numbers (days since a date, the "
            "month, the weekday) or leave it out; where categories are meant, name them in "
            "categorical_features",
            UserWarning,
        )


def warn_of_compositions(result: FitResult) -> None:
    """Warn of categories, items, events or classes that look the same and differ in Unicode composition.

    Parameters
    ----------
    result : FitResult
        The result of a fit.
    """
    schema, vocabulary = result.schema, getattr(result.view, "vocabulary", None)
    labels = {"the records have labels": getattr(vocabulary, "labels", ())}
    if vocabulary is None and schema is not None:
        columns = zip(schema.names, schema.levels, strict=True)
        labels = {f"column {name!r} has categories": levels or () for name, levels in columns}
    labels["y has classes"] = () if result.classes is None else result.classes.tolist()
    for owner, own in labels.items():
        if alike := composed_alike(own):
            more = f" (and {pluralize(len(alike) - 1, 'more such group')})" if len(alike) > 1 else ""
            warn(
                f"{owner} that look the same and differ in Unicode composition alone: "
                f"{' and '.join(told_apart(alike[0]))}{more}; the model takes them for different ones: write "
                "them alike, as unicodedata.normalize('NFC', text) does",
                UserWarning,
            )


def warn_of_spellings(classes: NDArray[Any] | None) -> None:
    """Warn of classes that differ in spaces or case alone: a model each, often one to the user.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,) or None
        The classes of a fit; None for a regression.
    """
    groups = spelled_alike(() if classes is None else classes.tolist())
    if alike := [texts for texts in groups if not composed_alike(texts)]:
        more = f" (and {pluralize(len(alike) - 1, 'more such group')})" if len(alike) > 1 else ""
        warn(
            f"y has classes that differ in spaces or case alone: {format_names(alike[0])}{more}; the model "
            "takes them for different classes: write them alike if they are the same",
            UserWarning,
        )


def warn_of_identifiers(table: Table | CodedTable, exclude: Collection[int], remedy: str) -> set[int]:
    """Warn if a column has as many categories as half of its rows or more.

    Parameters
    ----------
    table : Table or CodedTable
        The training rows.
    exclude : collection of int
        Columns that are not used.
    remedy : str
        How to leave a column out, with its name as ``{name!r}``.

    Returns
    -------
    set of int
        The columns it warned of.
    """
    found = set()
    for place, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
        if place in exclude or not isinstance(column, tuple):
            continue
        known = column[0][column[0] >= 0]
        n_categories = np.unique(known).size
        if known.size >= _MIN_ROWS and 2 * n_categories >= known.size:
            found.add(place)
            warn(
                f"column {name!r} has {n_categories} categories in {known.size} rows and hardly fits others. "
                f"{remedy.format(name=name)}, turn dates into numbers, "
                "or look at the table with thresher.examine",
                UserWarning,
            )
    return found
