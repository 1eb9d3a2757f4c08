"""Linear models with few coefficients, for classes."""

from __future__ import annotations

from typing import Any

from ...model_io.registry import register
from ..checks import choice
from .base import SubsetClassification
from .linear import LinearL0


@register
class L0Classifier(SubsetClassification, LinearL0):
    """Linear classifier with few coefficients, by local search over the subsets of the columns.

    The decision function is f(x) = b + sum_j w_j x_j. With y in {-1, +1} it minimises

        sum_i v_i loss(y_i f(x_i)) + lambda0 * ||w||_0 + lambda2 * ||w||_2^2

    with loss(m) = log(1 + exp(-m)) (logistic) or exp(-m) (exponential) and v_i the
    weights. No coefficient of the model can be added, dropped or swapped for another
    with profit while the others stay as they are, and the most promising moves are
    judged with all others refitted. More than two classes are fitted one against the
    rest; their probabilities are divided by their sum.

    Parameters
    ----------
    lambda0 : "cv", float, array-like of float or None, default="cv"
        Price of a coefficient: the loss that it has to save. "cv": of least held-out
        loss on a path from the empty model down to half of what Akaike's criterion
        asks; a number: that one; a list: the best of these by held-out loss; None: no
        price, but `max_nonzero` coefficients.
    lambda2 : float or array-like of float, default=0.0
        Ridge penalty on the coefficients as they are; of several the best by held-out
        loss.
    max_nonzero : int or None, default=None
        The most coefficients.
    loss : {"logistic", "exponential"}, default="logistic"
        The loss. Held-out rows are scored by the log-loss of the probabilities in both
        cases.
    bounds : pair, sequence of pairs, dict of column: pair, or None, default=None
        (lower, upper) for all columns, for each, or for some by name or position; None
        or infinite for no bound. 0 lies between them. (0, None): no negative
        coefficient.
    max_swaps : int or None, default=None
        The most swaps at each point of a path; None: until none helps.
    n_candidates : int or None, default=None
        The most columns tried in place of each coefficient in the final check, those of
        the steepest gradient; None: all.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number: that many folds stratified by class, of rows shuffled in a
        fixed order.
    one_standard_error : bool, default=False
        Take the largest price whose held-out loss is within one standard error of the
        least.
    class_weight : dict of label: factor, "balanced" or None, default=None
        Factors on the sample weights. "balanced": every class weighs the same.
    time_limit : float or None, default=None
        Seconds after which the best model so far is returned.
    memory_limit : float or None, default=None
        Bytes a fit may take; MemoryError when the data do not fit.
    n_jobs : int or None, default=None
        Threads for folds, values of `lambda2` and classes; None: all cores this process
        may use. Results do not depend on it.
    verbose : int, default=0
        1: a progress bar or up to twenty lines through the logger ``thresher``; 2: a
        line for each step.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, the second is the one that a positive decision means.
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        w.
    intercept_ : float or ndarray of shape (n_classes,)
        b.
    n_nonzero_ : int or ndarray of shape (n_classes,)
        Coefficients other than 0.
    lambda0_, lambda2_ : float or ndarray of shape (n_classes,)
        The penalties chosen.
    objective_ : float or ndarray of shape (n_classes,)
        The objective.
    path_ : L0Path
        All points: ``lambda0, lambda2, objective, n_nonzero, at(lambda0)``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.

    Notes
    -----
    Where the chosen columns separate the classes and `lambda2` is 0, both losses fall
    without end as the coefficients grow. A ridge of 1e-8 of the sum of the weights (on
    standardised columns) then keeps them finite, and a ConvergenceWarning says so.

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

    def __init__(
        self,
        *,
        lambda0: Any = "cv",
        lambda2: Any = 0.0,
        max_nonzero: int | None = None,
        loss: str = "logistic",
        bounds: Any = None,
        max_swaps: int | None = None,
        n_candidates: int | None = None,
        cv: Any = 5,
        one_standard_error: bool = False,
        class_weight: Any = None,
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
        self.max_swaps = max_swaps
        self.n_candidates = n_candidates
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _loss_name(self) -> str:
        return choice("loss", self.loss, ("logistic", "exponential"))
