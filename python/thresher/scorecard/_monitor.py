"""New rows beside reference rows, for cards and for additive models: their bins are the columns compared."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.inputs import Table
from ..data.unknown_categories import apply_handle_unknown
from ..monitoring._compare import Comparison, Given
from ..monitoring._model_scores import predictions_of
from ..monitoring._results import Monitoring
from ..monitoring._sample import Answers, CodedColumn, Scored
from ..monitoring._values import UsedColumn
from ._rows import rows_as_given
from .bins import ColumnBins, bins_of_output

if TYPE_CHECKING:
    from ._points import CardInPoints

Floats = NDArray[np.float64]


def monitor(
    self: CardInPoints,
    X_reference: Any,
    X_new: Any,
    *,
    y_reference: ArrayLike | None = None,
    y_new: ArrayLike | None = None,
    sample_weight_reference: ArrayLike | None = None,
    sample_weight_new: ArrayLike | None = None,
    period: ArrayLike | None = None,
    by: str | None = None,
    n_bins: int = 10,
    thresholds: tuple[float, float] = (0.1, 0.25),
) -> Monitoring:
    """Compare new rows with reference rows: stability of the score and of each column, and performance.

    The stability index of shares a (new) and e (reference) of bins is

        sum (a - e) ln(a / e),

    of the score over its deciles in the reference (PSI), of a column over the card's bins (CSI). A bin
    without rows on one side counts as half a row there, of mean weight unless weights are numbers of rows.

    Parameters
    ----------
    X_reference : array or frame of shape (n_reference, n_features)
        Rows such as those of training.
    X_new : array or frame of shape (n_rows, n_features)
        The rows to compare.
    y_reference, y_new : array-like or str, optional
        Their classes, for event rate, mean probability, AUC, Gini and KS; missing where a class is not known
        yet. These, weights and periods may be names of columns of the rows.
    sample_weight_reference, sample_weight_new : array-like, optional
        Their weights; rows without one are left out, with a warning. Whole numbers count as rows in indices
        by chance: divide survey weights by their mean.
    period : array-like of shape (n_rows,), optional
        The period of each new row, such as its month; each period is compared with the reference. Ordered
        categories keep their order and are all shown, also those without rows; so are months, quarters and
        ISO weeks between others (``2024-01``, ``202401``, ``08/2024``, ``Aug 2024``, ``2024Q1``,
        ``2024-W09``) and periods of pandas of any length. Texts with one number (``week 9``) or a year before
        another are in the order of their numbers, other texts in that of their first rows, with a warning. A
        period whose rows all have weight 0 is shown without rows; rows without a period are in none, with a
        warning.
    by : {"week", "month", "quarter", "year"}, optional
        `period` has dates, texts in ISO 8601 or as 31.12.2026, numbers such as 20261231, or months; the
        periods are their ISO weeks (``2024-W09``), months, quarters or years.
    n_bins : int, default=10
        The most bins of the score, of equal weight in the reference; scores that many rows share
        leave fewer.
    thresholds : (float, float), default=(0.1, 0.25)
        The stability indices from which a shift is called moderate and large.

    Returns
    -------
    Monitoring
        The indices; prints as a table, ``periods`` has a line for each period, ``values`` has counts of
        missing values and special codes, of numbers beyond the range of the reference and of categories
        that training did not see.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, the reference has no rows, `period` has another length or no entries, or
        a parameter is invalid.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> card = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y).scaled_card()
    >>> monitoring = card.monitor(X, X[X[:, 0] > 4])
    >>> round(monitoring.psi, 3), monitoring.total.status
    (0.116, 'moderate shift')
    """
    given = Given(y_reference, y_new, sample_weight_reference, sample_weight_new, period, by)
    return Comparison(_ScoredCard(self), X_reference, X_new, given, n_bins, thresholds).monitoring()


class _ScoredBins(Scored):
    """A score that is the sum of points or contributions of bins."""

    def __init__(
        self, model: Any, output: int, bins: Sequence[ColumnBins], values: Sequence[Sequence[float]]
    ) -> None:
        pairs = zip(bins, values, strict=True)
        columns = [CodedColumn(column.feature_name, of_bins, column.texts) for column, of_bins in pairs]
        used = [UsedColumn(b.feature_index, b.feature_name, (*b.special, *b.as_missing)) for b in bins]
        super().__init__(model, output, columns, used)
        self.bins = bins

    def answers(self, X: Any, side: str) -> Answers:  # noqa: ARG002
        """Let the model answer to rows, of which there may be none."""
        model = self.model
        given = rows_as_given(model, X)
        table = apply_handle_unknown(given, model._fitted.schema, model.handle_unknown, model._used_columns())
        codes = np.empty((table.n_rows, len(self.bins)), dtype=np.intp, order="F")
        for k, column in enumerate(self.bins):
            codes[:, k] = column.codes(table)
        return Answers(*self._score(table), codes, given)

    @abstractmethod
    def _score(self, table: Table) -> tuple[Floats, Floats]:
        """Return score and prediction of each row."""


class _ScoredCard(_ScoredBins):
    def __init__(self, card: CardInPoints) -> None:
        super().__init__(card.model, 0, card.bins, card.points)
        self.card = card

    @property
    def of_numbers(self) -> bool:
        """The points of a card are no numbers of the target, whatever it predicts."""
        return False

    @property
    def sign(self) -> int:
        """1 where larger scores are those of events, else -1."""
        return self.card.scaling.sign

    def _score(self, table: Table) -> tuple[Floats, Floats]:
        score = self.card._added(table).astype(np.float64)
        has_classes = hasattr(self.model, "classes_")
        return score, self.card.probability(score) if has_classes else np.full(score.size, np.nan)


class ScoredSteps(_ScoredBins):
    """One output of an additive model, as the sum of its step functions.

    Parameters
    ----------
    model : L0AdditiveRegressor or L0AdditiveClassifier
        The fitted model.
    output : int
        The position of the class or target.
    """

    def __init__(self, model: Any, output: int) -> None:
        bins = bins_of_output(model, output)
        super().__init__(model, output, bins, [column.values for column in bins])

    def _score(self, table: Table) -> tuple[Floats, Floats]:
        if not table.n_rows:
            return np.zeros(0), np.zeros(0)
        decision = self.model._decision_of(table.columns)
        return decision[:, self.output], predictions_of(self.model, decision, self.output)
