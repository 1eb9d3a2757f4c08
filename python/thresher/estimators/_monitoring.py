"""Monitoring of new rows: a function that the base class has as a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from ..monitoring import TermMonitoring
    from ..monitoring._sample import Scored


def monitor(
    self: Any,
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
    output: Any = None,
) -> TermMonitoring:
    """Compare new rows with reference rows: stability of the score and of each term, and performance.

    The stability index of shares a (new) and e (reference) of bins is

        sum (a - e) ln(a / e),

    of the score over its deciles in the reference (PSI), of a rule or pattern over the rows in which it holds
    and the others, of a column of an additive model over its bins. A bin without rows on one side counts as
    half a row there, of mean weight unless weights are numbers of rows: whole ones that are not all equal.

    Parameters
    ----------
    X_reference : as in fit
        Rows or records such as those of training.
    X_new : as in fit
        The rows to compare.
    y_reference, y_new : array-like or str, optional
        Their targets, for observed beside predicted values, and for classes AUC, Gini and KS; missing where
        one is not known yet. These, weights and periods may be names of columns of the rows.
    sample_weight_reference, sample_weight_new : array-like or str, optional
        Their weights; rows without one are left out, with a warning. Whole numbers count as rows in indices
        by chance: divide survey weights by their mean.
    period : array-like of shape (n_rows,) or str, optional
        The period of each new row, such as its month; each period is compared with the reference.
    by : {"week", "month", "quarter", "year"}, optional
        `period` has dates; the periods are their ISO weeks, months, quarters or years.
    n_bins : int, default=10
        The most bins of the score, of equal weight in the reference.
    thresholds : (float, float), default=(0.1, 0.25)
        The stability indices from which a shift is called moderate and large.
    output : object, optional
        The class or target to monitor, where the model has several.

    Returns
    -------
    TermMonitoring
        The indices; prints as a table, ``periods`` has a line for each period, ``bins`` the bins of the
        score (and of the columns of an additive model) with observed and predicted values, ``values`` counts
        of missing values and special codes, of numbers beyond the range of the reference and of categories
        (ids) that training did not see; of sequences and item-sets those of empty records, and of records
        with events or items that training did not see.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, `period` has another length, or a parameter is invalid. Rows without a
        period are in none, with a warning.

    Examples
    --------
    >>> from thresher import ItemsetRegressor
    >>> records = [{"a"}, {"b"}, {"a", "b"}, set()] * 10
    >>> model = ItemsetRegressor(alpha=0.01).fit(records, [1.0, 0.0, 1.0, 0.0] * 10)
    >>> found = model.monitor(records, [{"a"}, {"a", "c"}, {"b"}] * 10)
    >>> round(found.psi, 3), found.terms[0].text, round(found.terms[0].support_new, 3)
    (0.116, 'a', 0.667)
    >>> found.values.columns()["unseen"], found.values.columns()["unseen_levels"]
    ([10.0], [['c']])
    """
    from ..monitoring._compare import Comparison, Given

    check_is_fitted(self)
    scored = self._scored(self._fitted.place_of(output))
    given = Given(y_reference, y_new, sample_weight_reference, sample_weight_new, period, by)
    return Comparison(scored, X_reference, X_new, given, n_bins, thresholds).term_monitoring()


def scored(self: Any, output: int) -> Scored:
    """Return the score of an output as the sum of its rules or patterns."""
    from ..monitoring._model_scores import ScoredTerms

    return ScoredTerms(self, output)
