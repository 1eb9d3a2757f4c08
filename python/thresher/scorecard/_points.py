"""What all cards in points do: scores, probabilities, reasons, bands, monitoring and code."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.frames import select_known
from ..formatting.numbers import format_percent
from ..results.coverage import class_weight_note, weights_note
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText
from . import _code, _monitor, _reasons, _report
from . import bands as _bands
from ._reason_texts import ReasonSources, sources_of_bins
from ._rows import has_no_rows, rows_as_given
from .binning_table import BinningTable, binning_table
from .bins import ColumnBins, bins_of_output
from .scaling import Scaling

BASE_LINE = "(base points)"

Points = tuple[tuple[float, ...], ...]


class CardInPoints(PrintedTable):
    """The base class of cards in points of a model of two classes."""

    model: Any
    scaling: Scaling
    whole: bool
    base_points: float
    points: Points
    _has_base: ClassVar[bool] = True

    @cached_property
    def bins(self) -> tuple[ColumnBins, ...]:
        """The bins of the columns in use, the most important column first."""
        return bins_of_output(self.model, 0)

    @cached_property
    def _reason_sources(self) -> ReasonSources:
        return sources_of_bins(self.bins, self.model._fitted)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes in the order of the columns of :meth:`predict_proba`."""
        if self.model._fitted.classes is None:
            raise AttributeError("a card that predicts a number has no classes")
        classes: NDArray[Any] = self.model.classes_
        return classes

    @property
    def pos_label_(self) -> Any:
        """The class whose probability is the risk, as in the model."""
        _ = self.classes_  # which the card of a number lacks
        return self.model.pos_label_

    @property
    def event(self) -> Any:
        """The class whose probability is the risk: :attr:`pos_label_`."""
        return self.pos_label_

    @property
    def _weights_note(self) -> str:
        support = weights_note("rows", with_counts=False) if self.model._fitted.may_be_weighted else ""
        return " ".join(filter(None, (class_weight_note(self.model, "odds"), support)))

    # ------------------------------------------------------------------ the table

    def columns(self) -> dict[str, list[Any]]:
        """Return the card as columns.

        Returns
        -------
        dict of str to list
            ``feature, bin, points, support, lower, upper``; the first line holds the base points where the
            card has some. A number x is in the bin with ``lower < x <= upper``, which are NaN for categories
            and missing values.
        """
        nan = math.nan
        lines: list[tuple[Any, ...]] = []
        if self._has_base:
            lines.append(("", BASE_LINE, self._number(self.base_points), 1.0, nan, nan))
        for column, points in zip(self.bins, self.points, strict=True):
            numbers = map(self._number, points)
            parts = (column.texts, numbers, column.supports, *column.ends())
            lines += [(column.feature_name, *line) for line in zip(*parts, strict=True)]
        names = ("feature", "bin", "points", "support", "lower", "upper")
        return {name: [line[k] for line in lines] for k, name in enumerate(names)}

    def _number(self, points: float) -> int | float:
        return int(points) if self.whole else float(points)

    def _layout(self) -> TableText:
        form = "{:+,.0f}" if self.whole else "{:+,.2f}"
        base = Line((form.format(self.base_points).lstrip("+"), BASE_LINE, ""))
        lines = [base] if self._has_base else []
        for column, points in zip(self.bins, self.points, strict=True):
            lines.append(Line(("", column.feature_name, "")))
            lines += [
                Line((form.format(number), f"  {text}", format_percent(support)))
                for number, text, support in zip(points, column.texts, column.supports, strict=True)
            ]
        section = Section("", tuple(lines), int(self._has_base))
        return TableText(("points", "bin", "support"), "rlr", (section,), self._note(), self._footer())

    # ------------------------------------------------------------------ scores

    def score(self, X: Any) -> NDArray[Any]:
        """Add up the points of rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows, with the columns of training; there may be none. Those of a frame are found by name: it
            may have others, in any order, and lack columns without points.

        Returns
        -------
        ndarray of shape (n_rows,)
            The scores, whole numbers where the points are.

        Raises
        ------
        TypeError, ValueError
            As in the model's ``predict``, for example for an unknown category with
            ``handle_unknown="error"``.
        """
        return self._added(self._table(X))

    def _table(self, X: Any) -> Any:
        """Read rows as the model does; the columns of a frame are found by name, in any order."""
        aligned = self._aligned(X)
        return rows_as_given(self.model, aligned) if has_no_rows(aligned) else self.model._table(aligned)

    def _aligned(self, X: Any) -> Any:
        """Select the columns of training from a frame."""
        schema = self.model._fitted.schema
        return select_known(X, schema.names) if schema.named else X

    def _added(self, table: Any) -> NDArray[Any]:
        """Add up the points of rows that are read, in the order of the table's columns."""
        dtype = np.int64 if self.whole else np.float64
        total = np.full(table.n_rows, self.base_points, dtype=dtype)
        pairs = sorted(zip(self.bins, self.points, strict=True), key=lambda pair: pair[0].feature_index)
        for column, points in pairs:
            total += np.asarray(points, dtype=dtype)[column.codes(table)]
        return total

    def probability(self, score: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of the event at scores.

        Parameters
        ----------
        score : array-like
            Scores.

        Returns
        -------
        ndarray
            The probabilities of class :attr:`event`, of the same shape.
        """
        return self.scaling.probability(score)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities that follow from the scores of rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Probabilities in the order of ``classes_``. They differ from those of the model by the
            rounding of the points.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`score`.
        """
        risk = self.probability(self.score(X))
        found = [1.0 - risk, risk]
        return np.column_stack(found[::-1] if self.model._fitted.is_reversed else found)

    # ------------------------------------------------------------------ practice

    report = _report.report
    reasons = _reasons.reasons
    monitor = _monitor.monitor
    bands = _bands.bands

    def binning_table(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> BinningTable:
        """Return counts, event rates, WoE, IV and points of each bin on given rows.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The rows, their classes and weights, these two also as names of columns of X. Without weights
            every row counts once, also where the fit had some.

        Returns
        -------
        BinningTable
            The table of the model's ``binning_table``, with the column ``points``.

        Raises
        ------
        TypeError, ValueError
            If the data cannot be read.
        """
        return binning_table(self.model, X, y, sample_weight, None, self.points)

    def _report_reading(self) -> _report.CardReading:
        """Return what a report reads; cards that predict numbers have no such scale, and are refused."""
        _ = self.scaling
        return _report.CardReading(self)

    @abstractmethod
    def _note(self) -> str: ...

    @abstractmethod
    def _scale_sentence(self) -> str: ...

    @abstractmethod
    def _footer(self) -> str: ...

    # ------------------------------------------------------------------ code

    to_sql = _code.to_sql
    to_python = _code.to_python
    to_javascript = _code.to_javascript
    to_c = _code.to_c
    to_onnx = _code.to_onnx
    to_excel = _code.to_excel
    to_pmml = _code.to_pmml


def log_odds_scale(model: Any) -> float:
    """Return the multiple of the decision values that is log-odds."""
    return float(model._log_odds_scale[model._fitted_loss()])


def exact_points(model: Any, scaling: Scaling, bins: ColumnBins) -> NDArray[np.float64]:
    """Return the exact points of the bins of a column; their mean over the training rows is 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        return scaling.sign * scaling.factor * log_odds_scale(model) * np.asarray(bins.values)


def exact_base(model: Any, scaling: Scaling) -> float:
    """Return the exact mean score of the training rows."""
    return float(scaling.score(log_odds_scale(model) * float(model.intercept_)))
