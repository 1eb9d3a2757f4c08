"""Binning tables, score cards in points, monitoring: functions that the additive models have as methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ...data.fit_rows import rows_of_weight
from ...validation import check, integer

if TYPE_CHECKING:
    from ...monitoring import Monitoring
    from ...monitoring._sample import Scored
    from ...scorecard.binning_table import BinningTable
    from ...scorecard.card import ScaledCard
    from ...scorecard.point_card import PointCard


def binning_table(
    self: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, output: Any = None
) -> BinningTable:
    """Return the bins of each column in use, with what rows say about them.

    Counts, event rates, weight of evidence (WoE) and information value (IV) of classes, means of numbers,
    beside the model's contribution. Missing values and each special code have a line of their own, also
    where they share a bin.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n_rows, n_features)
        The rows, such as those of training. The columns of a frame are found by name; it may have others.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs), or str
        Their classes or numbers, or the name of a column of X. Events are the rows of class ``pos_label_``.
    sample_weight : array-like of shape (n_rows,) or str, optional
        Weights of the rows, or the name of a column of X. Without them every row counts once, also where the
        fit had some; ``class_weight`` does not count here.
    output : object, optional
        The class (events are its rows) or the target, where the model has several.

    Returns
    -------
    BinningTable
        Prints as text, shows as HTML in notebooks; ``to_frame()`` gives a data frame, ``iv`` the
        information value of each column.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, or there is no such output.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> model = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y)
    >>> print(model.binning_table(X, y))
    Events are the rows of class 'bad'; WoE = ln(share of others / share of events).
      bin           count  share  events  others   rate     WoE     IV  effect
      x0              200   100%     103      97  51.5%          2.529
        x0 <= 9       100    50%      16      84  16.0%  +1.718  1.221  -1.548
        x0 > 9        100    50%      87      13  87.0%  -1.841  1.308  +1.548
        x0 missing      0     0%       0       0      -       -  0.000  +0.000
    """
    from ...scorecard.binning_table import binning_table

    return binning_table(self, X, y, sample_weight, output)


def point_card(
    self: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, max_points: int = 10
) -> PointCard:
    """Return the model as a score card with integer points.

    The values of the model are rounded to multiples of 200 sizes of a point, with at most `max_points`
    points for a step; constant and scale are refitted to the given rows, and the card of least loss is
    selected. The lowest step of each column has 0 points. The scale of points that separate the classes
    is the size of a point: every larger one has a smaller loss.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The rows on which the loss is computed, such as those of training.
    max_points : int, default=10
        The most points of a step.

    Returns
    -------
    PointCard
        The card, with ``loss`` (of the points) and ``exact_loss`` (of the model) on these rows. Of two
        classes it has ``predict_proba``, ``point_table``, ``reasons``, ``bands``, ``to_sql``, ``to_python``.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, `max_points` is not a whole number >= 1, or the
        model has several outputs.
    """
    from ...scorecard._whole_points import point_card

    check("max_points", max_points, integer(1))
    with rows_of_weight(sample_weight):
        table = self._table(X)
    target = self._read_target(y, table.n_rows, self._fitted)
    weights = self._weights(target, sample_weight, table.n_rows)
    if len(self._path_index) != 1 or target.values.shape[1] != 1:
        raise ValueError("a card of integer points is for one output; the model has several")
    return point_card(self, table, target.values[:, 0], weights, max_points)


def scaled_card(
    self: Any,
    *,
    pdo: float = 20.0,
    base_score: float = 600.0,
    base_odds: float = 50.0,
    high_score: Literal["low_risk", "high_risk"] = "low_risk",
    whole: bool = True,
    base: Literal["average", "lowest", "spread"] = "average",
) -> ScaledCard:
    r"""Scale the model of two classes to points, as score cards of banks are.

    The event, whose probability is the risk, is the class ``pos_label_``. With z
    its log-odds, and s = -1 where a high score means a low risk, else 1,

        score = base_score + pdo / ln 2 * (s z - ln base_odds),

    which is base points and the points of one bin in each column. Whole points keep the order of a
    column's bins; they are chosen such that the largest difference between a score and the exact one,
    ``max_error``, is small: at most ``(1 + sum of (1 - 1 / m_j)) / 2`` points with m_j bins in column j.

    Parameters
    ----------
    pdo : float, default=20
        Points that double the odds.
    base_score : float, default=600
        The score at the odds `base_odds`.
    base_odds : float, default=50
        The odds at `base_score` in favour of what a high score means: non-events to events where that is
        a low risk, else events to non-events.
    high_score : {"low_risk", "high_risk"}, default="low_risk"
        What a high score means.
    whole : bool, default=True
        Whether to round to whole points.
    base : {"average", "lowest", "spread"}, default="average"
        "average": the base points are the mean score of the training rows, as whole points up to the errors
        that rounding adds to the columns, and points are gains and losses against it. "lowest": the lowest
        bin of each column has 0 points. "spread": the base points are divided among the columns. The
        scores are the same.

    Returns
    -------
    ScaledCard
        The card: ``score``, ``predict_proba``, ``reasons``, ``monitor``, ``binning_table``, ``plot``,
        ``to_json``, ``to_sql``, ``to_python``, ``to_excel``, ``to_pmml``.

    Raises
    ------
    ValueError
        If a parameter is invalid, the model has more than two classes, or the points are too large.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> model = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y)
    >>> card = model.scaled_card(pdo=20, base_score=600, base_odds=50, base="lowest")
    >>> card.base_points, card.score(X[[0, 15]]).tolist()
    (439, [529, 439])
    """
    from ...scorecard._scale import scale_card
    from ...scorecard.scaling import Scaling

    check_is_fitted(self)
    scaling = Scaling.checked(pdo, base_score, base_odds, high_score)
    return scale_card(self, scaling, whole=whole, base=base)


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
) -> Monitoring:
    """Compare new rows with reference rows: stability of predictions and columns, targets beside predictions.

    As ``monitor`` of a score card in points, with the prediction in the place of the score and the means of
    targets and predictions in the place of rates.

    Parameters
    ----------
    X_reference : array or frame of shape (n_reference, n_features)
        Rows such as those of training.
    X_new : array or frame of shape (n_rows, n_features)
        The rows to compare.
    y_reference, y_new : array-like or str, optional
        Their targets; missing where one is not known yet. These, weights and periods may be names of columns
        of the rows.
    sample_weight_reference, sample_weight_new : array-like or str, optional
        Their weights.
    period, by, n_bins, thresholds : object
        As in :meth:`ScaledCard.monitor`.

    Returns
    -------
    Monitoring
        The indices; ``periods``, ``bins`` and ``values`` as for a card.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, a parameter is invalid, or the model has several targets.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveRegressor
    >>> X = np.arange(200.0)[:, None] % 20
    >>> model = L0AdditiveRegressor(lambda0=1.0).fit(X, 3.0 * (X[:, 0] > 9))
    >>> found = model.monitor(X, X[X[:, 0] > 4], y_new=3.5 * (X[X[:, 0] > 4, 0] > 9))
    >>> round(found.total.predicted, 2), round(found.total.event_rate, 2)
    (1.99, 2.33)
    """
    from ...monitoring._compare import Comparison, Given

    check_is_fitted(self)
    if len(self._path_index) != 1:
        raise ValueError("monitor: the model has several targets; fit one model for each to monitor them")
    given = Given(y_reference, y_new, sample_weight_reference, sample_weight_new, period, by)
    return Comparison(self._scored(0), X_reference, X_new, given, n_bins, thresholds).monitoring()


def scored(self: Any, output: int) -> Scored:
    """Return the score of an output as the sum of its step functions, for monitoring."""
    from ...scorecard._monitor import ScoredSteps

    return ScoredSteps(self, output)
