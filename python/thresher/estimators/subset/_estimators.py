"""Estimators of linear models with an L0 penalty."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .._classifier import Classifier
from .._parameters import CLASSES, public_estimator
from .._regressor import Regressor
from .._typing import Bounds, ClassWeight, Folds, Strength
from ._model import SubsetModel, subset_parameters


@public_estimator
class L0Regressor(Regressor, SubsetModel):
    """Linear model with few coefficients, by local search over the subsets of the columns.

    The model is f(x) = b + sum_j w_j x_j. It minimises

        sum_i v_i (y_i - f(x_i))^2 / 2 + lambda0 * ||w||_0 + lambda2 * ||w||_2^2

    with v_i the sample weights, by local search: no single addition, removal or swap of
    a coefficient, with all other coefficients refitted, lowers the objective. With at
    most 40 columns a branch and bound then looks for the best of all subsets, which may
    be far better where columns help only together, and proves it: for up to some 20
    columns nearly always, in hundredths of a second. ``gap_tol=0`` goes on until it is
    found.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_outputs, n_features)
        The coefficients w.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    n_nonzero_ : int or ndarray of shape (n_outputs,)
        The number of non-zero coefficients.
    lambda0_, lambda2_ : float or ndarray of shape (n_outputs,)
        The selected penalties.
    objective_ : float or ndarray of shape (n_outputs,)
        The objective.
    certificate_ : L0Certificate
        A lower bound on the objective of every model, and the gap. The bound is that of the perspective
        relaxation, with `gap_tol` that of a branch and bound; without `lambda2` and `bounds` there is none
        where columns nearly depend on each other, separate the classes, or are as many as the rows. After
        `fit_path` without values of `lambda0` there is one only with a number `gap_tol`.
    path_ : L0Path
        The models on the path: ``lambda0, lambda2, objective, n_nonzero, at(lambda0)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.

    References
    ----------
    Liu, Zhong, Seltzer, Rudin, "Fast Sparse Classification for Generalized Linear and
    Additive Models", AISTATS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0Regressor
    >>> X = np.random.default_rng(0).normal(size=(60, 30))
    >>> model = L0Regressor(lambda0=None, max_nonzero=2).fit(X, 3 * X[:, 4] - X[:, 9])
    >>> np.flatnonzero(model.coef_).tolist()
    [4, 9]
    >>> model.certificate_.is_optimal
    True
    """

    _parameters = subset_parameters("squared")

    def __init__(
        self,
        *,
        lambda0: Strength = "cv",
        lambda2: float | ArrayLike = 0.0,
        max_nonzero: int | None = None,
        loss: str = "squared",
        bounds: Bounds = None,
        gap_tol: float | str | None = "auto",
        max_swaps: int | None = None,
        max_candidates: int | None = None,
        cv: Folds = 5,
        one_standard_error: bool = False,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lambda0 = lambda0
        self.lambda2 = lambda2
        self.max_nonzero = max_nonzero
        self.loss = loss
        self.bounds = bounds
        self.gap_tol = gap_tol
        self.max_swaps = max_swaps
        self.max_candidates = max_candidates
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose


@public_estimator
class L0Classifier(Classifier, SubsetModel):
    """Linear classifier with few coefficients, by local search over the subsets of the columns.

    The decision function is f(x) = b + sum_j w_j x_j. With y in {-1, +1} it minimises

        sum_i v_i loss(y_i f(x_i)) + lambda0 * ||w||_0 + lambda2 * ||w||_2^2

    with loss(m) = log(1 + exp(-m)) (logistic) or exp(-m) (exponential) and v_i the
    weights. No coefficient of the model can be dropped or swapped for another with profit
    while the intercept and the others stay as they are, nor added with the best intercept
    while the others stay, and the most promising moves are evaluated with all refitted.
    With at most 40 columns and some thousand rows a branch and bound then looks for the
    best of all subsets and proves it; ``gap_tol=0`` goes on until it is found. More than
    two classes are fitted one against the rest; their probabilities are divided by their
    sum.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive decision value predicts the last.
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        The coefficients w.
    intercept_ : float or ndarray of shape (n_classes,)
        The intercept b.
    n_nonzero_ : int or ndarray of shape (n_classes,)
        The number of non-zero coefficients.
    lambda0_, lambda2_ : float or ndarray of shape (n_classes,)
        The selected penalties.
    objective_ : float or ndarray of shape (n_classes,)
        The objective.
    certificate_ : L0Certificate
        A lower bound on the objective of every model, and the gap. The bound is that of the perspective
        relaxation, with `gap_tol` that of a branch and bound; without `lambda2` and `bounds` there is none
        where columns nearly depend on each other, separate the classes, or are as many as the rows. After
        `fit_path` without values of `lambda0` there is one only with a number `gap_tol`.
    path_ : L0Path
        The models on the path: ``lambda0, lambda2, objective, n_nonzero, at(lambda0)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.

    Notes
    -----
    Where the chosen columns separate the classes, or some rows of one class from all others,
    and `lambda2` is 0, both losses fall without end as coefficients grow. A ridge of 1e-8 of
    twice the weight of the rarer class (on standardised columns) then keeps them finite, and a
    ConvergenceWarning says so.

    References
    ----------
    Liu, Zhong, Seltzer, Rudin, "Fast Sparse Classification for Generalized Linear and
    Additive Models", AISTATS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0Classifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 30))
    >>> y = np.where(X[:, 4] - X[:, 9] + rng.normal(size=200) > 0, "yes", "no")
    >>> model = L0Classifier(lambda0=10).fit(X, y)
    >>> np.flatnonzero(model.coef_).tolist()
    [4, 9]
    """

    _parameters = {**subset_parameters("logistic", "exponential"), **CLASSES}
    _log_odds_scale = {"logistic": 1.0, "exponential": 2.0}

    def __init__(
        self,
        *,
        lambda0: Strength = "cv",
        lambda2: float | ArrayLike = 0.0,
        max_nonzero: int | None = None,
        loss: str = "logistic",
        bounds: Bounds = None,
        gap_tol: float | str | None = "auto",
        max_swaps: int | None = None,
        max_candidates: int | None = None,
        cv: Folds = 5,
        one_standard_error: bool = False,
        class_weight: ClassWeight = None,
        pos_label: Any = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lambda0 = lambda0
        self.lambda2 = lambda2
        self.max_nonzero = max_nonzero
        self.loss = loss
        self.bounds = bounds
        self.gap_tol = gap_tol
        self.max_swaps = max_swaps
        self.max_candidates = max_candidates
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
