"""Factorization machines for classes."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from ...model_io.registry import register
from ..tasks import ClassificationMethods
from .base import FactorizationMachine, learns_in_batches


@register
class FactorizationMachineClassifier(ClassificationMethods, FactorizationMachine):
    """Classification by features and their interactions, of which it keeps the ones that matter.

    The decision function is f(x) = b + <w, x> + sum_{i<j} <p_i, p_j> x_i x_j, and so on
    for larger orders. With y in {-1, +1} it minimises

        mean loss + l2_linear ||w||^2 + l2_factors ||P||^2 + alpha Omega(P)

    where the mean is weighted and Omega makes most interactions exactly 0. The problem is
    not convex: the result depends on `random_state`. More than two classes are fitted one
    against the rest; their probabilities are divided by their sum.

    Parameters
    ----------
    order : int or "all", default=2
        The largest number of features that interact, 2 to 6; "all": the all-subsets
        model, sum_s prod_j (1 + x_j p_js).
    rank : int, default=30
        Components of each factor.
    penalty : {"ti", "cs", "l1", "l21", "omega_ti", "omega_cs"} or None, default="ti"
        What keeps factors sparse. "ti", sum_s ||p_s||_1^m over the components, selects
        interactions; "cs", (sum_j ||p_j||_2)^m over the features, selects features;
        "omega_ti" and "omega_cs" are the same without the parts that belong to single
        features. "l1" and "l21" are the plain norms.
    l2_linear : float, default=1e-3
        Ridge penalty of the linear term.
    l2_factors : float, default=1e-4
        Ridge penalty of the factors.
    alpha : float, default=1e-3
        Strength of `penalty`; where `n_interactions` is given, the first one tried.
    n_interactions : int or None, default=None
        How many interactions to leave: the strength is found by bisection until the
        number is at most 1 % below or 3.5 % above.
    refit : bool or float, default=False
        Fit the entries found once more without `penalty`, which shrinks them: with the
        ridge `l2_factors`, or the one given.
    loss : {"logistic", "squared_hinge", "squared"}, default="logistic"
        log(1 + exp(-y f)), max(0, 1 - y f)^2 / 2, or (y - f)^2 / 2 with y in {-1, +1}.
    solver : str, default="auto"
        "pcd" (coordinate descent by entries), "pbcd" (by rows), "pgd", "fista", "nmapgd"
        (gradients of all rows), "psgd", "katyusha", "adagrad" (of batches of rows).
        "auto": by rows for the penalties on rows, else by entries. The first two need no
        step and lead on sparse data by far. Penalties on rows go with "pbcd", those on
        entries with "pcd"; all of "ti", "cs", "l1", "l21" with the others but
        "adagrad", which takes none.
    fit_lower : {"explicit", "augment", "none"}, default="explicit"
        The orders below `order`: a factor for each, columns of ones through which one
        factor stands for all of them, or none.
    fit_linear, fit_intercept : bool, default=True
        Whether there is a linear term, and a bias.
    signs : {"positive", "random"}, default="positive"
        Signs of the components: all 1, or drawn. With signs a small rank can stand for
        weights of both signs more easily.
    max_epochs : int, default=100
        The most passes over all entries.
    tol : float, default=1e-3
        The fit ends when all numbers together move by less than this in an epoch.
    init_scale : float, default=0.1
        Standard deviation of the factors to begin with.
    batch_size : int or None, default=None
        Rows in a batch of the stochastic solvers; None: so many that a batch has as
        many entries as `X` has columns.
    learning_rate : float or None, default=None
        Their first step; None: found by trial.
    early_stopping : bool, default=False
        Hold rows out and keep the model that predicts them best.
    validation_fraction : float, default=0.1
        Share of the rows held out for that.
    n_iter_no_change : int, default=5
        Epochs without improvement after which the fit stops.
    warm_start : bool, default=False
        Whether `fit` goes on from the model it has.
    categorical_features : "from_dtype", list of names or positions, mask or None, default="from_dtype"
        Which columns are categories; each level becomes a column of its own. From their
        dtype: text, truth values and categorical dtypes are.
    class_weight : dict of label: factor, "balanced" or None, default=None
        Factors on the sample weights. "balanced": every class weighs the same.
    time_limit : float or None, default=None
        Seconds after which the model reached so far is returned.
    memory_limit : float or None, default=None
        Bytes; a fit that needs more is refused.
    random_state : int, RandomState or None, default=0
        Seed of the factors to begin with, signs, batches and rows held out.
    n_jobs : int or None, default=None
        Threads for outputs and points of a path; None: all cores this process may use.
        Results do not depend on it.
    verbose : int, default=0
        1: a progress bar or up to twenty lines through the logger ``thresher``; 2: a
        line for each epoch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, the second is the one that a positive decision means.
    coef_ : ndarray of shape (n_columns,) or (n_classes, n_columns)
        w.
    intercept_ : float or ndarray of shape (n_classes,)
        b.
    factors_ : list of ndarray of shape (n_columns, rank) or (n_classes, n_columns, rank)
        P, one for each order (below the columns of the data those of ones, if any).
    column_names_ : list of str
        Names of the columns: numbers by their name, categories as ``column=level``.
    signs_ : ndarray of shape (rank,) or (n_classes, rank)
        Signs of the components.
    interactions_ : Interactions
        Features that act together, with their weights, the strongest first.
    n_interactions_ : int or ndarray of shape (n_classes,)
        How many there are.
    alpha_, objective_ : float or ndarray of shape (n_classes,)
        The strength of the penalty, and the objective there.
    path_ : FmPath
        All points: ``alphas, objective, loss, n_interactions, at(alpha)``.
    n_iter_ : int
        Epochs (of the slowest output).
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where `X` had names.

    References
    ----------
    Atarashi, Oyama, Kurihara, "Factorization Machines with Regularization for Sparse
    Feature Interactions", JMLR 22(153), 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import FactorizationMachineClassifier
    >>> X = np.random.default_rng(0).normal(size=(400, 10))
    >>> y = np.where(X[:, 3] * X[:, 7] > 0, "same", "other")
    >>> model = FactorizationMachineClassifier(alpha=0.005, max_epochs=300).fit(X, y)
    >>> model.interactions_[0].text, bool(model.score(X, y) > 0.9)
    ('x3 x x7', True)
    """

    _losses: ClassVar[tuple[str, ...]] = ("logistic", "squared_hinge", "squared")
    _probabilistic: ClassVar[tuple[str, ...]] = _losses

    def __init__(
        self,
        *,
        order: Any = 2,
        rank: int = 30,
        penalty: str | None = "ti",
        l2_linear: float = 1e-3,
        l2_factors: float = 1e-4,
        alpha: float = 1e-3,
        n_interactions: int | None = None,
        refit: bool | float = False,
        loss: str = "logistic",
        solver: str = "auto",
        fit_lower: str = "explicit",
        fit_linear: bool = True,
        fit_intercept: bool = True,
        signs: str = "positive",
        max_epochs: int = 100,
        tol: float = 1e-3,
        init_scale: float = 0.1,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.order = order
        self.rank = rank
        self.penalty = penalty
        self.l2_linear = l2_linear
        self.l2_factors = l2_factors
        self.alpha = alpha
        self.n_interactions = n_interactions
        self.refit = refit
        self.loss = loss
        self.solver = solver
        self.fit_lower = fit_lower
        self.fit_linear = fit_linear
        self.fit_intercept = fit_intercept
        self.signs = signs
        self.max_epochs = max_epochs
        self.tol = tol
        self.init_scale = init_scale
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @available_if(learns_in_batches)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some rows, going on from what is known.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows; the first call settles columns and levels.
        y : array-like of shape (n_rows,)
            Labels.
        classes : array-like of shape (n_classes,), optional
            All labels there will be; needed in the first call unless `y` has them all.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        estimator
            Itself, after one pass over the rows.

        Raises
        ------
        AttributeError
            If `solver` does not learn from batches.
        TypeError, ValueError
            As in :meth:`fit`.
        """
        return self._learn_more(X, y, classes, sample_weight)

    def _probabilities(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the squared losses the best f is 2 P(y = 1) - 1, from which shares follow."""
        if self._fitted.document["loss"] == "logistic":
            return super()._probabilities(decision)
        shares = np.clip((1.0 + decision) / 2.0, 0.0, 1.0)
        if shares.shape[1] == 1:
            return np.column_stack([1.0 - shares, shares])
        total = shares.sum(axis=1, keepdims=True)
        return np.asarray(
            np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1.0 / shares.shape[1])
        )
