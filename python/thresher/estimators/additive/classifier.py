"""Sparse additive step functions for classes."""

from __future__ import annotations

from typing import Any

from ...model_io.registry import register
from ..subset.base import SubsetClassification
from .fitted import FittedAdditive


@register
class L0AdditiveClassifier(SubsetClassification, FittedAdditive):
    """Additive model of step functions for classes, with as few steps as pay their price.

    The decision function is f(x) = b + sum_j g_j(x_j), each g_j a step function: constant on
    intervals of numbers, or on sets of categories. With y in {-1, +1} it minimises

        sum_i v_i loss(y_i f(x_i)) + lambda0 * steps + lambda2 * sum of squared jumps
            + ridge * sum_j sum_i v_i g_j(x_ij)^2

    with loss(m) = log(1 + exp(-m)) (logistic) or exp(-m) (exponential) and v_i the sample
    weights as given. Each piece of a function after its first is one step; missing values
    share the value of a piece for free, or are a piece of their own. Search is local: one
    column's whole function is re-optimised at a time, exactly for the exponential loss and
    on the Newton quadratic for the logistic one, then jumps are swapped between columns.
    More than two classes are fitted one against the rest.

    Parameters
    ----------
    lambda0 : "cv", float or array-like, default="cv"
        The price of a step: the loss that one more has to save, > 0. "cv": the price
        of least held-out loss on an automatic path; a list: the best of these by
        cross-validation.
    lambda2 : float or array-like, default=0.0
        Penalty on squared jumps (the weights of the dummies 1[x <= t]); several are
        cross-validated together with `lambda0`.
    loss : {"logistic", "exponential"}, default="logistic"
        The loss. Probabilities are 1 / (1 + exp(-f)), or with 2 f for the exponential loss.
    max_thresholds : int, list of arrays or None, default=1000
        Thresholds of a numeric column. A number: every gap between observed values, at
        most so many (quantiles); None: every gap; a list: the cuts of each column (None
        for a categorical one).
    monotonic_cst : array of -1, 0, 1, dict of name: direction, or None, default=None
        Directions in which the function of a column may move. Missing values of such a
        column are a piece of their own.
    max_steps : int or None, default=None
        The path ends before a model with more steps.
    max_columns : int or None, default=None
        The most columns in use.
    min_bin_weight : float, default=0.0
        Least sum of the row weights of a piece.
    ridge : float, default=0.01
        Penalty on squared values, per row weight (for the exponential loss
        2 cosh(g) - 2 in place of g^2). It keeps pieces that hold one class only from
        values near certainty, and others nearly as they are.
    max_swaps : int or None, default=3
        Removals of a jump or a column, cheapest first, for which another column is tried
        in its place, at each price; None: all.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number: that many folds stratified by class, of rows shuffled in a
        fixed order.
    one_standard_error : bool, default=False
        Take the highest price whose held-out loss is within one standard error of the
        least.
    categorical_features : "from_dtype", list of names or positions, mask or None, default="from_dtype"
        Which columns are categories. From the dtype: text, truth values and
        categorical dtypes are.
    class_weight : dict of label: factor, "balanced" or None, default=None
        Factors on the sample weights. "balanced": every class weighs the same.
    time_limit : float or None, default=None
        Seconds after which the best model so far is returned.
    memory_limit : float or None, default=None
        Bytes a fit may take; MemoryError when the data do not fit.
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
    shape_functions_ : list of ShapeFunction
        The step functions in use, the most important first, class by class.
    intercept_ : float or ndarray of shape (n_classes,)
        b.
    objective_ : float or ndarray of shape (n_outputs,)
        Sum of losses and penalties.
    lambda0_, lambda2_ : float or ndarray of shape (n_classes,)
        The penalties chosen.
    n_nonzero_ : int or ndarray of shape (n_classes,)
        Steps.
    path_ : L0Path
        All models: ``lambda0, lambda2, objective, loss, n_nonzero, at(lambda0)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.

    Notes
    -----
    Where a piece holds one class only the loss falls for ever as its value grows; the values
    of a column are held at most 20 apart (a factor e^20 on the odds, e^40 for the
    exponential loss). Without a ridge and `lambda2` such pieces end there.

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

    def __init__(
        self,
        *,
        lambda0: Any = "cv",
        lambda2: Any = 0.0,
        loss: str = "logistic",
        max_thresholds: Any = 1000,
        monotonic_cst: Any = None,
        max_steps: int | None = None,
        max_columns: int | None = None,
        min_bin_weight: float = 0.0,
        ridge: float = 1e-2,
        max_swaps: int | None = 3,
        cv: Any = 5,
        one_standard_error: bool = False,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lambda0 = lambda0
        self.lambda2 = lambda2
        self.loss = loss
        self.max_thresholds = max_thresholds
        self.monotonic_cst = monotonic_cst
        self.max_steps = max_steps
        self.max_columns = max_columns
        self.min_bin_weight = min_bin_weight
        self.ridge = ridge
        self.max_swaps = max_swaps
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
