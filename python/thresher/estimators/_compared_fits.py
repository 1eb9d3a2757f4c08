"""Fits of the same rows with different parameters, of which that of the least held-out loss is taken."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..data.core_parameters import with_options
from ._training import TrainingData

Fit = Callable[[TrainingData], tuple[Any, Any]]

_ROUNDING = 1e-9  # difference below which two losses count as equal, relative to them, as in the core


class ComparedFit(NamedTuple):
    """What a fit gives, and its held-out loss.

    Without time there is no model, and without time for a comparison no loss. It is complete if the time
    sufficed for the whole comparison.
    """

    model: Any
    training: Any
    loss: float
    is_complete: bool

    def is_better(self, other: ComparedFit) -> bool:
        """Return whether the loss is lower, by more than rounding."""
        return self.loss < (1 - _ROUNDING) * other.loss


@dataclass
class ComparedFits:
    """Fits on the same folds, which share the time.

    Parameters
    ----------
    data : TrainingData
        The training rows, with folds.
    fit : callable
        Returns the compiled model and the core's training data.
    """

    data: TrainingData
    fit: Fit
    _journals: list[Path] = field(default_factory=list)

    def attempt(self, changes: Mapping[str, Any], name: str, part: float) -> ComparedFit:
        """Fit as :meth:`run` does, or without a model where the time is too short."""
        try:
            return self.run(changes, name, part)
        except TimeoutError:
            return ComparedFit(None, None, np.inf, is_complete=False)

    def run(self, changes: Mapping[str, Any], name: str = "", part: float = 1.0) -> ComparedFit:
        """Fit with some parameters changed, in a part of the time that is left.

        Parameters
        ----------
        changes : mapping
            The parameters of the core that differ.
        name : str, default=""
            Tells the results of its searches from those of other fits in a checkpoint.
        part : float, default=1.0
            The part of the time.

        Returns
        -------
        ComparedFit
            The fit.

        Raises
        ------
        TimeoutError
            If it is too short.
        """
        seconds = self.data.budget.seconds_left
        time_limit = None if seconds is None else part * seconds
        parameters = with_options(self.data.parameters, **changes, time_limit=time_limit)
        budget = self.data.budget if time_limit is None else self.data.budget.of_part(time_limit)
        data = replace(self.data, parameters=parameters, journal=self._journal(name), budget=budget)
        model, training = self.fit(data)
        outputs = json.loads(model.to_json())["outputs"]
        is_complete = all(output["points"][output["selected"]]["complete"] for output in outputs)
        return ComparedFit(model, training, self._held_out_loss(outputs), is_complete)

    def _held_out_loss(self, outputs: list[dict[str, Any]]) -> float:
        """Add the least held-out losses of the outputs, those of numbers relative to the variance."""
        scores = [output["cv"] for output in outputs]
        if not all(scores):
            return np.inf
        least = np.array([min(score["mean"]) for score in scores])
        return float((least / self._scales()).sum())

    def _scales(self) -> Any:
        """Return the variance of each output that is a number, over the rows of positive weight; else 1."""
        values, weights = self.data.target.values, self.data.weights
        if self.data.target.classes is not None:
            return 1.0
        if weights is not None:
            values, weights = values[weights > 0], weights[weights > 0]
        deviations = values - np.average(values, axis=0, weights=weights)
        variances = np.average(deviations**2, axis=0, weights=weights)
        return np.where(variances > 0, variances, 1.0)

    def _journal(self, name: str) -> Path | None:
        own = self.data.journal
        if own is None or not name:
            return own
        path = own.with_name(f"{own.stem}-{name}{own.suffix}")
        self._journals.append(path)
        return path

    def remove_journals(self) -> None:
        """Remove the files of the searches of fits with a name."""
        for path in self._journals:
            path.unlink(missing_ok=True)
