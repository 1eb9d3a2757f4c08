"""A kind of records and their patterns, as Python sees it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from ..data.records import PackedRecords
from ..results.pattern import Pattern


class Family(ABC):
    """Reads records and speaks of patterns; one instance serves all estimators of its kind.

    Attributes
    ----------
    format : str
        The core's name of the saved model: ``"thresher.itemsets"``.
    limit : (str, str)
        The parameter that limits the size of a pattern, and what it counts.
    of_matrices : bool
        Whether records may come as the rows of a matrix.
    """

    format: ClassVar[str]
    limit: ClassVar[tuple[str, str]]
    of_matrices: ClassVar[bool] = False

    @abstractmethod
    def language(self, params: Mapping[str, Any], n_rows: int) -> dict[str, Any]:
        """Say which patterns there are, by the core's names.

        Parameters
        ----------
        params : mapping
            The estimator's parameters, checked.
        n_rows : int
            How many records there are.

        Returns
        -------
        dict
            The limits of a pattern.
        """

    @abstractmethod
    def read(self, X: Any, owner: str) -> PackedRecords:
        """Read training records.

        Parameters
        ----------
        X : object
            As the user gave them.
        owner : str
            The estimator's class name, for messages.

        Returns
        -------
        PackedRecords
            Records and vocabulary.
        """

    @abstractmethod
    def read_like(self, X: Any, vocabulary: Any, matrix: Any, owner: str) -> PackedRecords:
        """Read new records; labels that training did not see match nothing.

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
        PackedRecords
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
    def size(self, payload: Any) -> int:
        """Count what the parameter that limits the size counts.

        Parameters
        ----------
        payload : object
            A pattern as a document has it.

        Returns
        -------
        int
            Items or edges.
        """

    @abstractmethod
    def pattern(self, payload: Any, vocabulary: Any, language: Mapping[str, Any], **facts: Any) -> Pattern:
        """Put a pattern into words.

        Parameters
        ----------
        payload : object
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
