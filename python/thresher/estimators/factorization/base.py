"""What the factorization machines share: fitting, going on, the path, files and pickles."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state

from ... import _native, threads
from ...data.encode import Encoded, encode, encode_like, schema_of
from ...data.targets import Target, apply_class_weight, names_of_targets, row_weights
from ...progress import Progress, logging_lines, with_callbacks
from ...results.machine_path import FmPath
from ..core.fitted import Fitted, one_or_all
from ..core.prepare import weights_of
from . import checks
from .fitted import FittedMachine

_PATH = np.geomspace(100.0, 0.01, 17)  # times alpha, where no strengths are given


@dataclass(frozen=True)
class Job:
    """One fit, checked and packed.

    Parameters
    ----------
    table : Encoded
        The columns.
    target : Target
        What is predicted.
    target_names : list of str or None
        Names of the targets, where the user gave several with names.
    weights : ndarray of shape (n_rows,) or None
        Row weights.
    params : dict
        The parameters in the core's words.
    """

    table: Encoded
    target: Target
    target_names: list[str] | None
    weights: NDArray[np.float64] | None
    params: dict[str, Any]


def learns_in_batches(estimator: Any) -> bool:
    """Tell whether an estimator has ``partial_fit``.

    Parameters
    ----------
    estimator : estimator
        Fitted or not.

    Returns
    -------
    bool
        True.

    Raises
    ------
    AttributeError
        If its solver needs all rows at once.
    """
    if estimator.solver not in checks.STOCHASTIC:
        raise AttributeError(
            f"partial_fit learns from batches of rows, solver={estimator.solver!r} from all; give one of "
            f"{', '.join(map(repr, checks.STOCHASTIC))}"
        )
    return True


class FactorizationMachine(FittedMachine):
    """Fit factorization machines; the base of both estimators.

    A subclass says which losses there are (`_losses`) and how to read the target
    (`_read_target`).
    """

    _losses: ClassVar[tuple[str, ...]]

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table: NumPy, pandas, polars, pyarrow, nested lists, or scipy.sparse, which
            stays sparse. Categories become one column a level; a missing one, or one that
            only later rows have, takes part in nothing.
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
            If data or parameters are not as they must be, or the fit leaves the range of
            numbers.
        MemoryError
            If the fit does not fit into `memory_limit`.

        Warns
        -----
        ConvergenceWarning
            If `max_epochs` or `time_limit` ended the fit, or no strength leaves
            `n_interactions` interactions.
        """
        start = self._fitted.model if self.warm_start and self.__sklearn_is_fitted__() else None
        return self._run(functools.partial(self._prepare, X, y, sample_weight), start)

    @with_callbacks
    def fit_path(self, X: Any, y: Any, alphas: Any = None, sample_weight: Any = None) -> Self:
        """Fit a machine for each of several strengths of the penalty and select nothing.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table, as in :meth:`fit`.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict.
        alphas : array-like of shape (n_points,), optional
            The strengths; by default 17 from 100 times the parameter down to a
            hundredth of it.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        estimator
            Itself, with ``path_`` filled; ``path_.at(alpha)`` gives a fitted
            estimator. Its own predictions are those of the path's last model.

        Raises
        ------
        TypeError, ValueError, MemoryError
            As in :meth:`fit`.
        """
        strengths = self.alpha * _PATH if alphas is None else alphas
        return self._run(functools.partial(self._prepare, X, y, sample_weight, strengths), None)

    def _learn_more(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """Make one pass over the rows, from where the model stands."""
        known = self._fitted if self.__sklearn_is_fitted__() else None
        job = functools.partial(self._prepare, X, y, sample_weight, classes=classes, once=True, known=known)
        return self._run(job, None if known is None else known.model)

    def _prepare(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        strengths: Any = None,
        *,
        classes: Any = None,
        once: bool = False,
        known: Fitted | None = None,
    ) -> Job:
        params, owner = self.get_params(deep=False), type(self).__name__
        if y is None:
            raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        checked = checks.check(params, self._losses, seed, strengths)
        table = encode(X, self.categorical_features) if known is None else encode_like(X, known.schema, owner)
        if classes is not None:
            classes = np.unique(np.asarray(classes))
        target = self._read_target(y, table.n_rows, known, classes)
        if once:
            checked = {**checked, "max_epochs": 1, "tol": 0.0, "stopping": None, "refit": None}
            weights = _batch_weights(params, target, sample_weight, table.n_rows)
        else:
            weights = weights_of(params, target, sample_weight, table.n_rows, owner)
        return Job(table, target, names_of_targets(y, target), weights, checked)

    def _run(self, make_job: Any, start: Any) -> Self:
        n_jobs = threads.resolve(self.n_jobs)
        progress = Progress(self, self.verbose if isinstance(self.verbose, int) else 0)
        job: Job = make_job()
        target = job.target
        with logging_lines(0 if progress.bar is not None else self.verbose):
            try:
                progress.begin()
                model = _native.fit_fm(
                    job.table.data,
                    target.values,
                    checks.written(job.params),
                    job.weights,
                    self._held(job),
                    start,
                    n_jobs,
                    None if target.classes is None else target.classes.tolist(),
                    progress.report,
                )
                progress.end()
            finally:
                progress.release()
        wire = json.loads(model.to_json())
        schema = schema_of(wire, job.table.named)
        fitted = Fitted(model, wire, schema, target.flat, target.classes, job.target_names)
        self._install(fitted, [output["selected"] for output in wire["outputs"]])
        self._warn(job.params)
        return self

    def _held(self, job: Job) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Draw the rows for early stopping."""
        if job.params["stopping"] is None:
            return None
        target, weights = job.target, job.weights
        rows = np.arange(job.table.n_rows) if weights is None else np.flatnonzero(weights > 0)
        kind = ShuffleSplit if target.codes is None else StratifiedShuffleSplit
        split = kind(1, test_size=self.validation_fraction, random_state=job.params["seed"])
        labels = None if target.codes is None else target.codes[rows]
        train, test = next(split.split(rows, labels))
        return np.sort(rows[train]).astype(np.int64), np.sort(rows[test]).astype(np.int64)

    def _warn(self, params: Mapping[str, Any]) -> None:
        chosen = [self._fitted.point(output, point) for output, point in enumerate(self._path_index)]
        if not all(point["complete"] for point in chosen):
            _say("time_limit: the time was over before the fit ended; the model is the one reached so far")
        elif params["max_epochs"] > 1 and not all(point["converged"] for point in chosen):
            _say(
                f"max_epochs: after {params['max_epochs']} passes the numbers still move by more than tol; "
                "give more passes, a larger tol or larger penalties"
            )
        wanted = params["alpha"].get("count")
        counts = [point["n_interactions"] for point in chosen]
        if wanted is not None and any(
            not int(0.99 * wanted) <= count <= np.ceil(1.035 * wanted) for count in counts
        ):
            got = " and ".join(map(str, counts))
            _say(f"n_interactions: no strength leaves {wanted} interactions; the nearest leaves {got}")

    def _install(self, fitted: Fitted, points: list[int]) -> None:
        """Set every fitted attribute, all at once."""
        chosen = [fitted.point(output, point) for output, point in enumerate(points)]
        coef = np.zeros((len(points), sum(len(levels or [0]) for levels in fitted.schema.levels)))
        for row, point in zip(coef, chosen, strict=True):
            for column, value in point["coef"]:
                row[column] = value
        names = ("intercept_", "intercept"), ("objective_", "objective"), ("alpha_", "alpha")
        fresh: dict[str, Any] = {
            "_found": {},
            **{name: one_or_all([point[key] for point in chosen]) for name, key in names},
            "coef_": coef[0] if len(points) == 1 else coef,
            "n_iter_": max(point["epochs"] for point in chosen),
            "path_": FmPath(
                fitted.document["outputs"],
                lambda output, point: fitted.model.count(output, point, 2**40),
                functools.partial(type(self)._at, self.get_params(deep=False), fitted),
            ),
        }
        self._replace(fitted, points, fresh)

    @classmethod
    def _at(cls, params: Mapping[str, Any], fitted: Fitted, points: list[int]) -> Self:
        """Make the fitted estimator of one point for each output."""
        estimator = cls(**params)
        estimator._install(fitted, points)
        if len(points) == 1:
            estimator.set_params(alpha=estimator.alpha_, n_interactions=None)
        return estimator


def _batch_weights(
    params: Mapping[str, Any], target: Target, sample_weight: Any, n_rows: int
) -> NDArray[np.float64] | None:
    """Weights of a part of the rows, which may hold one class only."""
    factors = params.get("class_weight")
    if isinstance(factors, str):
        raise ValueError(
            f"class_weight: got {factors!r}; a part of the rows does not tell how many there are of each "
            "class: give a dict of label: factor"
        )
    return apply_class_weight(factors, target, row_weights(sample_weight, n_rows))


def _say(message: str) -> None:
    warnings.warn(message, ConvergenceWarning, stacklevel=6)
