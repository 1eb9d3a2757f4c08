"""Hierarchical rule ensembles for numbers."""

from __future__ import annotations

from typing import Any

from ...model_io.registry import register
from ..tasks import RegressionMethods
from .base import HierarchyBase


@register
class HierarchicalRuleRegressor(RegressionMethods, HierarchyBase):
    """Rules out of every conjunction of propositions, for numbers, by hierarchical kernel learning.

    The model is f(x) = b + sum_v f_v phi_v(x), with phi_v the indicator of a conjunction v
    of basic propositions (``x <= c``, ``x > c``, ``x = level``, ``x != level``, ``x is
    missing``). It minimises

        1/2 (sum_v d_v ||f_D(v)||_rho)^2 + C sum_i v_i (y_i - f(x_i))^2 / 2,   d_v = a^|v|

    over all of them, where D(v) are the conjunctions that contain v and v_i the sample
    weights as given. Long conjunctions are dear, and work grows with the hull of the
    model, not with the number of conjunctions.

    Parameters
    ----------
    rho : float, default=1.1
        Order of the norm over a conjunction's descendants, > 1 and <= 2. 2 selects a
        conjunction only with all its subsets (Bach's hierarchical kernel learning); the
        nearer to 1, the fewer rules are selected beside those that matter.
    C : "cv", float or array-like of float, default="cv"
        Weight of the loss against the penalty, on the sum of the losses as in the papers.
        "cv": of least held-out score among 0.001, 0.01, ..., 1000; a list: the best of
        these.
    alpha : float or None, default=None
        Where given, `C` is not used: 1 / (C times the sum of the weights), the penalty's strength beside
        the mean loss.
    loss : {"squared"}, default="squared"
        The loss.
    depth_base : float, default=2.0
        How much dearer a conjunction gets with each proposition: a > 1.
    n_cuts : int, default=4
        Cuts of a numeric column.
    cuts : {"uniform", "quantiles"} or list of arrays, default="uniform"
        Where they are: evenly over the column's range, at its quantiles, or given column
        by column (None for a categorical one).
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number: that many folds of rows shuffled in a fixed order.
    one_standard_error : bool, default=False
        Take the smallest C whose held-out score is within one standard error of the
        least.
    categorical_features : "from_dtype", list of names or positions, mask or None, default="from_dtype"
        Which columns are categories. From the dtype: text, truth values and
        categorical dtypes are.
    strategy : {"newton", "mirror_descent"}, default="newton"
        Solver over a working set; both find the same optimum. Mirror descent is the
        paper's, and far slower.
    tol : float, default=1e-6
        The relative duality gap to reach over the whole lattice.
    max_hull : int, default=500
        The most conjunctions in the working set. Where it is full the best model over it is
        returned, with its true gap over the whole lattice.
    time_limit : float or None, default=None
        Seconds after which the best model so far is returned with its true gap.
    memory_limit : float or None, default=None
        Bytes that the fit may use.
    n_jobs : int or None, default=None
        Threads for folds and outputs; None: all cores this process may use (at most
        OMP_NUM_THREADS where that is set). Results do not depend on it.
    verbose : int, default=0
        1: scikit-learn's progress bar in a terminal or notebook (with rich), else up to
        twenty lines for each part of the work through the logger ``thresher``; 2: a
        line for each step.

    Attributes
    ----------
    rules_ : list of HierarchicalRule
        The rules with their coefficients.
    hull_ : list of HierarchicalRule
        The working set of the proof: the rules, all their subsets, and conjunctions that
        had to be looked at; coefficient 0 where not selected.
    intercept_ : float or ndarray of shape (n_outputs,)
        b.
    C_, alpha_ : float or ndarray of shape (n_outputs,)
        The strength chosen, in both scales.
    certificate_ : Certificate
        The proof over all conjunctions: ``primal, dual, gap, relative_gap, n_candidates,
        ...``; objectives are of mean loss + alpha / 2 times the squared penalty.
    path_ : HierarchyPath
        The strengths up to the one chosen: ``C, objective, relative_gap, n_rules, at(C)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.
    n_iter_ : int
        Newton steps.

    Notes
    -----
    Propositions of one column that imply or exclude each other never stand in one
    conjunction; ``certificate_.n_candidates`` counts the conjunctions that remain. For
    `rho` > 1 every conjunction between others has a coefficient, however small; those
    that change the objective by less than `tol` are left out, so a larger `tol` gives
    fewer rules.

    References
    ----------
    Jawanpuria, Nath, Ramakrishnan, "Efficient Rule Ensemble Learning using Hierarchical
    Kernels", ICML 2011. Bach, "High-Dimensional Non-Linear Variable Selection through
    Hierarchical Kernel Learning", 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import HierarchicalRuleRegressor
    >>> X = np.array([[a, b] for a in range(6) for b in range(6)], dtype=float)
    >>> y = 3.0 * ((X[:, 0] > 2) & (X[:, 1] > 2))
    >>> model = HierarchicalRuleRegressor(C=100).fit(X, y)
    >>> max(model.rules_, key=lambda rule: rule.coef).text, model.certificate_.complete
    ('x0 > 2 and x1 > 2', True)
    """

    def __init__(
        self,
        *,
        rho: float = 1.1,
        C: Any = "cv",
        alpha: float | None = None,
        loss: str = "squared",
        depth_base: float = 2.0,
        n_cuts: int = 4,
        cuts: Any = "uniform",
        cv: Any = 5,
        one_standard_error: bool = False,
        categorical_features: Any = "from_dtype",
        strategy: str = "newton",
        tol: float = 1e-6,
        max_hull: int = 500,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.rho = rho
        self.C = C
        self.alpha = alpha
        self.loss = loss
        self.depth_base = depth_base
        self.n_cuts = n_cuts
        self.cuts = cuts
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.categorical_features = categorical_features
        self.strategy = strategy
        self.tol = tol
        self.max_hull = max_hull
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
