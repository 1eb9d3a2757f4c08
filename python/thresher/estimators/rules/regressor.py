"""Optimal sparse rule models for numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from ..tasks import RegressionMethods
from .fitted import FittedRules


class RuleRegressor(RegressionMethods, FittedRules):
    """Sparse sum of rules and linear terms, provably the best of all of its kind.

    The model is f(x) = b + sum_j a_j x_j + sum_k w_k r_k(x), with r_k the indicator of
    a box (``age > 30 and bmi <= 25``) out of every box that the cuts allow, however
    many there are. It minimises

        (1/n) sum_i v_i loss(y_i, f(x_i)) + alpha (sum_j |a_j| sd_j + sum_k c_k |w_k|)

    with loss = (y - f)^2 / 2, v_i the sample weights normalised to mean 1, and
    c_k = 1 + `penalty_growth` (length_k - 1). ``certificate_`` bounds how far the
    objective can be from the optimum over all candidates.

    With ``group_sparsity=tau`` the rules on the same columns form a group g (of one
    length, so of one cost), and the rules' part of the penalty becomes

        alpha sum_g c_g (tau ||w_g||_1 + (1 - tau) ||w_g||_2),

    which leaves whole groups out: fewer sets of columns for the same number of rules. In
    a group a set of training rows counts once, and only where no part of the group's
    columns describes it. `tau_linear` multiplies the linear terms' part.

    Parameters
    ----------
    alpha : {"cv", "bic", "ebic"} or float, default="cv"
        The penalty's strength. "cv": the strength of least held-out loss on the
        path; "bic", "ebic": of least information criterion; a number > 0: that one.
        The papers' lambda is n * alpha.
    n_alphas : int, default=100
        Strengths on the path.
    alpha_min_ratio : float, default=0.001
        The path's last strength over its first, between 0 and 1.
    cv : int, splitter or iterable of (train, test), default=5
        Folds for ``alpha="cv"``. A number: that many folds of rows shuffled in a
        fixed order.
    one_standard_error : bool, default=False
        Take the strongest penalty whose held-out loss is within one standard error
        of the least.
    max_rules : int or None, default=None
        Stop the path before a model has more rules than this.
    loss : {"squared"}, default="squared"
        The loss.
    penalty_growth : float, default=0.5
        How much more a rule costs for each condition beyond the first, >= 0. 0 is the
        plain L1 norm; the default gives shorter models that predict better.
    group_sparsity : float or None, default=None
        Penalise rules on the same columns together: the share tau of the L1 norm, > 0 and
        <= 1. None and 1: rules alone. The smaller tau, the fewer sets of columns, and the
        longer the search.
    tau_linear : float, default=1.0
        What a linear term's penalty is multiplied with, > 0.
    max_features : int or None, default=3
        Conditions (columns) a rule may have; None: as many as there are columns.
    min_support : int, default=1
        Training rows a rule must hold for.
    bins : "auto", int, "supervised", ("intervals", delta), list of arrays or None, default="auto"
        Where numeric columns may be cut. "auto": 5 to 12 quantile bins, the fewer the
        more columns there are, with at most 6 supervised cuts; a number: that many
        quantile bins; ("intervals", delta): midpoints of gaps wider than delta times the
        range; a list: the cuts of each column (None for a categorical one); None: every
        midpoint.
    linear : bool, default=True
        Whether there are linear terms for numeric columns.
    closed : bool, default=True
        Of rules with the same training rows keep one; the others are in its
        ``equivalents``.
    categorical_features : "from_dtype", list of names or positions, mask or None, default="from_dtype"
        Which columns are categories. From the dtype: text, truth values and
        categorical dtypes are.
    monotone : array of -1, 0, 1, dict of name: direction, or None, default=None
        Directions in which the prediction may move with a column.
    positive : bool, default=False
        Whether all coefficients must be >= 0.
    strategy : {"working_set", "screening", "column_generation"}, default="working_set"
        How the optimum is found; all three find the same one.
    tol : float, default=1e-6
        The relative duality gap to reach, over all rules.
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
    rules_ : list of Rule
        The rules with their coefficients.
    groups_ : list of RuleGroup
        The rules by the columns they are about, the heaviest group first.
    intercept_ : float or ndarray of shape (n_outputs,)
        b.
    linear_coef_ : ndarray of shape (n_features,) or (n_outputs, n_features)
        a, in units of y per unit of x; a missing x counts as its mean.
    alpha_ : float or ndarray of shape (n_outputs,)
        The strength chosen.
    path_ : RulePath
        All strengths: ``alphas, objective, relative_gap, n_rules, n_iter, at(alpha)``.
    certificate_ : Certificate
        The proof: ``primal, dual, gap, relative_gap, n_candidates, ...``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.
    n_iter_ : int
        Rounds of the solver.

    References
    ----------
    Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule Model by Meta
    Safe Screening".

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleRegressor
    >>> X = np.arange(40.0)[:, None]
    >>> y = 2.0 * (X[:, 0] > 19)
    >>> model = RuleRegressor(alpha=0.01, linear=False).fit(X, y)
    >>> bool(model.certificate_.relative_gap <= 1e-6)
    True
    """

    _saved_as: ClassVar[str] = "RuleRegressor"

    def __init__(
        self,
        *,
        alpha: Any = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.001,
        cv: Any = 5,
        one_standard_error: bool = False,
        max_rules: int | None = None,
        loss: str = "squared",
        penalty_growth: float = 0.5,
        group_sparsity: float | None = None,
        tau_linear: float = 1.0,
        max_features: int | None = 3,
        min_support: int = 1,
        bins: Any = "auto",
        linear: bool = True,
        closed: bool = True,
        categorical_features: Any = "from_dtype",
        monotone: Any = None,
        positive: bool = False,
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
        self.max_rules = max_rules
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.group_sparsity = group_sparsity
        self.tau_linear = tau_linear
        self.max_features = max_features
        self.min_support = min_support
        self.bins = bins
        self.linear = linear
        self.closed = closed
        self.categorical_features = categorical_features
        self.monotone = monotone
        self.positive = positive
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
