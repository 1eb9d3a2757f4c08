"""Score cards scaled to points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _native
from ..formatting.numbers import format_value
from ..model_io.files import parse, read_source
from ..results.bin_edit import EditedBins
from . import _files
from ._points import CardInPoints, Points, exact_base, exact_points
from .scaling import Scaling

if TYPE_CHECKING:
    from ..plotting.scorecards import CardDisplay


@dataclass(frozen=True, repr=False)
class ScaledCard(CardInPoints):
    """A score card in points: the score of a row is the base points and the points of one bin in each column.

    The result of :meth:`L0AdditiveClassifier.scaled_card`; prints as a table, shows as HTML in notebooks.

    Parameters
    ----------
    model : L0AdditiveClassifier
        The fitted model of two classes; a copy, which later fits of the estimator do not change.
    scaling : Scaling
        The scale: ``pdo``, ``base_score``, ``base_odds``, ``high_score``.
    whole : bool
        Whether all points are whole numbers.
    base_points : float
        The points that every row has.
    points : tuple of tuple of float
        The points of each bin of :attr:`bins`, column by column.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> model = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y)
    >>> card = model.scaled_card(pdo=20, base_score=600, base_odds=50)
    >>> print(card)
    The score is the base points and the points of one bin in each column.
    At 600 the odds of class 'good' to class 'bad' are 50:1; 20 points more double them.
      points  bin            support
         484  (base points)
              x0
         +45    x0 <= 9          50%
         -45    x0 > 9           50%
          +0    x0 missing        0%
    Rounding moves a score by at most 0.48 points (0.017 in log-odds).
    >>> card.score(X[[0, 15]]).tolist()
    [529, 439]
    """

    model: Any
    scaling: Scaling
    whole: bool
    base_points: float
    points: Points

    @cached_property
    def max_error(self) -> float:
        """The largest difference in points between any score and the exact one of the model.

        The sum of the largest errors of the columns: no row has more, and the row of the worst bin in
        each column has as much.
        """
        low = high = self._errors[0]
        for errors in self._errors[1]:
            low, high = low + float(errors.min()), high + float(errors.max())
        return max(abs(low), abs(high))

    @cached_property
    def _errors(self) -> tuple[float, list[NDArray[np.float64]]]:
        """The points of the base, and of each bin of each column, less the exact ones."""
        pairs = zip(self.bins, self.points, strict=True)
        errors = [
            np.asarray(points) - exact_points(self.model, self.scaling, column) for column, points in pairs
        ]
        return self.base_points - exact_base(self.model, self.scaling), errors

    def rounding_error(self, X: Any) -> NDArray[np.float64]:
        """Return how far whole points move the scores of rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The score less the exact one; never more than :attr:`max_error` either way.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`score`.
        """
        table = self._table(X)
        base, errors = self._errors
        found = np.full(table.n_rows, base, dtype=np.float64)
        for column, of_bins in zip(self.bins, errors, strict=True):
            found += of_bins[column.codes(table)]
        return found

    # ------------------------------------------------------------------ the table

    def _note(self) -> str:
        return (
            "The score is the base points and the points of one bin in each column.\n"
            + self._scale_sentence()
        )

    def _scale_sentence(self) -> str:
        scaling = self.scaling
        first, last = self.model._fitted.classes.tolist()
        favoured, other = (last, first) if scaling.sign > 0 else (first, last)
        score, odds, pdo = (
            format_value(float(x)) for x in (scaling.base_score, scaling.base_odds, scaling.pdo)
        )
        return (
            f"At {score} the odds of class {favoured!r} to class {other!r} are {odds}:1; "
            f"{pdo} points more double them."
        )

    def _footer(self) -> str:
        rounding = ""
        if self.whole:
            error, log_odds = self.max_error, self.max_error / self.scaling.factor
            rounding = f"Rounding moves a score by at most {error:.2f} points ({log_odds:.3f} in log-odds)."
        return "\n".join(filter(None, (rounding, self._weights_note)))

    # ------------------------------------------------------------------ practice

    def edit_bins(
        self,
        X: Any,
        y: ArrayLike,
        bins: Mapping[Any, Any],
        sample_weight: ArrayLike | None = None,
        *,
        base: Literal["average", "lowest", "spread"] | None = None,
    ) -> EditedBins:
        """Replace the bins of columns by given ones, fit all values again, and say what that costs.

        Parameters
        ----------
        X, y : array-like
            The training data of the model.
        bins : dict
            By column the new bins, as in :meth:`L0AdditiveClassifier.edit_bins`.
        sample_weight : array-like, optional
            The training weights.
        base : {"average", "lowest", "spread"}, optional
            Where the points of a column begin, as in ``scaled_card``; by default as in this card.

        Returns
        -------
        EditedBins
            The price of each edit alone and of all together, and ``card``, a card of the same scale.

        Raises
        ------
        TypeError, ValueError
            As in the model's ``edit_bins``.

        Examples
        --------
        >>> import numpy as np
        >>> from thresher import L0AdditiveClassifier
        >>> X = np.arange(200.0)[:, None] % 20
        >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
        >>> card = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y).scaled_card()
        >>> edited = card.edit_bins(X, y, {"x0": [4, 9]})
        >>> round(edited.price, 2), edited.card.bins[0].texts
        (2.0, ('x0 <= 4', '4 < x0 <= 9', 'x0 > 9', 'x0 missing'))
        """
        from ._scale import scale_card

        edited: EditedBins = self.model.edit_bins(self._aligned(X), y, bins, sample_weight)
        base = self._base if base is None else base
        return replace(edited, card=scale_card(edited.model, self.scaling, whole=self.whole, base=base))

    @property
    def _base(self) -> Literal["average", "lowest", "spread"]:
        """Where the points of a column begin, as the points have it."""
        if all(min(column) == 0 for column in self.points):
            return "lowest"
        return "average" if self.base_points else "spread"

    def verify(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        time_limit: float | None = None,
    ) -> Any:
        """Verify that the card's points are those of its model, and the certificate of the model.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The training data of the model.
        time_limit : float, optional
            Seconds after which the verification ends with an error; by default there is no limit.

        Returns
        -------
        Certificate
            What the model's ``verify`` proves again.

        Raises
        ------
        CertificateError
            If the points are farther from those of the model than rounding moves them, or the certificate
            does not hold.
        TypeError, ValueError
            If the data cannot be read.
        TimeoutError
            If the time is over before; the message says which outputs are confirmed.

        Examples
        --------
        >>> import numpy as np
        >>> from thresher import L0AdditiveClassifier
        >>> X = np.arange(200.0)[:, None] % 20
        >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
        >>> card = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y).scaled_card()
        >>> card.verify(X, y).relative_gap < 0.05
        True
        """
        most = _files.TOLERANCE * (1 + abs(self.base_points))
        if self.whole:  # the bound of `scaled_card` on the rounding of whole points
            most += (1 + sum(1 - 1 / len(column.texts) for column in self.bins)) / 2
        if not self.max_error <= most:
            raise _native.CertificateError(
                "the points are not those of the model: they move a score by up to "
                f"{self.max_error:.6g} points, and rounding by at most {most:.3g}"
            )
        return self.model.verify(self._aligned(X), y, sample_weight=sample_weight, time_limit=time_limit)

    def plot(self, *, max_features: int = 20, ax: Any = None) -> CardDisplay:
        """Draw the points of each bin, the most important columns first.

        Parameters
        ----------
        max_features : int, default=20
            The most columns to draw.
        ax : matplotlib Axes, optional
            Where to draw; the panels take its place.

        Returns
        -------
        CardDisplay
            The plot, with ``figure_`` and ``axes_``.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        from ..plotting.scorecards import CardDisplay

        return CardDisplay.from_card(self, max_features=max_features, ax=ax)

    # ------------------------------------------------------------------ files

    to_json = _files.to_json

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Load a card.

        Parameters
        ----------
        source : str or Path
            The text, or the path of a file.

        Returns
        -------
        ScaledCard
            The card.

        Raises
        ------
        FormatError
            If the text is truncated or edited, has another version, or its points are not those of its model.
        FileNotFoundError
            If there is no such file.
        """
        return cls._restored(parse(read_source(source)))

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Self:
        return _files.restored(cls, content)
