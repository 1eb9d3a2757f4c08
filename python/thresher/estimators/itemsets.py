"""Optimal sparse sums of item-sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..data.budget import Budget
from ..data.items import parse_items, read_items, read_items_like, unseen_items
from ..data.label_codes import UnseenLabels
from ..data.records import PackedRecords
from ..data.schema import Schema, UsedColumns
from ..data.vocabulary import Vocabulary
from ..results.pattern import Pattern
from ..validation import Parameter, integer
from ._classifier import Classifier
from ._parameters import CLASSES, LOSSES, public_estimator
from ._pattern_family import Family
from ._patterns import PatternModel, pattern_parameters
from ._regressor import Regressor
from ._typing import ClassWeight, Folds, Relax, Strength


class _ItemFamily(Family):
    """Item-sets: read from sets of items or a 0/1 matrix, shown as ``milk and not bread``."""

    format: ClassVar[str] = "thresher.itemsets"
    limit: ClassVar[tuple[str, str]] = ("max_items", "items")
    of_matrices: ClassVar[bool] = True

    def language(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the limits of an item-set as the core expects them."""
        return {name: params[name] for name in ("max_items", "min_support", "negations")}

    def read(self, X: Any, owner: str, budget: Budget) -> PackedRecords:
        """Read training records."""
        return read_items(X, owner, budget)

    def read_like(
        self,
        X: Any,
        vocabulary: Vocabulary,
        matrix: Schema | None,
        owner: str,
        used: UsedColumns | None = None,
    ) -> PackedRecords:
        """Read new records; items unknown from training are ignored."""
        return read_items_like(X, vocabulary, matrix, owner, used)

    def unseen(self, X: Any, vocabulary: Vocabulary) -> UnseenLabels | None:
        """Find the items of new records that training did not have."""
        return unseen_items(X, vocabulary)

    def restore(self, alphabet: Any) -> Vocabulary:
        """Create the vocabulary of a saved model from its labels."""
        return Vocabulary(alphabet)

    def size(self, payload: Any) -> int:
        """Count the items, ``present`` and ``absent``."""
        return len(payload["present"]) + len(payload["absent"])

    def pattern(
        self,
        payload: Any,
        vocabulary: Vocabulary,
        language: Mapping[str, Any],  # noqa: ARG002
        **attributes: Any,
    ) -> Pattern:
        """Create a pattern with the text of an item-set."""
        words = [vocabulary.text(item) for item in payload["present"]]
        words += [f"not {vocabulary.text(item)}" for item in payload["absent"]]
        return Pattern(" and ".join(words), self.size(payload), **attributes)

    def exclusion(self, payload: Any, language: Mapping[str, Any]) -> str:
        """Return that an absent item is not of the language, where the fit had ``negations=False``."""
        return (
            "it asks for an absent item, and negations=False"
            if payload["absent"] and not language["negations"]
            else ""
        )

    def parse(self, pattern: Any, vocabulary: Vocabulary, language: Mapping[str, Any]) -> Any:  # noqa: ARG002
        """Parse an item-set given by a user."""
        return parse_items(pattern, vocabulary)


def _parameters(*losses: str) -> dict[str, Parameter]:
    return {
        **pattern_parameters("item", losses),
        "max_items": Parameter((integer(1), None), "The most items of a set; None: no limit."),
        "negations": Parameter(
            ("boolean",), "Whether a set may also require the absence of items (``milk and not bread``)."
        ),
    }


