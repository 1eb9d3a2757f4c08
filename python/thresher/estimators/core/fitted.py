"""What a fit leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.inputs import Schema
from ...results.cut_labels import CutLabels


@dataclass(frozen=True)
class Fitted:
    """What a fit leaves, apart from the choice of the point.

    Parameters
    ----------
    model : object
        The compiled model, with ``to_json`` and ``decision``.
    document : dict
        Its document.
    schema : Schema
        The columns.
    flat : bool
        Whether the target had one dimension.
    classes : ndarray or None
        The labels of a classifier.
    targets : list of str or None
        Names of several targets.
    digits : CutLabels or None
        How cuts are shown, where the model has cuts.
    """

    model: Any
    document: dict[str, Any]
    schema: Schema
    flat: bool
    classes: NDArray[Any] | None
    targets: list[str] | None
    digits: CutLabels | None = None

    def output_names(self) -> list[Any]:
        """Give a label for each output.

        Returns
        -------
        list
            Classes, or names or numbers of the targets; ``[None]`` for a single output.
        """
        outputs = len(self.document["outputs"])
        if outputs == 1:
            return [None]
        if self.classes is not None:
            return list(self.classes.tolist())
        return self.targets or list(range(outputs))

    def point(self, output: int, point: int) -> dict[str, Any]:
        """Look up a solution.

        Parameters
        ----------
        output, point : int
            Positions.

        Returns
        -------
        dict
            As the core wrote it.
        """
        found: dict[str, Any] = self.document["outputs"][output]["points"][point]
        return found


def one_or_all(values: list[Any]) -> Any:
    """Give the value of a single output, or an array of those of several.

    Parameters
    ----------
    values : list
        One an output.

    Returns
    -------
    object or ndarray of shape (n_outputs,)
        The value or the values.

    Examples
    --------
    >>> one_or_all([0.5])
    0.5
    """
    return values[0] if len(values) == 1 else np.asarray(values)
