"""Edits of the bins of a card: a function that the card has as a method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from numpy.typing import ArrayLike

from ..results.bin_edit import EditedBins


def edit_bins(
    self: Any,
    X: Any,
    y: ArrayLike,
    bins: Mapping[Any, Any],
    sample_weight: ArrayLike | None = None,
    *,
    base: Literal["average", "lowest", "spread"] = "average",
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
    base : {"average", "lowest", "spread"}, default="average"
        Where the points of a column begin, as in ``scaled_card``.

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
    return replace(edited, card=scale_card(edited.model, self.scaling, whole=self.whole, base=base))