@public_estimator
class ItemsetRegressor(Regressor, PatternModel):
    """Sparse sum of item-sets for numbers, with a certificate.

    The model is f(x) = b + sum_k w_k [x contains every item of set k], over all sets of at
    most `max_items` items. It minimises

        (1/n) sum_i v_i loss(y_i, f(x_i)) + alpha sum_k c_k |w_k|

    with loss = (y - f)^2 / 2 or Huber's, v_i the sample weights normalised to mean 1, and
    c_k = 1 + `penalty_growth` (size_k - 1). ``certificate_`` bounds how far the objective
    can be from the optimum over all candidates.

    With ``penalty="l0"`` the model is a best subset of the terms in place of an L1 solution.

    `X` holds records of items in one of these forms:

    - a list of sets (or lists, tuples) of hashable items; repeated items count once, a
      record may be empty;
    - a matrix, one column an item: a frame of numbers or booleans (pandas, polars,
      pyarrow), an array of two dimensions, a sparse matrix. A number other than 0 means
      that the record holds the item (with a warning for counts); NaN and
      codes such as -9 are refused. (Of nested lists only equally long
      lists of floats are a matrix; all others are records.)

    Items of new records that are unknown from training are ignored.

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
    n_features_in_ : int
        Number of columns, where `X` was a matrix.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.
    n_iter_ : int
        Number of iterations of the solver.

    References
    ----------
    Nakagawa, Suzumura, Karasuyama, Tsuda, Takeuchi, "Safe Pattern Pruning: An Efficient
    Approach for Predictive Pattern Mining", KDD 2016.

    Examples
    --------
    >>> from thresher import ItemsetRegressor
    >>> X = [{"milk", "bread"}, {"milk"}, {"bread"}, {"milk", "bread", "eggs"}] * 5
    >>> y = [2.0, 0.0, 0.0, 2.0] * 5
    >>> model = ItemsetRegressor(alpha=0.01).fit(X, y)
    >>> model.patterns_[0].text
    'bread and milk'
    >>> bool(model.certificate_.relative_gap <= 1e-6)
    True
    """

    _family = _ItemFamily()
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
        max_items: int | None = 3,
        min_support: float = 1,
        negations: bool = False,
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
        self.max_items = max_items
        self.min_support = min_support
        self.negations = negations
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
class ItemsetClassifier(Classifier, PatternModel):
    """Sparse sum of item-sets for classes, with a certificate.

    The decision function is f(x) = b + sum_k w_k [x contains every item of set k], over
    all sets of at most `max_items` items. With y in {-1, +1} it minimises

        (1/n) sum_i v_i loss(y_i f(x_i)) + alpha sum_k c_k |w_k|

    with v_i the sample weights normalised to mean 1 and c_k = 1 + `penalty_growth` (size_k - 1).
    ``certificate_`` bounds how far the objective can be from the optimum over all
    candidates. More than two classes are fitted one against the rest over a shared
    search tree; their probabilities are the sigmoids, normalised to sum 1.

    With ``penalty="l0"`` the model is a best subset of the terms in place of an L1 solution.

    `X` holds records of items in one of these forms:

    - a list of sets (or lists, tuples) of hashable items; repeated items count once, a
      record may be empty;
    - a matrix, one column an item: a frame of numbers or booleans (pandas, polars,
      pyarrow), an array of two dimensions, a sparse matrix. A number other than 0 means
      that the record holds the item (with a warning for counts); NaN and
      codes such as -9 are refused. (Of nested lists only equally long
      lists of floats are a matrix; all others are records.)

    Items of new records that are unknown from training are ignored.

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
    n_features_in_ : int
        Number of columns, where `X` was a matrix.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.
    n_iter_ : int
        Number of iterations of the solver.

    References
    ----------
    Nakagawa, Suzumura, Karasuyama, Tsuda, Takeuchi, "Safe Pattern Pruning: An Efficient
    Approach for Predictive Pattern Mining", KDD 2016.

    Examples
    --------
    >>> from thresher import ItemsetClassifier
    >>> X = [{"milk", "bread"}, {"milk"}, {"bread"}, {"milk", "bread", "eggs"}] * 5
    >>> y = ["both", "one", "one", "both"] * 5
    >>> model = ItemsetClassifier(alpha=0.01).fit(X, y)
    >>> model.predict([{"milk", "bread", "tea"}, set()]).tolist()
    ['both', 'one']
    """

    _family = _ItemFamily()
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
        max_items: int | None = 3,
        min_support: float = 1,
        negations: bool = False,
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
        self.max_items = max_items
        self.min_support = min_support
        self.negations = negations
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
