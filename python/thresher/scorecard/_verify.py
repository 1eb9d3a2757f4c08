"""Verification of a card: a function that the card has as a method."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .. import _native
from ._files import TOLERANCE


def verify(
    self: Any,
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
        If the points are farther from those of the model than rounding moves them, or the certificate does
        not hold.
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
    most = TOLERANCE * (1 + abs(self.base_points))
    if self.whole:  # the bound of `scaled_card` on the rounding of whole points
        most += (1 + sum(1 - 1 / len(own.texts) for own in self.bins)) / 2
    if not self.max_error <= most:
        raise _native.CertificateError(
            f"the points are not those of the model: they move a score by up to {self.max_error:.6g} points, "
            f"and rounding by at most {most:.3g}"
        )
    return self.model.verify(self._aligned(X), y, sample_weight=sample_weight, time_limit=time_limit)
