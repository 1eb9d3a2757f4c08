"""What becomes of the rows at each cutoff of the score of two classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._data import Groups
from ._scored import Scored

MOST_CUTOFFS = 1_000  # steps of the slider: three decimals of a probability, 10 kB of the page


def cutoffs_of(
    found: Scored, card: Any = None, X: Any = None, groups: Groups | None = None
) -> dict[str, Any] | None:
    """Count the rows of both classes on the safe side of each cutoff; None without two classes and targets.

    Rows are on the safe side where the event is not predicted: up to the cutoff, or from it on where a high
    score of a card is a low risk. The cutoff of ``predict`` is the start.

    Parameters
    ----------
    found : Scored
        The answers of a model.
    card : ScaledCard, optional
        The card in points that answered.
    X : table, optional
        The rows of the card.
    groups : Groups, optional
        A division of the rows, whose rates are shown too.

    Returns
    -------
    dict or None
        ``first``, ``step`` and ``start`` (a position) of the cutoffs, ``is_high_safe``, the total weights
        ``events`` and ``others``, and ``safe``: what each cutoff adds to those of the cutoffs before it; in
        ``groups`` the same of each group.
    """
    if found.truth is None or not found.is_binary:
        return None
    weights = np.ones(found.truth.size) if found.weights is None else found.weights
    truth, counts = found.truth == 1, weights > 0
    value = found.scores(1) if card is None else card.score(X).astype(np.float64)
    value, truth, weights = value[counts], truth[counts], weights[counts]
    is_high_safe = card is not None and card.scaling.sign < 0
    if card is None and found.probabilities is not None:
        step, first, last, start = 1 / MOST_CUTOFFS, 0, MOST_CUTOFFS, 0.5
    else:
        low, high = float(value.min()), float(value.max())
        step = _round_step((high - low) / (MOST_CUTOFFS - 2) or 1.0, is_whole=card is not None and card.whole)
        first, last = math.floor(low / step), math.ceil(high / step) + 1
        start = 0.0 if card is None else card.scaling.even_score
    cutoffs = np.asarray([float(f"{k * step:.12g}") for k in range(first, last + 1)])

    def of_rows(rows: NDArray[np.bool_]) -> dict[str, Any]:
        members = (truth & rows, ~truth & rows)
        events, others = (float(weights[member].sum()) for member in members)
        safe = [_added(value[member], weights[member], cutoffs, is_high_safe) for member in members]
        return {"events": events, "others": others, "safe": safe}

    parts = []
    if groups is not None:
        codes = groups.codes[counts]
        members = [(label, np.asarray(codes == k)) for k, label in enumerate(groups.labels)]
        parts = [{"label": label, **of_rows(rows)} for label, rows in members if rows.any()]
    place = int(np.searchsorted(cutoffs, start, "left" if is_high_safe else "right")) - (not is_high_safe)
    return {
        "first": first,
        "step": step,
        "start": min(max(place, 0), cutoffs.size - 1),
        "is_high_safe": is_high_safe,
        "is_chance": card is None and found.probabilities is not None,
        "is_card": card is not None,
        **of_rows(np.ones(value.size, dtype=np.bool_)),
        "groups": parts,
        "group": None if groups is None else groups.name,
        "labels": list(map(str, found.classes or ())),
    }


def _round_step(least: float, *, is_whole: bool) -> float:
    """Return 1, 2 or 5 times a power of ten, at least as large; a whole number for whole points."""
    power = 10.0 ** math.floor(math.log10(least))
    step = next(k * power for k in (1, 2, 5, 10) if k * power >= least)
    return max(1.0, step) if is_whole else step


def _added(
    value: NDArray[np.float64], weights: NDArray[np.float64], cutoffs: NDArray[np.float64], is_high_safe: bool
) -> list[float]:
    """Return the weight on the safe side of the first cutoff, and what each further one adds to it."""
    order = np.argsort(value, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    at = np.searchsorted(value[order], cutoffs, "left" if is_high_safe else "right")
    safe = below[-1] - below[at] if is_high_safe else below[at]
    added = np.diff(safe, prepend=0.0)
    return [int(x) if float(x).is_integer() else float(f"{x:.9g}") for x in added.tolist()]
