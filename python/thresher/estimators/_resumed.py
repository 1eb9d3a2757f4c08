"""Fits that go on after the end of their process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..model_io.checkpoint import FIT, PATH, Checkpoint, is_whole_fit
from ._training import GivenRows, PathRequest


def fit_resumable(
    estimator: Any,
    rows: GivenRows,
    path: PathRequest | None = None,
    folder: str | Path | None = None,
    searches: Any = None,
) -> None:
    """Fit an estimator, from what a folder has of the fit.

    Parameters
    ----------
    estimator : estimator
        The estimator; it is changed only if the fit succeeds.
    rows : GivenRows
        The data.
    path : PathRequest or None, default=None
        A path in place of one model.
    folder : str, Path or None, default=None
        Where the results of steps and the model are kept.
    searches : DaskSearches or None, default=None
        What hands searches out.

    Raises
    ------
    ValueError
        If the fit depends on more than the parameters and the data.
    OSError
        If a file cannot be written.
    """
    if folder is None:
        estimator._fit(rows, path, searches=searches)
        return
    estimator._validate()
    _refuse_other_states(estimator)
    checkpoint = Checkpoint(folder, estimator)
    fingerprint = checkpoint.fingerprint((*rows[:3], path, rows.groups))
    name = FIT if path is None else PATH
    found = checkpoint.load(name, fingerprint)
    journal = checkpoint.journal(name, fingerprint)
    if found is not None:
        estimator._set_attributes(found._fitted, found._path_index)
    else:
        estimator._fit(rows, path, journal, searches)
        if not is_whole_fit(estimator, path is not None):
            return
        checkpoint.save(name, fingerprint, estimator)
    journal.unlink(missing_ok=True)  # also that of a process which ended between the two


def _refuse_other_states(estimator: Any) -> None:
    parameters = estimator.get_params(deep=False)
    if parameters.get("warm_start"):
        raise ValueError(
            "checkpoint: with warm_start=True a fit goes on from the last model, which the folder does not "
            "have; give warm_start=False"
        )
    if parameters.get("random_state", 0) is None:
        raise ValueError(
            "checkpoint: with random_state=None each fit begins elsewhere; give random_state a number"
        )
    folds = parameters.get("cv")
    if getattr(folds, "shuffle", True) and getattr(folds, "random_state", 0) is None:
        raise ValueError(f"checkpoint: cv={folds} has other folds each time; give its random_state a number")
