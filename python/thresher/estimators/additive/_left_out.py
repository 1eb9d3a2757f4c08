"""Columns of many categories without which a card has less held-out loss.

The categories of a column are ordered by their targets, so that a column of many unrelated ones has the
step that gains most in training. The held-out loss then refuses this step, and with it all that come after
it: a clear effect of another column stays hidden. Where the categories differ by chance for the most part,
strengths are therefore compared on the same folds without these columns as well, and the lower held-out
loss wins. If it is the one without several columns, each of them may come back, those of the largest
differences first, if that lowers the held-out loss.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...model_io.files import bad_model
from .._training import FitResult, TrainingData, to_json

Fit = Callable[[TrainingData], Any]

_ROUNDING = 1e-9  # difference below which two losses count as equal, relative to them, as in the core


class _Card(NamedTuple):
    """A compiled model, the columns that it was fitted without, and its held-out loss.

    Without time there is no model, and without time for a comparison no loss.
    """

    model: Any
    left_out: tuple[int, ...]
    loss: float

    def is_better(self, other: _Card) -> bool:
        """Return whether the loss is lower, by more than rounding."""
        return self.loss < (1 - _ROUNDING) * other.loss


def fit_without_doubtful(
    data: TrainingData, fit: Fit, doubtful: Sequence[int]
) -> tuple[Any, tuple[int, ...]]:
    """Fit with and without doubtful columns; take the model of the lower held-out loss.

    Parameters
    ----------
    data : TrainingData
        The training rows, with folds.
    fit : callable
        Fits a compiled model.
    doubtful : sequence of int
        The columns that may be left out, in the order in which they may come back.

    Returns
    -------
    model : object
        The compiled model.
    left_out : tuple of int
        The columns that it was fitted without, ascending.
    """
    payload = json.loads(data.payload)
    n_kept = len(data.inputs.names) - len(payload["exclude"])
    if not doubtful or len(doubtful) == n_kept:
        return fit(data), ()
    is_proved = payload["gap_tol"] is not None
    back = doubtful if len(doubtful) > 1 else ()
    fits = _Fits(data, fit, payload, n_left=2 + len(back) + is_proved)
    best = fits.card(())
    without = fits.card(doubtful)
    if without.is_better(best):
        best = without
        for place in back:
            card = fits.card(set(best.left_out) - {place})
            best = card if card.is_better(best) else best
    if is_proved or best.model is None:
        best = fits.last(best.left_out)
    fits.remove_journals()
    return best.model, best.left_out


@dataclass
class _Fits:
    """Fits without some columns, which share the time."""

    data: TrainingData
    fit: Fit
    payload: Mapping[str, Any]
    n_left: int  # that the time that is left is for

    def __post_init__(self) -> None:
        targets = self.data.target
        spread = targets.values.var(axis=0) if targets.classes is None else np.ones(targets.values.shape[1])
        self._scales = np.where(spread > 0, spread, 1.0)
        self._journals: list[Any] = []

    def card(self, left_out: Collection[int]) -> _Card:
        """Fit without some columns, in a part of the time and without the proof that `gap_tol` asks for."""
        seconds = self.data.budget.seconds_left
        part = None if seconds is None else seconds / self.n_left
        self.n_left -= 1
        try:
            return self._card(tuple(sorted(left_out)), time_limit=part, gap_tol=None)
        except TimeoutError:
            return _Card(None, tuple(sorted(left_out)), np.inf)

    def last(self, left_out: tuple[int, ...]) -> _Card:
        """Fit without some columns, in the time that is left."""
        return self._card(left_out, time_limit=self.data.budget.seconds_left)

    def _card(self, left_out: tuple[int, ...], **options: Any) -> _Card:
        parameters = {**self.payload, "exclude": [*self.payload["exclude"], *left_out], **options}
        data = replace(self.data, payload=to_json(parameters), journal=self._journal(left_out))
        model = self.fit(data)
        scores = [output["cv"] for output in json.loads(model.to_json())["outputs"]]
        if not all(scores):
            return _Card(model, left_out, np.inf)
        least = np.array([min(score["mean"]) for score in scores])
        return _Card(model, left_out, float((least / self._scales).sum()))

    def _journal(self, places: tuple[int, ...]) -> Any:
        """Return the file of the results of searches; those without other columns are others."""
        own = self.data.journal
        if own is None or not places:
            return own
        path = own.with_name(f"{own.stem}-{zlib.crc32(repr(places).encode()):08x}{own.suffix}")
        self._journals.append(path)
        return path

    def remove_journals(self) -> None:
        """Remove the files of searches without some columns."""
        for path in self._journals:
            path.unlink(missing_ok=True)


def left_out_of(envelope: Mapping[str, Any], n_columns: int) -> tuple[int, ...]:
    """Read which columns a fit left out.

    Parameters
    ----------
    envelope : mapping
        A checked envelope.
    n_columns : int
        The number of columns of the model.

    Returns
    -------
    tuple of int
        Their positions, ascending; empty where the file has none.

    Raises
    ------
    FormatError
        If they are no such numbers.
    """
    places = envelope.get("left_out", [])
    is_list = isinstance(places, list) and all(type(place) is int for place in places)
    if not is_list or places != sorted(set(places)) or not all(0 <= place < n_columns for place in places):
        raise bad_model("'left_out' must be a list of positions of columns, in increasing order")
    return tuple(places)


def names_left_out(result: FitResult) -> list[str]:
    """Name the columns that a fit left out.

    Parameters
    ----------
    result : FitResult
        The result of the fit.

    Returns
    -------
    list of str
        Their names.
    """
    return [result.schema.names[place] for place in result.left_out]
