"""What a fit leaves behind, apart from the choice of the point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Fitted:
    """A fitted model with what later questions need.

    Parameters
    ----------
    view : ModelDocument
        The model.
    named : bool
        Whether the columns have the user's names.
    flat : bool
        Whether the target had one dimension.
    classes : ndarray or None
        The labels of a classifier.
    target_names : list of str or None
        Names of several targets.
    training : object or None
        The training data in the core, for ``price`` and ``near_ties``.
    """

    view: Any
    named: bool
    flat: bool
    classes: NDArray[Any] | None
    target_names: list[str] | None = None
    training: Any = None

    def output_names(self) -> list[Any]:
        """Give a label for each output.

        Returns
        -------
        list
            Classes, or names or numbers of the targets; ``[None]`` for a single output.
        """
        outputs = len(self.view.outputs)
        if outputs == 1:
            return [None]
        if self.classes is not None:
            return list(self.classes.tolist())
        return self.target_names or list(range(outputs))
