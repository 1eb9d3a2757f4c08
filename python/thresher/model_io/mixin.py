"""A fitted model in files and pickles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..progress import CallbackSupportMixin
from . import persistence
from .files import write


class SavedModel(CallbackSupportMixin, BaseEstimator, ABC):
    """Write a model and read it back; the base of every estimator.

    A subclass says what its model is in JSON (`_saved_parts`) and how it becomes one again
    (`_restore`).
    """

    _extra_entries: ClassVar[frozenset[str]] = frozenset()
    _fitted: Any
    _path_index: list[int]

    @abstractmethod
    def _saved_parts(self, *, all_points: bool) -> dict[str, Any]:
        """Give what a saved model holds beside its parameters: the chosen points, or all."""

    @abstractmethod
    def _restore(
        self, envelope: Mapping[str, Any], classes: NDArray[Any] | None = None, vocabulary: Any = None
    ) -> None:
        """Become the model of a checked envelope; `vocabulary` is from :meth:`_pickled_vocabulary`."""

    def _check_savable(self) -> None:
        """Refuse to write what JSON cannot hold."""

    def _pickled_vocabulary(self) -> Any:
        """Give what a pickle holds that JSON could not."""
        return None

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the model as JSON: its terms, parameters and classes.

        Parameters
        ----------
        path : str or Path, optional
            A file to write as well.

        Returns
        -------
        str
            The text; :meth:`from_json` reads it back to the same predictions, bit by bit.
        """
        check_is_fitted(self)
        text = persistence.dump(self)
        if path is not None:
            write(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Read a model.

        Parameters
        ----------
        source : str or Path
            The text, or the path of a file.

        Returns
        -------
        estimator
            Fitted, with the parameters it was fitted with.

        Raises
        ------
        FormatError
            If the text is truncated, edited, of another version, or a model for
            another task.
        FileNotFoundError
            If there is no such file.
        """
        return persistence.load_as(cls, source)

    def __getstate__(self) -> dict[str, Any]:
        """Give what a pickle holds: parameters and the JSON."""
        return persistence.state_of(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what a pickle holds."""
        persistence.restore_state(self, state)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a model."""
        return "_fitted" in self.__dict__
