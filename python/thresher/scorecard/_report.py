"""Reports of cards in points: how a page reads a card."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..export.formula import Formula
from ..formatting.numbers import format_grouped
from ..results.explanation import Contribution, Explanation, explain_rows
from ..results.shape_function import cell, value_text
from ..results.summary import Summary, SummaryRow
from ._code import formula_of_card

if TYPE_CHECKING:
    from ._points import CardInPoints


class CardReading:
    """A score card in points: the score is the base points and the points of one bin in each column.

    What a report reads of a model, said of a card.

    Parameters
    ----------
    card : CardInPoints
        The card.
    """

    def __init__(self, card: CardInPoints) -> None:
        self.card, self.model = card, card.model
        self.classes_ = card.model.classes_
        self.certificate_ = card.model.certificate_
        self._fitted = card.model._fitted
        if self._fitted.schema.named:
            self.feature_names_in_ = card.model.feature_names_in_

    def properties(self) -> list[tuple[str, str]]:
        """Say what the scale is."""
        card = self.card
        found = [("Scale", card._scale_sentence()), ("Base points", format_grouped(float(card.base_points)))]
        return [*found, *([("Notes", card._footer())] if card._footer() else [])]

    def formula(self) -> Formula:
        """Describe how the card scores a row."""
        return formula_of_card(self.card)

    def to_json(self) -> str:
        """Return the text of the card's file; a card of few points has that of its model."""
        text: str = getattr(self.card, "to_json", self.model.to_json)()
        return text

    # ------------------------------------------------------------------ answers

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likelier class."""
        chance = self.card.probability(self.card.score(X))
        is_event = chance >= 0.5 if self._fitted.is_reversed else chance > 0.5
        return np.asarray(self._fitted.classes[is_event.astype(np.intp)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes."""
        return self.card.predict_proba(X)

    def _table(self, X: Any) -> Any:
        return self.card._table(X)

    def _read_target(self, y: Any, n_rows: int, fitted: Any) -> Any:
        return self.model._read_target(y, n_rows, fitted)

    def _used_columns(self) -> Collection[int]:
        used: Collection[int] = self.model._used_columns()
        return used

    def _effect(self) -> str:
        return "score"

    # ------------------------------------------------------------------ terms

    def summary(self) -> Summary:
        """Return the bins with their points."""
        certificate = f"Certificate: {self.certificate_}."
        rows, start = tuple(self._summary_rows()), ((None, float(self.card.base_points)),)
        is_weighted = self._fitted.may_be_weighted
        note = self.card._note()
        return Summary(rows, start, "score", note, certificate, "bin", is_weighted=is_weighted)

    def _summary_rows(self) -> list[SummaryRow]:
        rows = []
        for bins, points in zip(self.card.bins, self.card.points, strict=True):
            mean = float(np.dot(bins.supports, points))
            for text, number, support in zip(bins.texts, points, bins.supports, strict=True):
                size = math.sqrt(support) * abs(number - mean)
                rows.append(SummaryRow(text, "bin", float(number), support, importance=size))
        return rows

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        table = self._table(X)
        parts: list[list[Contribution]] = [[] for _ in range(table.n_rows)]
        for bins, points in zip(self.card.bins, self.card.points, strict=True):
            name, column = bins.feature_name, table.columns[bins.feature_index]
            for row, place in enumerate(bins.codes(table).tolist()):
                text = f"{value_text(name, cell(column, row))} ({bins.texts[place]})"
                parts[row].append(Contribution(text, float(points[place]), "step", feature=name))
        return parts

    def explain(self, X: Any) -> list[Explanation]:
        """Return the points of each column of rows."""
        score = self.card.score(X).astype(np.float64)
        start = [(None, float(self.card.base_points))]
        return explain_rows(self._contributions(X), start, score[:, None], score, "score")


def report(
    self: CardInPoints,
    path: str | Path,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    compare: Sequence[Any] | Mapping[str, Any] = (),
    group: str | ArrayLike | None = None,
    rows: int | Sequence[int] = 100,
    title: str | None = None,
) -> None:
    """Write a report of the card: one page of HTML that needs no network, all in points.

    The page shows the points of each bin, the effects of the columns, the certificate, and a form that scores
    in the browser. With `X` it shows the distribution of the score and explains single rows; with `y` also
    event rates by bin and by band of the score, metrics, calibration, ROC and lift.

    Parameters
    ----------
    path : str or Path
        The file to write; ``-`` is standard output.
    X : array, frame or sparse matrix of shape (n_rows, n_features), or dict of str to tuple, optional
        Rows on which the card is shown. A frame may have further columns, such as that of `group`. Of
        several data sets, ``{"train": (X, y), "test": (X, y)}`` or with weights ``(X, y, sample_weight)``,
        the metrics are shown side by side, and all else on the last.
    y : array-like of shape (n_rows,) or str, optional
        Their classes, or the name of a column of `X`.
    sample_weight : array-like of shape (n_rows,) or str, optional
        Weights of the rows in tables, metrics and curves, or the name of a column of `X`; densities and
        explanations count every row once. Rows of weight 0 are left out. Weights of the fit are not
        remembered.
    compare : list of estimator or dict of str to estimator, optional
        Further cards and fitted models, shown beside this one.
    group : str or array-like of shape (n_rows,), optional
        A column of `X`, or one value for each row: metrics are also shown group by group.
    rows : int or list of int, default=100
        How many rows are explained, spread evenly over the predictions, or their positions from 0. The page
        counts rows from 1.
    title : str, optional
        The title of the page; by default the names of the models.

    Raises
    ------
    TypeError, ValueError
        As in :meth:`score`; if the models predict different things, or `y`, `sample_weight` or `group` do
        not match `X`.
    ImportError
        If Jinja is not installed.
    OSError
        If the file cannot be written; an existing one is then unchanged.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> card = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y).scaled_card()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     card.report(Path(folder) / "card.html", X, y)
    ...     "Points" in (Path(folder) / "card.html").read_text()
    True
    """
    from ..reports import report as write_report
    from ..reports._comparison import beside

    models = beside(self, compare, "card")
    write_report(path, models, X, y, sample_weight=sample_weight, group=group, rows=rows, title=title)
