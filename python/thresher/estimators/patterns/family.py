"""A kind of records and their patterns, as Python sees it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import _native
from ...results.pattern import Pattern


@dataclass(frozen=True)
class Reading:
    """Records as they were read for training.

    Parameters
    ----------
    records : thresher._native.Records
        Packed for the core.
    vocabulary : object
        What the numbered labels stand for: whatever the family needs to read new records.
    n_records : int
        How many there are.
    is_matrix : bool, default=False
        Whether they came as the rows of a matrix, whose columns are then fixed.
    feature_names : ndarray or None, default=None
        The user's names of the matrix's columns.
    """

    records: _native.Records
    vocabulary: Any
    n_records: int
    is_matrix: bool = False
    feature_names: NDArray[np.object_] | None = None


class Family(ABC):
    """Reads records and speaks of patterns; one instance serves all estimators of its kind.

    Attributes
    ----------
    format : str
        The core's name of the saved model: ``"thresher.itemsets"``.
    called : str
        The patterns in the plural, for messages.
    limit : (str, str)
        The parameter that limits the size of a pattern, and what it counts.
    of_matrices : bool
        Whether records may come as the rows of a matrix.
    """

    format: ClassVar[str]
    called: ClassVar[str]
    limit: ClassVar[tuple[str, str]]
    of_matrices: ClassVar[bool] = False

    @abstractmethod
    def language(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Check the parameters that say which patterns there are.

        Parameters
        ----------
        params : mapping
            The estimator's parameters.

        Returns
        -------
        dict
            In the core's words.
        """

    @abstractmethod
    def read(self, X: Any, owner: str) -> Reading:
        """Read training records.

        Parameters
        ----------
        X : object
            As the user gave them.
        owner : str
            The estimator's class name, for messages.

        Returns
        -------
        Reading
            Records and vocabulary.
        """

    @abstractmethod
    def read_like(self, X: Any, vocabulary: Any, matrix: Any, owner: str) -> Reading:
        """Read new records; labels that training did not see are met nowhere.

        Parameters
        ----------
        X : object
            As the user gave them.
        vocabulary : object
            Of the training records.
        matrix : Schema or None
            The columns, where training had a matrix.
        owner : str
            The estimator's class name, for messages.

        Returns
        -------
        Reading
            Records in the numbers of training.
        """

    @abstractmethod
    def restore(self, alphabet: Any) -> Any:
        """Make the vocabulary of a saved model.

        Parameters
        ----------
        alphabet : object
            As the document has it.

        Returns
        -------
        object
            The vocabulary.
        """

    @abstractmethod
    def size(self, wire: Any) -> int:
        """Count what the parameter that limits the size counts.

        Parameters
        ----------
        wire : object
            A pattern as a document has it.

        Returns
        -------
        int
            Items or edges.
        """

    @abstractmethod
    def pattern(self, wire: Any, vocabulary: Any, language: Mapping[str, Any], **facts: Any) -> Pattern:
        """Put a pattern into words.

        Parameters
        ----------
        wire : object
            As the document has it.
        vocabulary : object
            What the labels stand for.
        language : mapping
            Which patterns there are.
        **facts : object
            Coefficient, support and the like.

        Returns
        -------
        Pattern
            With its text and size.
        """

    @abstractmethod
    def parse(self, asked: Any, vocabulary: Any, language: Mapping[str, Any]) -> Any:
        """Read a pattern that a user names.

        Parameters
        ----------
        asked : object
            For example a set of items.
        vocabulary : object
            What the labels stand for.
        language : mapping
            Which patterns there are.

        Returns
        -------
        object
            As a document has it.
        """
