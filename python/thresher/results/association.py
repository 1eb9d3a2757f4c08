"""How a pattern and a class go together: recall, odds ratio, Fisher's exact test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats


@dataclass(frozen=True)
class Association:
    """The association of a pattern with a class, in given records.

    Parameters
    ----------
    recall : float or None
        The fraction of the records of the class that have the pattern; None without such records.
    odds_ratio : float or None
        The odds of the class with the pattern over those without it: infinite where a divisor is 0, None
        where the dividend is 0 too.
    p_value : float or None
        Fisher's exact test, two-sided, that pattern and class are independent; None for records with weights,
        which have no exact test.
    """

    recall: float | None
    odds_ratio: float | None
    p_value: float | None

    @classmethod
    def of(
        cls, events: NDArray[np.bool_], is_present: NDArray[np.bool_], weights: NDArray[np.float64] | None
    ) -> Association:
        """Compute the association.

        Parameters
        ----------
        events : ndarray of bool
            Whether each record is of the class.
        is_present : ndarray of bool
            Whether it has the pattern.
        weights : ndarray or None
            The weights of the records.

        Returns
        -------
        Association
            The measures.

        Examples
        --------
        >>> events = np.array([True] * 4 + [False] * 4)
        >>> Association.of(events, events, None).p_value.__round__(4)
        0.0286
        """
        parts = (is_present & events, is_present & ~events, ~is_present & events, ~is_present & ~events)
        sizes = [float(np.count_nonzero(part) if weights is None else weights[part].sum()) for part in parts]
        with_event, with_none, without_event, without_none = sizes
        n_events = with_event + without_event
        over, under = with_event * without_none, with_none * without_event
        ratio = over / under if under > 0 else (np.inf if over > 0 else None)
        p_value = None
        if weights is None:
            p_value = float(stats.fisher_exact(np.reshape(sizes, (2, 2)).astype(int)).pvalue)
        return cls(with_event / n_events if n_events > 0 else None, ratio, p_value)
