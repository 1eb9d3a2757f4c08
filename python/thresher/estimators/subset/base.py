"""What all best-subset estimators share: fitting and the path."""

from __future__ import annotations

import functools
import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ...data.frames import as_rows
from ...progress import with_callbacks
from ...results.subset_path import L0Path
from ..core.base import CompiledBase
from ..core.fitted import Fitted, one_or_all
from ..tasks import ClassificationMethods


class L0Base(CompiledBase):
    """Fit best-subset models; the base of all ``L0`` estimators.

    A subclass also says how many terms a point has (`_count`) and which attributes follow
    from the chosen points (`_attributes`).
    """

    @staticmethod
    @abstractmethod
    def _count(point: Mapping[str, Any]) -> int: ...

    @abstractmethod
    def _attributes(self, fitted: Fitted, points: list[int]) -> dict[str, Any]: ...

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table: NumPy, pandas, polars, pyarrow, scipy.sparse or nested lists.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict; several columns for regression only.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts. Weight 2 is the same as the row twice, weight 0
            as no row.

        Returns
        -------
        estimator
            Itself, fitted. When anything fails it stays as it was.

        Raises
        ------
        TypeError, ValueError
            If data or parameters are not as they must be.
        MemoryError
            If `memory_limit` is too small for the data.

        Warns
        -----
        ConvergenceWarning
            If `time_limit` came before the search ended, or classes are separated so that
            the loss has no minimum.
        """
        return self._run(lambda: self._prepare(X, y, sample_weight, None))

    @with_callbacks
    def fit_path(self, X: Any, y: Any, lambda0: Any = None, sample_weight: Any = None) -> Self:
        """Fit the whole path of penalties and select nothing.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table, as in :meth:`fit`.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict.
        lambda0 : array-like of shape (n_points,), optional
            The penalties; by default those of the parameter `lambda0` where it is a list,
            else a path from the smallest one of an empty model downwards.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        estimator
            Itself, with ``path_`` filled; ``path_.at(lambda0)`` gives a fitted estimator.
            Its own predictions are those of the path's last model.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`fit`.
        """
        return self._run(lambda: self._prepare(X, y, sample_weight, (lambda0,)))

    def _warn(self, seconds: float) -> None:  # noqa: ARG002
        chosen = [self._fitted.point(output, point) for output, point in enumerate(self._path_index)]
        if not all(point["complete"] for point in chosen):
            warnings.warn(
                "time_limit: the time was over before the search ended; the model is the best found so far. "
                "Give more time, a larger lambda0 or fewer columns",
                ConvergenceWarning,
                stacklevel=5,
            )
        if self._task == "classification" and any(point.get("separated") for point in chosen):
            warnings.warn(
                "the model separates the classes of the training rows, so its loss has no minimum: the "
                "coefficients are those under a ridge of 1e-8 of the weights. Give lambda2 > 0 to choose the "
                "ridge yourself",
                ConvergenceWarning,
                stacklevel=5,
            )

    _term_noun: ClassVar[str] = "column"

    @abstractmethod
    def _move(self) -> str:
        """Say which change of the model cannot improve it."""

    def _proof(self) -> str:
        objective = np.sum(np.asarray(self.objective_))
        if not all(self._fitted.point(o, point)["complete"] for o, point in enumerate(self._path_index)):
            return f"Not proved optimal: the search for objective {objective:.6g} ended at time_limit."
        return f"A local optimum, not proved to be the global one: objective {objective:.6g}; {self._move()}."

    def _as_rows(self, X: Any) -> Any:
        return as_rows(X)

    def _install(self, fitted: Fitted, points: list[int]) -> None:
        """Set every fitted attribute, all at once."""
        chosen = [fitted.point(output, point) for output, point in enumerate(points)]
        fresh: dict[str, Any] = {
            "lambda0_": one_or_all([point["lambda0"] for point in chosen]),
            "lambda2_": one_or_all([point["lambda2"] for point in chosen]),
            "objective_": one_or_all([point["objective"] for point in chosen]),
            "intercept_": one_or_all([point["intercept"] for point in chosen]),
            "path_": L0Path(
                fitted.document["outputs"],
                self._count,
                functools.partial(type(self)._at, self.get_params(deep=False), fitted),
            ),
            **self._attributes(fitted, points),
        }
        self._replace(fitted, points, fresh)

    @classmethod
    def _at(cls, params: Mapping[str, Any], fitted: Fitted, points: list[int]) -> Self:
        """Make the fitted estimator of one point for each output."""
        estimator = cls(**params)
        estimator._install(fitted, points)
        if len(points) == 1 and params["lambda0"] is not None:
            estimator.set_params(lambda0=estimator.lambda0_, lambda2=estimator.lambda2_)
        return estimator


class SubsetClassification(ClassificationMethods):
    """Predict classes; the best f of the exponential loss is half the log-odds."""

    _probabilistic: ClassVar[tuple[str, ...]] = ("logistic", "exponential")

    def _probabilities(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        return super()._probabilities(
            (2.0 if self._fitted.document["loss"] == "exponential" else 1.0) * decision
        )
