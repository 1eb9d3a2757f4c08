"""Optimal sparse rule models for numbers and for classes."""

from __future__ import annotations

from typing import Any

from .. import _datasets
from .._classifier import Classifier
from .._parameters import CLASSES, LOSSES, public_estimator
from .._regressor import Regressor
from .._typing import ClassWeight, Columns, CutPoints, Directions, Folds, Relax, SpecialCodes, Strength
from ._model import RuleModel
from ._parameters import rule_parameters


@public_estimator
class RuleRegressor(Regressor, RuleModel):
    """Sparse sum of rules and linear terms, with a certificate.

    The model is f(x) = b + sum_j a_j x_j + sum_k w_k r_k(x), with r_k the indicator of
    a box (``age > 30 and bmi <= 25``). The candidates are all boxes between the cut points. It minimises

        (1/n) sum_i v_i loss(y_i, f(x_i)) + alpha (sum_j |a_j| sd_j + sum_k c_k |w_k|)

    with loss = (y - f)^2 / 2 or Huber's, v_i the sample weights normalised to mean 1, and
    c_k = 1 + `penalty_growth` (length_k - 1). ``certificate_`` bounds how far the
    objective can be from the optimum over all candidates.

    With ``group_sparsity=tau`` the rules on the same columns form a group g (of one
    length, so with one factor c_g), and the rules' part of the penalty becomes

        alpha sum_g c_g (tau ||w_g||_1 + (1 - tau) ||w_g||_2),

    which removes whole groups: the model uses fewer sets of columns for the same number
    of rules. In a group, rules that hold for the same training rows count once, and not
    at all where a rule on fewer of the group's columns holds for these rows.
    `linear_penalty` multiplies the penalty of the linear terms.

    With ``penalty="l0"`` the model is a best subset of the terms in place of an L1 solution.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    rules_ : list of Rule
        The rules of the model with their coefficients, by columns and bounds;
        ``summary()`` and ``get_rules()`` list the most important first.
    max_features_ : int or None
        The most conditions that a rule could have, chosen by the folds where `max_features` is "auto".
    groups_ : list of RuleGroup
        The rules grouped by the columns that they use, the group of largest L2 norm first.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    linear_coef_ : ndarray of shape (n_features,) or (n_outputs, n_features)
        The coefficients a, in units of y per unit of x; the mean replaces a missing x and special codes.
    alpha_ : float or ndarray of shape (n_outputs,)
        The selected regularisation strength.
    relaxation_ : Relaxation or None, or list of them
        Blend and ridge penalty of the relaxed coefficients; None where they were not relaxed.
    ridge_ : float or None, or list of them
        Ridge penalty of a best subset; None with ``penalty="l1"``.
    path_ : RulePath
        The regularisation path: ``alphas, objective, relative_gap, n_rules, n_iter, at(alpha)``.
    certificate_ : Certificate or SubsetCertificate
        The certificate: ``primal, dual, gap, relative_gap, n_candidates, ...``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.
    n_iter_ : int
        Number of iterations of the solver.

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

    _parameters = rule_parameters(*LOSSES["regression"])
    score = _datasets.score

    def __init__(
        self,
        *,
        alpha: Strength = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.001,
        cv: Folds = 5,
        one_standard_error: bool = False,
        relax: Relax = None,
        penalty: str = "auto",
        ridge: float | None = None,
        max_rules: int | None = None,
        max_linear: int | None = None,
        max_terms: int | None = None,
        loss: str | tuple[str, float] = "squared",
        penalty_growth: float = 0.5,
        group_sparsity: float | None = None,
        linear_penalty: float = 1.0,
        max_features: int | str | None = "auto",
        min_support: float = 1,
        bins: CutPoints = "auto",
        special_codes: SpecialCodes = None,
        linear: bool = True,
        closed: bool = True,
        categorical_features: Columns = "from_dtype",
        handle_unknown: str = "error",
        monotonic_cst: Directions = None,
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
        self.relax = relax
        self.penalty = penalty
        self.ridge = ridge
        self.max_rules = max_rules
        self.max_linear = max_linear
        self.max_terms = max_terms
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.group_sparsity = group_sparsity
        self.linear_penalty = linear_penalty
        self.max_features = max_features
        self.min_support = min_support
        self.bins = bins
        self.special_codes = special_codes
        self.linear = linear
        self.closed = closed
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.monotonic_cst = monotonic_cst
        self.positive = positive
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose


@public_estimator
class RuleClassifier(Classifier, RuleModel):
    """Sparse sum of rules and linear terms for classes, with a certificate.

    The decision function is f(x) = b + sum_j a_j x_j + sum_k w_k r_k(x), with r_k the
    indicator of a box (``age > 30 and bmi <= 25``). The candidates are all boxes
    between the cut points. With y in {-1, +1} it minimises

        (1/n) sum_i v_i loss(y_i f(x_i)) + alpha (sum_j |a_j| sd_j + sum_k c_k |w_k|)

    with loss(m) = log(1 + exp(-m)) (logistic) or max(0, 1 - m)^2 / 2 (squared hinge),
    v_i the sample weights normalised to mean 1, and c_k = 1 + `penalty_growth` (length_k - 1).
    More than two classes are fitted one against the rest with the same cut points;
    their probabilities are the sigmoids, normalised to sum 1.

    With ``group_sparsity=tau`` the rules on the same columns form a group g (of one
    length, so with one factor c_g), and the rules' part of the penalty becomes

        alpha sum_g c_g (tau ||w_g||_1 + (1 - tau) ||w_g||_2),

    which removes whole groups: the model uses fewer sets of columns for the same number
    of rules. In a group, rules that hold for the same training rows count once, and not
    at all where a rule on fewer of the group's columns holds for these rows.
    `linear_penalty` multiplies the penalty of the linear terms.

    With ``penalty="l0"`` the model is a best subset of the terms in place of an L1 solution.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive decision value predicts the last.
    rules_ : list of Rule
        The rules of the model with their coefficients, class by class where there are more than two, by
        columns and bounds; ``summary()`` and ``get_rules()`` list the most important first.
    max_features_ : int or None
        The most conditions that a rule could have, chosen by the folds where `max_features` is "auto".
    groups_ : list of RuleGroup
        The rules grouped by the columns that they use, the group of largest L2 norm first.
    intercept_ : float or ndarray of shape (n_classes,)
        The intercept b.
    linear_coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        The coefficients a, per unit of x; the mean replaces a missing x and special codes.
    alpha_ : float or ndarray of shape (n_classes,)
        The selected regularisation strength.
    relaxation_ : Relaxation or None, or list of them
        Blend and ridge penalty of the relaxed coefficients; None where they were not relaxed.
    ridge_ : float or None, or list of them
        Ridge penalty of a best subset; None with ``penalty="l1"``.
    path_ : RulePath
        The regularisation path: ``alphas, objective, relative_gap, n_rules, n_iter, at(alpha)``.
    certificate_ : Certificate or SubsetCertificate
        The certificate: ``primal, dual, gap, relative_gap, n_candidates, ...``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.
    n_iter_ : int
        Number of iterations of the solver.

    References
    ----------
    Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule Model by Meta
    Safe Screening".

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleClassifier
    >>> X = np.arange(40.0)[:, None]
    >>> y = np.where(X[:, 0] > 19, "late", "early")
    >>> model = RuleClassifier(alpha=0.01, linear=False).fit(X, y)
    >>> model.predict([[3.0], [30.0]]).tolist()
    ['early', 'late']
    """

    _parameters = {**rule_parameters(*LOSSES["classification"]), **CLASSES}
    score = _datasets.score

    def __init__(
        self,
        *,
        alpha: Strength = "cv",
        n_alphas: int = 100,
        alpha_min_ratio: float = 0.001,
        cv: Folds = 5,
        one_standard_error: bool = False,
        relax: Relax = None,
        penalty: str = "auto",
        ridge: float | None = None,
        max_rules: int | None = None,
        max_linear: int | None = None,
        max_terms: int | None = None,
        loss: str = "logistic",
        penalty_growth: float = 0.5,
        group_sparsity: float | None = None,
        linear_penalty: float = 1.0,
        max_features: int | str | None = "auto",
        min_support: float = 1,
        bins: CutPoints = "auto",
        special_codes: SpecialCodes = None,
        linear: bool = True,
        closed: bool = True,
        categorical_features: Columns = "from_dtype",
        handle_unknown: str = "error",
        monotonic_cst: Directions = None,
        positive: bool = False,
        class_weight: ClassWeight = None,
        pos_label: Any = None,
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
        self.max_rules = max_rules
        self.max_linear = max_linear
        self.max_terms = max_terms
        self.loss = loss
        self.penalty_growth = penalty_growth
        self.group_sparsity = group_sparsity
        self.linear_penalty = linear_penalty
        self.max_features = max_features
        self.min_support = min_support
        self.bins = bins
        self.special_codes = special_codes
        self.linear = linear
        self.closed = closed
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.monotonic_cst = monotonic_cst
        self.positive = positive
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.strategy = strategy
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
