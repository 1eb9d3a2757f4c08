"""Hierarchical rule ensembles for numbers and for classes."""

from __future__ import annotations

from typing import Any

from .._classifier import Classifier
from .._parameters import CLASSES, public_estimator
from .._regressor import Regressor
from .._typing import ClassWeight, Columns, CutPoints, Folds, Strength
from ._model import HierarchyModel, hierarchy_parameters


@public_estimator
class HierarchicalRuleRegressor(Regressor, HierarchyModel):
    """Rule ensemble for numbers over all conjunctions of propositions, by hierarchical kernel learning.

    The model is f(x) = b + sum_v f_v phi_v(x), with phi_v the indicator of a conjunction v
    of basic propositions (``x <= c``, ``x > c``, ``x = level``, ``x != level``, ``x is
    missing``). It minimises

        (1/n) sum_i v_i (y_i - f(x_i))^2 / 2 + alpha/2 (sum_v d_v ||f_D(v)||_rho)^2,   d_v = a^|v|

    over all of them, where D(v) are the conjunctions that contain v and v_i the sample
    weights as given, n their sum. The penalty grows with the length of a conjunction.
    The running time depends on the size of the model's hull, not on the number of
    conjunctions.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    rules_ : list of HierarchicalRule
        The rules of the model with their coefficients.
    hull_ : list of HierarchicalRule
        The working set of the proof: the rules, all their subsets, and the conjunctions
        that had to be tested; their coefficient is 0 unless they were selected.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    alpha_ : float or ndarray of shape (n_outputs,)
        The selected regularisation strength.
    certificate_ : Certificate
        The certificate over all conjunctions: ``primal, dual, gap, relative_gap, n_candidates,
        ...``; objectives are of mean loss + alpha / 2 times the squared penalty.
    path_ : HierarchyPath
        The strengths up to the one chosen: ``alphas, objective, relative_gap, n_rules, at(alpha)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.
    n_iter_ : int
        Number of Newton steps.

    Notes
    -----
    Propositions of one column that imply or exclude each other never occur in one
    conjunction; ``certificate_.n_candidates`` counts the conjunctions that remain. For
    `rho` > 1 every conjunction between two selected ones in the lattice has a non-zero
    coefficient, however small; rules that change the objective by less than `tol` are
    omitted, so a larger `tol` gives fewer rules.

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
    >>> model = HierarchicalRuleRegressor(alpha=0.0003).fit(X, y)
    >>> max(model.rules_, key=lambda rule: rule.coef).text, model.certificate_.complete
    ('x0 > 2 and x1 > 2', True)
    """

    _parameters = hierarchy_parameters("squared")

    def __init__(
        self,
        *,
        rho: float = 1.1,
        alpha: Strength = "cv",
        loss: str = "squared",
        depth_base: float = 2.0,
        bins: CutPoints = ("uniform", 5),
        cv: Folds = 5,
        one_standard_error: bool = False,
        categorical_features: Columns = "from_dtype",
        handle_unknown: str = "error",
        solver: str = "newton",
        tol: float = 1e-6,
        max_hull: int = 500,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.rho = rho
        self.alpha = alpha
        self.loss = loss
        self.depth_base = depth_base
        self.bins = bins
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.solver = solver
        self.tol = tol
        self.max_hull = max_hull
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose


@public_estimator
class HierarchicalRuleClassifier(Classifier, HierarchyModel):
    """Rule ensemble for classes over all conjunctions of propositions, by hierarchical kernel learning.

    The decision function is f(x) = b + sum_v f_v phi_v(x), with phi_v the indicator of a
    conjunction v of basic propositions (``x <= c``, ``x > c``, ``x = level``, ``x !=
    level``, ``x is missing``). With y in {-1, +1} it minimises

        (1/n) sum_i v_i loss(y_i f(x_i)) + alpha/2 (sum_v d_v ||f_D(v)||_rho)^2,   d_v = a^|v|

    over all of them, where D(v) are the conjunctions that contain v and v_i the sample
    weights as given, n their sum; loss(m) = max(0, 1 - m) (hinge), its square / 2, or
    log(1 + exp(-m)) (logistic). The penalty
    grows with the length of a conjunction. The running time depends on the size of the
    model's hull, not on the number of conjunctions. More than two classes are fitted one
    against the rest.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive decision value predicts the last.
    rules_ : list of HierarchicalRule
        The rules of the model with their coefficients.
    hull_ : list of HierarchicalRule
        The working set of the proof: the rules, all their subsets, and the conjunctions
        that had to be tested; their coefficient is 0 unless they were selected.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    alpha_ : float or ndarray of shape (n_outputs,)
        The selected regularisation strength.
    certificate_ : Certificate
        The certificate over all conjunctions: ``primal, dual, gap, relative_gap, n_candidates,
        ...``; objectives are of mean loss + alpha / 2 times the squared penalty.
    path_ : HierarchyPath
        The strengths up to the one chosen: ``alphas, objective, relative_gap, n_rules, at(alpha)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.
    n_iter_ : int
        Number of Newton steps.

    Notes
    -----
    Propositions of one column that imply or exclude each other never occur in one
    conjunction; ``certificate_.n_candidates`` counts the conjunctions that remain. For
    `rho` > 1 every conjunction between two selected ones in the lattice has a non-zero
    coefficient, however small; rules that change the objective by less than `tol` are
    omitted, so a larger `tol` gives fewer rules.

    References
    ----------
    Jawanpuria, Nath, Ramakrishnan, "Efficient Rule Ensemble Learning using Hierarchical
    Kernels", ICML 2011. Bach, "High-Dimensional Non-Linear Variable Selection through
    Hierarchical Kernel Learning", 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import HierarchicalRuleClassifier
    >>> X = np.array([[a, b] for a in "xyz" for b in "xyz"] * 4)
    >>> y = np.where((X[:, 0] == "x") & (X[:, 1] == "z"), "yes", "no")
    >>> model = HierarchicalRuleClassifier(alpha=0.0003).fit(X, y)
    >>> model.score(X, y), model.certificate_.n_candidates, model.certificate_.complete
    (1.0, 121, True)
    """

    _parameters = {**hierarchy_parameters("hinge", "squared_hinge", "logistic"), **CLASSES}

    def __init__(
        self,
        *,
        rho: float = 1.1,
        alpha: Strength = "cv",
        loss: str = "hinge",
        depth_base: float = 2.0,
        bins: CutPoints = ("uniform", 5),
        cv: Folds = 5,
        scoring: str = "loss",
        one_standard_error: bool = False,
        categorical_features: Columns = "from_dtype",
        handle_unknown: str = "error",
        class_weight: ClassWeight = None,
        pos_label: Any = None,
        solver: str = "newton",
        tol: float = 1e-6,
        max_hull: int = 500,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.rho = rho
        self.alpha = alpha
        self.loss = loss
        self.depth_base = depth_base
        self.bins = bins
        self.cv = cv
        self.scoring = scoring
        self.one_standard_error = one_standard_error
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.solver = solver
        self.tol = tol
        self.max_hull = max_hull
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
