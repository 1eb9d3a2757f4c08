"""Sparse additive step functions for numbers and for classes."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .. import _datasets
from .._classifier import Classifier
from .._parameters import CLASSES, loss_parameter, public_estimator
from .._regressor import Regressor
from .._typing import ClassWeight, ColumnList, Columns, CutPoints, Folds, SpecialCodes, Strength, Trends
from . import _scorecards
from ._model import AdditiveModel
from ._parameters import ADDITIVE_PARAMETERS


@public_estimator
class L0AdditiveRegressor(Regressor, AdditiveModel):
    """Additive model of step functions for numbers, with an L0 penalty on the number of steps.

    The model is f(x) = b + sum_j g_j(x_j), each g_j a step function: constant on intervals
    of numbers, or on sets of categories. It minimises

        sum_i v_i (y_i - f(x_i))^2 / 2 + lambda0 * steps + lambda2 * sum of squared jumps
            + ridge * sum_j sum_i v_i g_j(x_ij)^2

    with v_i the sample weights as given. Each piece of a function after its first is one
    step; missing values share the value of a piece without penalty, or form a piece of
    their own. The search is local: coordinate descent over columns re-optimises one
    whole function exactly, then jumps are swapped between columns. Several targets are
    fitted independently.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    shape_functions_ : list of ShapeFunction
        The step functions of the model, the most important first, target by target.
    bins_ : int or as given
        The number of bins that was chosen, or ``bins`` as it was given.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b.
    objective_ : float or ndarray of shape (n_outputs,)
        The objective: sum of losses and penalties.
    lambda0_, lambda2_, ridge_ : float or ndarray of shape (n_outputs,)
        The selected penalties.
    n_nonzero_ : int or ndarray of shape (n_outputs,)
        The number of steps.
    certificate_ : L0Certificate
        A lower bound on the objective of every model, and the gap to it.
    left_out_ : list of str
        Columns of many categories that differ by chance more than by effects of their own, where the
        held-out loss is lower without them: the fit left them out, as `exclude` does.
    path_ : L0Path
        All models: ``lambda0, lambda2, ridge, objective, loss, n_nonzero, at(lambda0)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.

    References
    ----------
    Liu, Zhong, Seltzer, Rudin 2022, "Fast Sparse Classification for Generalized Linear and
    Additive Models".

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveRegressor
    >>> X = np.arange(40.0)[:, None]
    >>> model = L0AdditiveRegressor(lambda0=1.0).fit(X, 2.0 * (X[:, 0] > 19))
    >>> print(model.shape_functions_[0])
    x0
      -0.980  x0 <= 19  50%
      +0.980  x0 > 19   50%
    """

    _parameters = {**ADDITIVE_PARAMETERS, "loss": loss_parameter(("squared",))}
    score = _datasets.score
    monitor = _scorecards.monitor  # type: ignore[assignment]

    def __init__(
        self,
        *,
        lambda0: Strength = "cv",
        lambda2: float | ArrayLike = 0.0,
        loss: str = "squared",
        bins: CutPoints = "auto",
        special_codes: SpecialCodes = None,
        exclude: ColumnList = None,
        monotonic_cst: Trends = None,
        max_steps: int | None = None,
        max_columns: int | None = None,
        min_bin_weight: float = 0.0,
        ridge: float | ArrayLike | None = None,
        gap_tol: float | None = None,
        max_swaps: int | None = 3,
        cv: Folds = 5,
        one_standard_error: bool = False,
        categorical_features: Columns = "from_dtype",
        handle_unknown: str = "error",
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lambda0 = lambda0
        self.lambda2 = lambda2
        self.loss = loss
        self.bins = bins
        self.special_codes = special_codes
        self.exclude = exclude
        self.monotonic_cst = monotonic_cst
        self.max_steps = max_steps
        self.max_columns = max_columns
        self.min_bin_weight = min_bin_weight
        self.ridge = ridge
        self.gap_tol = gap_tol
        self.max_swaps = max_swaps
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose


@public_estimator
class L0AdditiveClassifier(Classifier, AdditiveModel):
    """Additive model of step functions for classes, with an L0 penalty on the number of steps.

    The decision function is f(x) = b + sum_j g_j(x_j), each g_j a step function: constant on
    intervals of numbers, or on sets of categories. With y in {-1, +1} it minimises

        sum_i v_i loss(y_i f(x_i)) + lambda0 * steps + lambda2 * sum of squared jumps
            + ridge * sum_j sum_i v_i g_j(x_ij)^2

    with loss(m) = log(1 + exp(-m)) (logistic) or exp(-m) (exponential) and v_i the sample
    weights as given. Each piece of a function after its first is one step; missing values
    share the value of a piece without penalty, or form a piece of their own. The search
    is local: coordinate descent over columns re-optimises one whole function (exactly
    with the present intercept for the exponential loss, on the quadratic Newton
    approximation for the logistic loss), then jumps are swapped between columns. More
    than two classes are fitted one against the rest.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive decision value predicts the last.
    shape_functions_ : list of ShapeFunction
        The step functions of the model, the most important first, class by class.
    bins_ : int or as given
        The number of bins that was chosen, or ``bins`` as it was given.
    intercept_ : float or ndarray of shape (n_classes,)
        The intercept b.
    objective_ : float or ndarray of shape (n_outputs,)
        The objective: sum of losses and penalties.
    lambda0_, lambda2_, ridge_ : float or ndarray of shape (n_classes,)
        The selected penalties.
    n_nonzero_ : int or ndarray of shape (n_classes,)
        The number of steps.
    certificate_ : L0Certificate
        A lower bound on the objective of every model, and the gap to it.
    left_out_ : list of str
        Columns of many categories that differ by chance more than by effects of their own, where the
        held-out loss is lower without them: the fit left them out, as `exclude` does.
    path_ : L0Path
        All models: ``lambda0, lambda2, ridge, objective, loss, n_nonzero, at(lambda0)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.

    Notes
    -----
    If all rows of a piece belong to one class, the loss has no minimum: it decreases as
    the value of the piece grows. The values of a column therefore differ by at most 20
    (a factor e^20 on the odds, e^40 for the exponential loss), and are at most 15 from
    their mean. Without `ridge` and
    `lambda2` such pieces reach this bound.

    References
    ----------
    Liu, Zhong, Seltzer, Rudin 2022, "Fast Sparse Classification for Generalized Linear and
    Additive Models".

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(60.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 4) & (X[:, 0] <= 12), "mid", "out")
    >>> model = L0AdditiveClassifier(lambda0=2.0).fit(X, y)
    >>> [step.text for step in model.shape_functions_[0].steps]
    ['x0 <= 4', '4 < x0 <= 12', 'x0 > 12']
    """

    _parameters = {
        **ADDITIVE_PARAMETERS,
        **CLASSES,
        "loss": loss_parameter(("logistic", "exponential"), probabilities="Both have"),
    }
    _log_odds_scale = {"logistic": 1.0, "exponential": 2.0}
    score = _datasets.score

    def __init__(
        self,
        *,
        lambda0: Strength = "cv",
        lambda2: float | ArrayLike = 0.0,
        loss: str = "logistic",
        bins: CutPoints = "auto",
        special_codes: SpecialCodes = None,
        exclude: ColumnList = None,
        monotonic_cst: Trends = None,
        max_steps: int | None = None,
        max_columns: int | None = None,
        min_bin_weight: float = 0.0,
        ridge: float | ArrayLike | None = None,
        gap_tol: float | None = None,
        max_swaps: int | None = 3,
        cv: Folds = 5,
        one_standard_error: bool = False,
        categorical_features: Columns = "from_dtype",
        handle_unknown: str = "error",
        class_weight: ClassWeight = None,
        pos_label: Any = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lambda0 = lambda0
        self.lambda2 = lambda2
        self.loss = loss
        self.bins = bins
        self.special_codes = special_codes
        self.exclude = exclude
        self.monotonic_cst = monotonic_cst
        self.max_steps = max_steps
        self.max_columns = max_columns
        self.min_bin_weight = min_bin_weight
        self.ridge = ridge
        self.gap_tol = gap_tol
        self.max_swaps = max_swaps
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    scaled_card = _scorecards.scaled_card
