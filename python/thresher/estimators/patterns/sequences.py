"""Optimal sparse sums of subsequences."""

from __future__ import annotations

from typing import Any, ClassVar

from ...data.events import SequenceFamily
from ...model_io.registry import register
from ..tasks import ClassificationMethods, RegressionMethods
from .family import Family
from .fitted import FittedPatterns


@register
class SequenceRegressor(FittedPatterns, RegressionMethods):
    """Sparse sum of subsequences for numbers, provably the best of all of its kind.

    The model is f(x) = b + sum_k w_k [the events of sequence k occur in x in their order],
    over every sequence of at most `max_length` items, however many there are ([SPP] (1)). It minimises

        (1/n) sum_i v_i loss(y_i, f(x_i)) + alpha sum_k c_k |w_k|

    with loss = (y - f)^2 / 2, v_i the sample weights normalised to mean 1, and
    c_k = 1 + `penalty_growth` (size_k - 1). ``certificate_`` bounds how far the objective
    can be from the optimum over all candidates.

    `X` holds records in one of these forms:

    - a list of lists of events, each event any hashable (text, number, tuple);
    - a list of lists of sets (or lists) of items, where several things happen at once: an
      event of a sequence then occurs where its items are among those of the record's event;
    - a list of strings, each letter an event (DNA, proteins).

    A record may be empty. An event that training did not see takes its place in a new
    record, and matches nothing.

    Parameters
    ----------
    alpha : {"cv", "bic", "ebic"} or float, default="cv"
        The penalty's strength. "cv": the strength of least held-out loss on the
        path; "bic", "ebic": of least information criterion; a number > 0: that one.
        The papers' lambda is n * alpha.
    n_alphas : int, default=100
        Strengths on the path.
    alpha_min_ratio : float, default=0.01
        The path's last strength over its first, between 0 and 1.
    cv : int, splitter or iterable of (train, test), default=5
        Folds for ``alpha="cv"``. A number: that many folds of records shuffled in a
        fixed order.
    one_standard_error : bool, default=False
        Take the strongest penalty whose held-out loss is within one standard error
        of the least.
    max_patterns : int or None, default=None
        Stop the path before a model has more patterns than this.
    loss : {"squared"}, default="squared"
        The loss, (y - f)^2 / 2.
    penalty_growth : float, default=0.0
        How much more a pattern costs for each item beyond the first, >= 0. 0 is the
        plain L1 norm.
    max_length : int or None, default=3
        Items that a sequence may have in all its events; None: as many as the longest
        record.
    max_gap : int or None, default=None
        Events of a record that may lie between two events of a sequence; None: any number.
    contiguous : bool, default=False
        Whether a sequence's events must follow one another, as ``max_gap=0``.
    min_support : int, default=1
        Training records that a sequence must occur in.
    closed : bool, default=True
        Of patterns that occur in the same training records keep one; the others are in
        its ``equivalents``.
    strategy : {"working_set", "screening", "column_generation"}, default="working_set"
        How the optimum is found; all three find the same one.
    tol : float, default=1e-6
        The relative duality gap to reach, over all patterns.
    max_iter : int, default=10000
        Rounds of the solver for each strength.
    time_limit : float or None, default=None
        Seconds after which the best model so far is returned with its true gap.
    memory_limit : float or None, default=None
        Bytes that the fit may use.
    n_jobs : int or None, default=None
        Threads; None: all cores this process may use (at most OMP_NUM_THREADS where
        that is set). Results do not depend on it.
    verbose : int, default=0
        1: scikit-learn's progress bar in a terminal or notebook (with rich), else up to
        twenty lines for each part of the work through the logger ``thresher``; 2: a
        line for each step.

    Attributes
    ----------
    patterns_ : list of Pattern
        The patterns with their coefficients.
    intercept_ : float or ndarray of shape (n_outputs,)
        b.
    alpha_ : float or ndarray of shape (n_outputs,)
        The strength chosen.
    path_ : PatternPath
        All strengths: ``alphas, objective, relative_gap, n_patterns, n_iter, at(alpha)``.
    certificate_ : Certificate
        The proof: ``primal, dual, gap, relative_gap, n_candidates, ...``.
    n_iter_ : int
        Rounds of the solver.

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

    _family: ClassVar[Family] = SequenceFamily()

    def __init__(
        self,
        *,
        alpha: Any = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.01,
        cv: Any = 5,
        one_standard_error: bool = False,
        max_patterns: int | None = None,
        loss: str = "squared",
        penalty_growth: float = 0.0,
        max_length: int | None = 3,
        max_gap: int | None = None,
        contiguous: bool = False,
        min_support: int = 1,
        closed: bool = True,
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
        self.max_patterns = max_patterns
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.max_length = max_length
        self.max_gap = max_gap
        self.contiguous = contiguous
        self.min_support = min_support
        self.closed = closed
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose


@register
class SequenceClassifier(FittedPatterns, ClassificationMethods):
    """Sparse sum of subsequences for classes, provably the best of all of its kind.

    The decision function is f(x) = b + sum_k w_k [the events of sequence k occur in x
    in their order], over every sequence of at most `max_length` items, however many there
    are. With y in {-1, +1} it minimises

        (1/n) sum_i v_i loss(y_i f(x_i)) + alpha sum_k c_k |w_k|

    with v_i the weights normalised to mean 1 and c_k = 1 + `penalty_growth` (size_k - 1).
    ``certificate_`` bounds how far the objective can be from the optimum over all
    candidates. More than two classes are fitted one against the rest over one shared
    tree of sequences; their probabilities are the sigmoids divided by their sum.

    `X` holds records in one of these forms:

    - a list of lists of events, each event any hashable (text, number, tuple);
    - a list of lists of sets (or lists) of items, where several things happen at once: an
      event of a sequence then occurs where its items are among those of the record's event;
    - a list of strings, each letter an event (DNA, proteins).

    A record may be empty. An event that training did not see takes its place in a new
    record, and matches nothing.

    Parameters
    ----------
    alpha : {"cv", "bic", "ebic"} or float, default="cv"
        The penalty's strength. "cv": the strength of least held-out loss on the
        path; "bic", "ebic": of least information criterion; a number > 0: that one.
        The papers' lambda is n * alpha.
    n_alphas : int, default=100
        Strengths on the path.
    alpha_min_ratio : float, default=0.01
        The path's last strength over its first, between 0 and 1.
    cv : int, splitter or iterable of (train, test), default=5
        Folds for ``alpha="cv"``. A number: that many folds of records shuffled in a
        fixed order, stratified by class.
    one_standard_error : bool, default=False
        Take the strongest penalty whose held-out loss is within one standard error
        of the least.
    max_patterns : int or None, default=None
        Stop the path before a model has more patterns than this.
    loss : {"logistic", "squared_hinge"}, default="logistic"
        The loss, log(1 + exp(-y f)) or max(0, 1 - y f)^2 / 2 with y in {-1, +1}.
        Probabilities come with the logistic one.
    penalty_growth : float, default=0.0
        How much more a pattern costs for each item beyond the first, >= 0. 0 is the
        plain L1 norm.
    max_length : int or None, default=3
        Items that a sequence may have in all its events; None: as many as the longest
        record.
    max_gap : int or None, default=None
        Events of a record that may lie between two events of a sequence; None: any number.
    contiguous : bool, default=False
        Whether a sequence's events must follow one another, as ``max_gap=0``.
    min_support : int, default=1
        Training records that a sequence must occur in.
    closed : bool, default=True
        Of patterns that occur in the same training records keep one; the others are in
        its ``equivalents``.
    class_weight : dict of label: factor, "balanced" or None, default=None
        Factors on the sample weights. "balanced": every class weighs the same.
    strategy : {"working_set", "screening", "column_generation"}, default="working_set"
        How the optimum is found; all three find the same one.
    tol : float, default=1e-6
        The relative duality gap to reach, over all patterns.
    max_iter : int, default=10000
        Rounds of the solver for each strength.
    time_limit : float or None, default=None
        Seconds after which the best model so far is returned with its true gap.
    memory_limit : float or None, default=None
        Bytes that the fit may use.
    n_jobs : int or None, default=None
        Threads; None: all cores this process may use (at most OMP_NUM_THREADS where
        that is set). Results do not depend on it.
    verbose : int, default=0
        1: scikit-learn's progress bar in a terminal or notebook (with rich), else up to
        twenty lines for each part of the work through the logger ``thresher``; 2: a
        line for each step.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, the second is the one that a positive decision means.
    patterns_ : list of Pattern
        The patterns with their coefficients, class by class where there are more than two.
    intercept_ : float or ndarray of shape (n_outputs,)
        b.
    alpha_ : float or ndarray of shape (n_outputs,)
        The strength chosen.
    path_ : PatternPath
        All strengths: ``alphas, objective, relative_gap, n_patterns, n_iter, at(alpha)``.
    certificate_ : Certificate
        The proof: ``primal, dual, gap, relative_gap, n_candidates, ...``.
    n_iter_ : int
        Rounds of the solver.

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

    _family: ClassVar[Family] = SequenceFamily()

    def __init__(
        self,
        *,
        alpha: Any = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.01,
        cv: Any = 5,
        one_standard_error: bool = False,
        max_patterns: int | None = None,
        loss: str = "logistic",
        penalty_growth: float = 0.0,
        max_length: int | None = 3,
        max_gap: int | None = None,
        contiguous: bool = False,
        min_support: int = 1,
        closed: bool = True,
        class_weight: Any = None,
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
        self.max_patterns = max_patterns
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.max_length = max_length
        self.max_gap = max_gap
        self.contiguous = contiguous
        self.min_support = min_support
        self.closed = closed
        self.class_weight = class_weight
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
