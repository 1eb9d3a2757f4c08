"""The interface of a pattern family: records, vocabulary and texts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from ..data.budget import Budget
from ..data.label_codes import UnseenLabels
from ..data.records import PackedRecords
from ..results.pattern import Pattern


class Family(ABC):
    """A kind of records and their patterns; one instance serves all estimators of the family.

    Attributes
    ----------
    format : str
        The core's name of the saved model: ``"thresher.itemsets"``.
    limit : (str, str)
        The parameter that limits the size of a pattern, and what it counts.
    of_matrices : bool
        Whether records may come as the rows of a matrix.
    without_candidates : str
        Why records may have no pattern at all.
    """

    format: ClassVar[str]
    limit: ClassVar[tuple[str, str]]
    of_matrices: ClassVar[bool] = False
    without_candidates: ClassVar[str] = "all records are empty"

    @abstractmethod
    def language(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the limits of the pattern language as the core expects them.

        Parameters
        ----------
        params : mapping
            The estimator's parameters, checked.

        Returns
        -------
        dict
            The limits of a pattern, with `min_support` as the user gave it.
        """

    @abstractmethod
    def read(self, X: Any, owner: str, budget: Budget) -> PackedRecords:
        """Read training records.

        Parameters
        ----------
        X : object
            The records in a form that the user may give.
        owner : str
            The estimator's class name, for messages.
        budget : Budget
            What the fit may take.

        Returns
        -------
        PackedRecords
            Records and vocabulary.
        """

    @abstractmethod
    def read_like(self, X: Any, vocabulary: Any, matrix: Any, owner: str, used: Any = None) -> PackedRecords:
        """Read new records; labels unknown from training match nothing.

        Parameters
        ----------
        X : object
            The records in a form that the user may give.
        vocabulary : object
            The vocabulary of the training records.
        matrix : Schema or None
            The columns, where training had a matrix.
        owner : str
            The estimator's class name, for messages.
        used : callable, optional
            Gives the positions of the columns that a frame cannot lack; by default all.

        Returns
        -------
        PackedRecords
            Records encoded with the vocabulary of training.
        """

    def unseen(self, X: Any, vocabulary: Any) -> UnseenLabels | None:  # noqa: ARG002
        """Find the labels of new records that training did not have.

        Parameters
        ----------
        X : object
            The records, as in training.
        vocabulary : object
            The vocabulary of the training records.

        Returns
        -------
        UnseenLabels or None
            The records, with these labels; None where records are no lists of labels.
        """
        return None

    @abstractmethod
    def restore(self, alphabet: Any) -> Any:
        """Create the vocabulary of a saved model.

        Parameters
        ----------
        alphabet : object
            The entry of the document.

        Returns
        -------
        object
            The vocabulary.
        """

    @abstractmethod
    def size(self, payload: Any) -> int:
        """Return the size that the limiting parameter refers to.

        Parameters
        ----------
        payload : object
            A pattern as in a document.

        Returns
        -------
        int
            Items or edges.
        """

    @abstractmethod
    def pattern(
        self, payload: Any, vocabulary: Any, language: Mapping[str, Any], **attributes: Any
    ) -> Pattern:
        """Create a pattern with its text.

        Parameters
        ----------
        payload : object
            The entry of the document.
        vocabulary : object
            The labels.
        language : mapping
            The limits of the pattern language.
        **attributes : object
            Coefficient, support and the like.

        Returns
        -------
        Pattern
            The pattern with its text and size.
        """

    def canonical(self, payload: Any) -> Any:
        """Return the form of a pattern that :meth:`parse` returns for each of its texts.

        Parameters
        ----------
        payload : object
            The entry of a document.

        Returns
        -------
        object
            The entry in that form.
        """
        return payload

    def exclusion(self, payload: Any, language: Mapping[str, Any]) -> str:  # noqa: ARG002
        """Return why a pattern that :meth:`parse` reads is not of the pattern language.

        Parameters
        ----------
        payload : object
            The entry of a document.
        language : mapping
            The limits of the pattern language.

        Returns
        -------
        str
            The reason; empty where it is of the language.
        """
        return ""

    @abstractmethod
    def parse(self, pattern: Any, vocabulary: Any, language: Mapping[str, Any]) -> Any:
        """Parse a pattern given by a user.

        Parameters
        ----------
        pattern : object
            For example a set of items.
        vocabulary : object
            The labels.
        language : mapping
            The limits of the pattern language.

        Returns
        -------
        object
            The entry of a document.
        """
