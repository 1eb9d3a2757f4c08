"""Optimal sparse sums of subsequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..data.budget import Budget
from ..data.events import (
    ARROW,
    are_letters,
    parse_sequence,
    read_sequences,
    read_sequences_like,
    unseen_events,
)
from ..data.label_codes import UnseenLabels
from ..data.records import PackedRecords
from ..data.schema import Schema
from ..data.vocabulary import Vocabulary
from ..results.pattern import Pattern
from ..validation import Parameter, integer
from ._classifier import Classifier
from ._parameters import CLASSES, LOSSES, public_estimator
from ._pattern_family import Family
from ._patterns import PatternModel, pattern_parameters
from ._regressor import Regressor
from ._sequence_matches import matches
from ._typing import ClassWeight, Folds, Relax, Strength


class _SequenceFamily(Family):
    """Subsequences, shown as ``login -> search -> {cart, pay}``; of single letters without gaps ``ACGT``."""

    format: ClassVar[str] = "thresher.sequences"
    limit: ClassVar[tuple[str, str]] = ("max_length", "items")

    def language(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the limits of a sequence as the core expects them; check `max_gap` against `contiguous`."""
        gap = params["max_gap"]
        if params["contiguous"] and gap:
            raise ValueError(f"max_gap: got {gap} with contiguous=True, which allows no gap; give None or 0")
        return {
            "max_length": params["max_length"],
            "max_gap": 0 if params["contiguous"] else gap,
            "min_support": params["min_support"],
        }

    def read(self, X: Any, owner: str, budget: Budget) -> PackedRecords:  # noqa: ARG002
        """Read training records."""
        return read_sequences(X, budget)

    def read_like(
        self,
        X: Any,
        vocabulary: Vocabulary,
        matrix: Schema | None,  # noqa: ARG002
        owner: str,  # noqa: ARG002
        used: Any = None,  # noqa: ARG002
    ) -> PackedRecords:
        """Read new records; an event unknown from training matches nothing."""
        return read_sequences_like(X, vocabulary)

    def unseen(self, X: Any, vocabulary: Vocabulary) -> UnseenLabels | None:
        """Find the events of new records that training did not have."""
        return unseen_events(X, vocabulary)

    def restore(self, alphabet: Any) -> Vocabulary:
        """Create the vocabulary of a saved model from its labels."""
        return Vocabulary(alphabet)

    def size(self, payload: Any) -> int:
        """Count the items of all events."""
        return sum(map(len, payload))

    def pattern(
        self, payload: Any, vocabulary: Vocabulary, language: Mapping[str, Any], **attributes: Any
    ) -> Pattern:
        """Create a pattern with the text of a sequence."""
        events = [[vocabulary.text(item) for item in event] for event in payload]
        if language["max_gap"] == 0 and all(len(event) == 1 and len(event[0]) == 1 for event in events):
            text = "".join(event[0] for event in events)
            # Not where another event has this text.
            if are_letters(text, vocabulary):
                return Pattern(text, self.size(payload), **attributes)
        words = [event[0] if len(event) == 1 else "{" + ", ".join(event) + "}" for event in events]
        return Pattern(ARROW.join(words), self.size(payload), **attributes)

    def parse(self, pattern: Any, vocabulary: Vocabulary, language: Mapping[str, Any]) -> Any:  # noqa: ARG002
        """Parse a sequence given by a user."""
        return parse_sequence(pattern, vocabulary)


def _parameters(*losses: str) -> dict[str, Parameter]:
    return {
        **pattern_parameters("item", losses),
        "max_length": Parameter(
            (integer(1), None),
            "The most items of a sequence, over all its events; None: as many as the longest record.",
        ),
        "max_gap": Parameter(
            (integer(0), None),
            "The most events of a record between two consecutive events of a sequence; None: no limit.",
        ),
        "contiguous": Parameter(
            ("boolean",), "Whether a sequence's events must be adjacent, as with ``max_gap=0``."
        ),
    }


