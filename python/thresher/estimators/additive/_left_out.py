"""Columns of many categories without which a card has less held-out loss.

The categories of a column are ordered by their targets, so that a column of many unrelated ones has the
step that gains most in training. The held-out loss then refuses this step, and with it all that come after
it: a clear effect of another column stays hidden. Where the categories differ by chance for the most part,
strengths are therefore compared on the same folds without these columns as well, and the lower held-out
loss wins. If it is the one without several columns, each of them may come back, those of the largest
differences first, if that lowers the held-out loss.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...model_io.files import bad_model
from .._compared_fits import ComparedFit, ComparedFits, Fit
from .._training import FitResult, TrainingData


def fit_without_doubtful(
    data: TrainingData, fit: Fit, doubtful: Sequence[int]
) -> tuple[Any, tuple[tuple[int, ...], Any]]:
    """Fit with and without doubtful columns; take the model of the lower held-out loss.

    Parameters
    ----------
    data : TrainingData
        The training rows, with folds.
    fit : callable
        Returns the compiled model and what it chose.
    doubtful : sequence of int
        The columns that may be left out, in the order in which they may come back.

    Returns
    -------
    model : object
        The compiled model.
    choices : tuple
        The columns that it was fitted without, ascending, and what `fit` chose.
    """
    parameters = data.parameters
    n_kept = len(data.inputs.names) - len(parameters["exclude"])
    if not doubtful or len(doubtful) == n_kept:
        model, chosen = fit(data)
        return model, ((), chosen)
    is_proved = parameters["gap_tol"] is not None
    back = doubtful if len(doubtful) > 1 else ()
    n_left = 2 + len(back) + is_proved
    fits = ComparedFits(data, fit)

    def card(left_out: Collection[int]) -> ComparedFit:
        nonlocal n_left
        part, n_left = 1 / n_left, n_left - 1
        return fits.attempt({**without(left_out), "gap_tol": None}, _name(left_out), part)

    def without(left_out: Collection[int]) -> dict[str, Any]:
        return {"exclude": [*parameters["exclude"], *sorted(left_out)]}

    left_out: frozenset[int] = frozenset()
    best, other = card(left_out), card(doubtful)
    if other.is_better(best):
        best, left_out = other, frozenset(doubtful)
        for place in back:
            other = card(left_out - {place})
            if other.is_better(best):
                best, left_out = other, left_out - {place}
    if is_proved or best.model is None:
        best = fits.run(without(left_out), _name(left_out))
    fits.remove_journals()
    return best.model, (tuple(sorted(left_out)), best.training)


def _name(places: Collection[int]) -> str:
    return f"{zlib.crc32(repr(sorted(places)).encode()):08x}" if places else ""


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
