"""Factorization machines for numbers and for classes."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._classifier import Classifier
from .._parameters import CLASSES, public_estimator
from .._regressor import Regressor
from .._typing import ClassWeight, Columns, Folds, RandomState
from ._batches import BatchMethod
from ._model import MachineModel
from ._parameters import machine_parameters


@public_estimator
class FactorizationMachineRegressor(Regressor, MachineModel):
    """Regression on features and a sparse set of their interactions.

    The model is f(x) = b + <w, x> + sum_{i<j} <p_i, p_j> x_i x_j, and so on for larger
    orders: the coefficients of the interactions have low rank and are never stored
    explicitly. It minimises

        mean loss + l2_linear ||w||^2 + l2_factors ||P||^2 + alpha Omega(P)

    where the mean is weighted and the penalty Omega sets most interactions exactly to 0. The penalties are
    those of standardised columns and target (see `standardize`). The problem is not
    convex: the result depends on `random_state`. No fit by "pcd", "pbcd" or
    "fista" ends above the objective of the best constant.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    coef_ : ndarray of shape (n_columns,) or (n_outputs, n_columns)
        The coefficients w, of the columns less ``centers_``.
    intercept_ : float or ndarray of shape (n_outputs,)
        The intercept b. The first line of ``summary()`` is the decision value where all columns are 0:
        with ``order="all"`` it includes the constants of the factors.
    factors_ : list of ndarray of shape (n_columns, rank) or (n_outputs, n_columns, rank)
        The factors P, one array for each order (after the columns of the data those of
        the constant columns, if any).
    centers_ : ndarray of shape (n_columns,)
        What is subtracted from each column before coefficients and factors multiply it: a number near the
        mean where that is more than 1,000 times the standard deviation, as of Julian dates, else 0.
    column_names_ : list of str
        Names of the columns: names of numeric columns, categories as ``column=level``.
    rank_ : int
        The number of components; of several outputs or classes the largest (the further components of the
        others are 0).
    signs_ : ndarray of shape (rank,) or (n_outputs, rank)
        Signs of the components.
    interactions_ : Interactions
        The interactions of features, with their coefficients, the largest first.
    n_interactions_ : int or ndarray of shape (n_outputs,)
        The number of interactions.
    alpha_, l2_linear_, l2_factors_, objective_ : float or ndarray of shape (n_outputs,)
        The regularisation strength, the ridge penalties of the linear term and of the factors, and the
        objective.
    path_ : FmPath
        The models at all strengths: ``alphas, objective, loss, n_interactions, at(alpha)``.
    n_iter_ : int
        Number of passes over the data (the largest of all outputs).
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
    >>> from thresher import FactorizationMachineRegressor
    >>> X = np.random.default_rng(0).normal(size=(300, 20))
    >>> y = 2 * X[:, 3] * X[:, 7] + X[:, 0]
    >>> model = FactorizationMachineRegressor(alpha=0.05, max_iter=300).fit(X, y)
    >>> [interaction.text for interaction in model.interactions_]
    ['x3 x x7']
    """

    _parameters = machine_parameters("regression")

    def __init__(
        self,
        *,
        order: int | Literal["all"] = 2,
        rank: int | Literal["auto"] = "auto",
        penalty: str | None = "ti",
        l2_linear: float | Literal["auto"] = "auto",
        l2_factors: float | Literal["auto"] = "auto",
        alpha: float | Literal["cv"] = "cv",
        cv: Folds = 5,
        one_standard_error: bool = False,
        n_interactions: int | None = None,
        refit: bool | float = False,
        loss: str | tuple[str, float] = "squared",
        solver: str = "auto",
        fit_lower: str = "explicit",
        fit_linear: bool = True,
        fit_intercept: bool = True,
        standardize: bool = True,
        signs: str = "positive",
        max_iter: int = 1000,
        tol: float = 1e-3,
        init_scale: float = 0.1,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        categorical_features: Columns = "from_dtype",
        handle_unknown: str = "missing",
        time_limit: float | None = None,
        memory_limit: float | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.order = order
        self.rank = rank
        self.penalty = penalty
        self.l2_linear = l2_linear
        self.l2_factors = l2_factors
        self.alpha = alpha
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.n_interactions = n_interactions
        self.refit = refit
        self.loss = loss
        self.solver = solver
        self.fit_lower = fit_lower
        self.fit_linear = fit_linear
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.signs = signs
        self.max_iter = max_iter
        self.tol = tol
        self.init_scale = init_scale
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @BatchMethod
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Update the model with a batch of rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows. The first call determines the columns and their levels, those of a declared
            categorical type included; others in later calls count as missing, with a warning.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Target values.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row.

        Returns
        -------
        estimator
            The estimator after one pass over the rows.

        Raises
        ------
        AttributeError
            If `solver` does not support batches.
        TypeError, ValueError
            As in :meth:`fit`.
        """
        return self._learn_more(X, y, None, sample_weight)