@public_estimator
class SequenceRegressor(Regressor, PatternModel):
    """Sparse sum of subsequences for numbers, with a certificate.

    The model is f(x) = b + sum_k w_k [the events of sequence k occur in x in their order],
    over all sequences of at most `max_length` items. It minimises

        (1/n) sum_i v_i loss(y_i, f(x_i)) + alpha sum_k c_k |w_k|

    with loss = (y - f)^2 / 2 or Huber's, v_i the sample weights normalised to mean 1, and
    c_k = 1 + `penalty_growth` (size_k - 1). ``certificate_`` bounds how far the objective
    can be from the optimum over all candidates.

    With ``penalty="l0"`` the model is a best subset of the terms in place of an L1 solution.

    `X` holds records in one of these forms:

    - a list of lists of events, each event any hashable (text, number, tuple; 1 and True
      are equal, so that they are one event, in exported code too);
    - a list of lists of sets (or lists) of items, where several things happen at once: an
      event of a sequence then occurs where its items are among those of the record's event;
    - a list of strings, each letter an event (DNA, proteins);
    - the sequences of a long table of events, from :func:`sequences_from_table`.

    A record may be empty. An event unknown from training occupies a position in a new
    record but matches nothing.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    patterns_ : list of Pattern
        The patterns of the model with their coefficients, by size and labels: the columns of
        :meth:`transform`. ``summary()`` and ``get_patterns()`` list the most important first.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    alpha_ : float or ndarray of shape (n_outputs,)
        The selected regularisation strength.
    relaxation_ : Relaxation or None, or list of them
        Blend and ridge penalty of the relaxed coefficients; None where they were not relaxed.
    ridge_ : float or None, or list of them
        Ridge penalty of a best subset; None with ``penalty="l1"``.
    path_ : PatternPath
        The regularisation path: ``alphas, objective, relative_gap, n_patterns, n_iter, at(alpha)``.
    certificate_ : Certificate or SubsetCertificate
        The certificate: ``primal, dual, gap, relative_gap, n_candidates, ...``.
    n_iter_ : int
        Number of iterations of the solver.

    References
    ----------
    Nakagawa, Suzumura, Karasuyama, Tsuda, Takeuchi, "Safe Pattern Pruning: An Efficient
    Approach for Predictive Pattern Mining", KDD 2016.

    Examples
    --------
    >>> from thresher import SequenceRegressor
    >>> X = ["abc", "acb", "cab", "bca", "ab", "ba"] * 4
    >>> y = [1.0 if record.find("a") < record.find("b") else 0.0 for record in X]
    >>> model = SequenceRegressor(alpha=0.01).fit(X, y)
    >>> model.patterns_[0].text
    'a -> b'
    >>> bool(model.certificate_.relative_gap <= 1e-6)
    True
    """

    _family = _SequenceFamily()
    matches = matches
    _parameters = _parameters(*LOSSES["regression"])

    def __init__(
        self,
        *,
        alpha: Strength = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.01,
        cv: Folds = 5,
        one_standard_error: bool = False,
        relax: Relax = None,
        penalty: str = "auto",
        ridge: float | None = None,
        max_patterns: int | None = None,
        loss: str | tuple[str, float] = "squared",
        penalty_growth: float = 0.0,
        max_length: int | None = 3,
        max_gap: int | None = None,
        contiguous: bool = False,
        min_support: float = 1,
        closed: bool = True,
        sparse_output: bool = True,
        strategy: str = "working_set",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.n_alphas = n_alphas
        self.alpha_min_ratio = alpha_min_ratio
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.relax = relax
        self.penalty = penalty
        self.ridge = ridge
        self.max_patterns = max_patterns
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.max_length = max_length
        self.max_gap = max_gap
        self.contiguous = contiguous
        self.min_support = min_support
        self.closed = closed
        self.sparse_output = sparse_output
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose


@public_estimator
class SequenceClassifier(Classifier, PatternModel):
    """Sparse sum of subsequences for classes, with a certificate.

    The decision function is f(x) = b + sum_k w_k [the events of sequence k occur in x
    in their order], over all sequences of at most `max_length` items. With
    y in {-1, +1} it minimises

        (1/n) sum_i v_i loss(y_i f(x_i)) + alpha sum_k c_k |w_k|

    with v_i the sample weights normalised to mean 1 and c_k = 1 + `penalty_growth` (size_k - 1).
    ``certificate_`` bounds how far the objective can be from the optimum over all
    candidates. More than two classes are fitted one against the rest over a shared
    search tree; their probabilities are the sigmoids, normalised to sum 1.

    With ``penalty="l0"`` the model is a best subset of the terms in place of an L1 solution.

    `X` holds records in one of these forms:

    - a list of lists of events, each event any hashable (text, number, tuple; 1 and True
      are equal, so that they are one event, in exported code too);
    - a list of lists of sets (or lists) of items, where several things happen at once: an
      event of a sequence then occurs where its items are among those of the record's event;
    - a list of strings, each letter an event (DNA, proteins);
    - the sequences of a long table of events, from :func:`sequences_from_table`.

    A record may be empty. An event unknown from training occupies a position in a new
    record but matches nothing.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive decision value predicts the last.
    patterns_ : list of Pattern
        The patterns with their coefficients, class by class where there are more than two, by size and
        labels: the columns of :meth:`transform`. ``summary()`` and ``get_patterns()`` list the most
        important first.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    alpha_ : float or ndarray of shape (n_outputs,)
        The selected regularisation strength.
    relaxation_ : Relaxation or None, or list of them
        Blend and ridge penalty of the relaxed coefficients; None where they were not relaxed.
    ridge_ : float or None, or list of them
        Ridge penalty of a best subset; None with ``penalty="l1"``.
    path_ : PatternPath
        The regularisation path: ``alphas, objective, relative_gap, n_patterns, n_iter, at(alpha)``.
    certificate_ : Certificate or SubsetCertificate
        The certificate: ``primal, dual, gap, relative_gap, n_candidates, ...``.
    n_iter_ : int
        Number of iterations of the solver.

    References
    ----------
    Nakagawa, Suzumura, Karasuyama, Tsuda, Takeuchi, "Safe Pattern Pruning: An Efficient
    Approach for Predictive Pattern Mining", KDD 2016.

    Examples
    --------
    >>> from thresher import SequenceClassifier
    >>> X = [["login", "search", "pay"], ["login", "pay"], ["search"], ["pay", "login"]] * 5
    >>> y = ["buys", "buys", "leaves", "leaves"] * 5
    >>> model = SequenceClassifier(alpha=0.01).fit(X, y)
    >>> model.predict([["login", "help", "pay"], []]).tolist()
    ['buys', 'leaves']
    """

    _family = _SequenceFamily()
    matches = matches
    _parameters = {**_parameters(*LOSSES["classification"]), **CLASSES}

    def __init__(
        self,
        *,
        alpha: Strength = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.01,
        cv: Folds = 5,
        one_standard_error: bool = False,
        relax: Relax = None,
        penalty: str = "auto",
        ridge: float | None = None,
        max_patterns: int | None = None,
        loss: str = "logistic",
        penalty_growth: float = 0.0,
        max_length: int | None = 3,
        max_gap: int | None = None,
        contiguous: bool = False,
        min_support: float = 1,
        closed: bool = True,
        class_weight: ClassWeight = None,
        pos_label: Any = None,
        sparse_output: bool = True,
        strategy: str = "working_set",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.n_alphas = n_alphas
        self.alpha_min_ratio = alpha_min_ratio
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.relax = relax
        self.penalty = penalty
        self.ridge = ridge
        self.max_patterns = max_patterns
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.max_length = max_length
        self.max_gap = max_gap
        self.contiguous = contiguous
        self.min_support = min_support
        self.closed = closed
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.sparse_output = sparse_output
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