@public_estimator
class FactorizationMachineClassifier(Classifier, MachineModel):
    """Classification by features and a sparse set of their interactions.

    The decision function is f(x) = b + <w, x> + sum_{i<j} <p_i, p_j> x_i x_j, and so on
    for larger orders. With y in {-1, +1} it minimises

        mean loss + l2_linear ||w||^2 + l2_factors ||P||^2 + alpha Omega(P)

    where the mean is weighted and the penalty Omega sets most interactions exactly to 0. The penalties are
    those of standardised columns (see `standardize`). The problem is not
    convex: the result depends on `random_state`. No fit by "pcd", "pbcd" or
    "fista" ends above the objective of the best constant.
    More than two classes are fitted one against the rest; their probabilities are divided by their sum.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive decision value predicts the last.
    coef_ : ndarray of shape (n_columns,) or (n_classes, n_columns)
        The coefficients w, of the columns less ``centers_``.
    intercept_ : float or ndarray of shape (n_classes,)
        The intercept b. The first line of ``summary()`` is the decision value where all columns are 0:
        with ``order="all"`` it includes the constants of the factors.
    factors_ : list of ndarray of shape (n_columns, rank) or (n_classes, n_columns, rank)
        The factors P, one array for each order (after the columns of the data those of
        the constant columns, if any).
    centers_ : ndarray of shape (n_columns,)
        What is subtracted from each column before coefficients and factors multiply it: a number near the
        mean where that is more than 1,000 times the standard deviation, as of Julian dates, else 0.
    column_names_ : list of str
        Names of the columns: names of numeric columns, categories as ``column=level``.
    signs_ : ndarray of shape (rank,) or (n_classes, rank)
        Signs of the components.
    interactions_ : Interactions
        The interactions of features, with their coefficients, the largest first.
    n_interactions_ : int or ndarray of shape (n_classes,)
        The number of interactions.
    alpha_, l2_linear_, l2_factors_, objective_ : float or ndarray of shape (n_classes,)
        The regularisation strength, the ridge penalties of the linear term and of the factors, and the
        objective.
    path_ : FmPath
        The models at all strengths: ``alphas, objective, loss, n_interactions, at(alpha)``.
    n_iter_ : int
        Number of passes over the data (the largest of all outputs).
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
    >>> model = FactorizationMachineClassifier(alpha=0.005, max_iter=300).fit(X, y)
    >>> model.interactions_[0].text, bool(model.score(X, y) > 0.9)
    ('x3 x x7', True)
    """

    _parameters = {**machine_parameters("classification"), **CLASSES}
    _log_odds_scale = {"logistic": 1.0, "squared_hinge": 1.0, "squared": 1.0}

    def __init__(
        self,
        *,
        order: int | Literal["all"] = 2,
        rank: int | Literal["auto"] = "auto",
        penalty: str | None = "ti",
        l2_linear: float | Literal["auto"] = "auto",
        l2_factors: float | Literal["auto"] = "auto",
        alpha: float | Literal["cv"] = "cv",
        cv: Folds = 5,
        one_standard_error: bool = False,
        n_interactions: int | None = None,
        refit: bool | float = False,
        loss: str = "logistic",
        solver: str = "auto",
        fit_lower: str = "explicit",
        fit_linear: bool = True,
        fit_intercept: bool = True,
        standardize: bool = True,
        signs: str = "positive",
        max_iter: int = 1000,
        tol: float = 1e-3,
        init_scale: float = 0.1,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        categorical_features: Columns = "from_dtype",
        handle_unknown: str = "missing",
        class_weight: ClassWeight = None,
        pos_label: Any = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.order = order
        self.rank = rank
        self.penalty = penalty
        self.l2_linear = l2_linear
        self.l2_factors = l2_factors
        self.alpha = alpha
        self.cv = cv
        self.one_standard_error = one_standard_error
        self.n_interactions = n_interactions
        self.refit = refit
        self.loss = loss
        self.solver = solver
        self.fit_lower = fit_lower
        self.fit_linear = fit_linear
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.signs = signs
        self.max_iter = max_iter
        self.tol = tol
        self.init_scale = init_scale
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.handle_unknown = handle_unknown
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @BatchMethod
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update the model with a batch of rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows. The first call determines the columns and their levels, those of a declared
            categorical type included; others in later calls count as missing, with a warning.
        y : array-like of shape (n_rows,)
            Labels.
        classes : array-like of shape (n_classes,), optional
            All labels; needed in the first call unless `y` contains all of them.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row.

        Returns
        -------
        estimator
            The estimator after one pass over the rows.

        Raises
        ------
        AttributeError
            If `solver` does not support batches.
        TypeError, ValueError
            As in :meth:`fit`.
        """
        return self._learn_more(X, y, classes, sample_weight)

    def _probabilities(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        """For the squared losses the minimiser f is 2 P(y = 1) - 1, which is inverted and normalised."""
        if self._fitted.document["loss"] == "logistic":
            return super()._probabilities(decision)
        shares = np.clip((1.0 + decision) / 2.0, 0.0, 1.0)
        if shares.shape[1] == 1:
            return np.column_stack([1.0 - shares, shares])
        total = shares.sum(axis=1, keepdims=True)
        return np.asarray(
            np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1.0 / shares.shape[1])
        )
