"""What the two hierarchical estimators share: fitting, fitted attributes, questions."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ... import _native, threads
from ...data.frames import as_rows
from ...data.inputs import Schema, read
from ...plotting.hierarchy import HullDisplay
from ...progress import with_callbacks
from ...results import contributions
from ...results.certificate import Certificate, certificate_of, warn_if_incomplete
from ...results.cut_labels import CutLabels
from ...results.explanation import Contribution
from ...results.hierarchical_rule import HierarchicalRule, rules_of
from ...results.hierarchy_path import HierarchyPath
from ...results.summary import SummaryRow
from ...results.summary_rows import by_importance, frame_of_rules, rule_rows
from ..core.base import CompiledBase
from ..core.fitted import Fitted, one_or_all
from ..core.prepare import Job, prepare, weights_of
from .settings import check


class HierarchyBase(TransformerMixin, CompiledBase):
    """Fit rule ensembles over a lattice of conjunctions."""

    rules_: list[HierarchicalRule]
    hull_: list[HierarchicalRule]
    certificate_: Certificate

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model and prove it optimal.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table: NumPy, pandas, polars, pyarrow, scipy.sparse or nested lists.
            NaN, None and NA are missing; text, truth values and categorical dtypes
            are categories (see `categorical_features`).
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
            If a limit came before the gap asked for; the model is the best so far,
            and ``certificate_`` holds its true gap.
        """
        return self._run(lambda: self._prepare(X, y, sample_weight, None))

    @with_callbacks
    def fit_path(self, X: Any, y: Any, C: Any = None, sample_weight: Any = None) -> Self:
        """Fit the whole path of strengths and select nothing.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The table, as in :meth:`fit`.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            What to predict.
        C : array-like of shape (n_points,), optional
            The strengths; by default 0.001, 0.01, ..., 1000.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts.

        Returns
        -------
        estimator
            Itself, with ``path_`` filled; ``path_.at(C)`` gives a fitted estimator. Its
            own predictions are those of the largest C.

        Raises
        ------
        TypeError, ValueError, MemoryError
            As in :meth:`fit`.
        """
        return self._run(lambda: self._prepare(X, y, sample_weight, (C,)))

    def _prepare(self, X: Any, y: Any, sample_weight: Any, penalties: Any) -> Job:
        params, owner = self.get_params(deep=False), type(self).__name__
        if y is None:
            raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
        table = read(X, categorical=params["categorical_features"], memory_limit=params["memory_limit"])
        text, folds = check(params, self._task, table.names, penalties)
        return prepare(params, owner, table, y, sample_weight, self._read_target, text, cross_validated=folds)

    def _fit_core(self, job: Job, n_jobs: int, report: Any) -> Any:
        classes = None if job.target.classes is None else job.target.classes.tolist()
        return _native.fit_hierarchy(job.problem, job.params, n_jobs, classes, report)

    @staticmethod
    def _read_core(text: str) -> Any:
        return _native.HierarchyModel.from_json(text)

    @staticmethod
    def _schema(wire: Mapping[str, Any], named: bool) -> Schema:
        features = wire["features"]
        levels = [f["levels"] if f["kind"] == "categorical" else None for f in features]
        return Schema([f["name"] for f in features], levels, named)

    def _digits(self, job: Job, wire: Mapping[str, Any]) -> CutLabels:
        cuts = [feature.get("cuts") or [] for feature in wire["features"]]
        return CutLabels.from_values(job.table.numeric(), cuts)

    def _warn(self, seconds: float) -> None:
        late = self.time_limit is not None and seconds >= self.time_limit
        full = ["max_hull", *(["memory_limit"] if self.memory_limit is not None else [])]  # what caps a hull
        limits = ["time_limit"] if late else full
        warn_if_incomplete(self.certificate_, "C", limits)

    def _install(self, fitted: Fitted, points: list[int]) -> None:
        chosen = [fitted.point(output, point) for output, point in enumerate(points)]
        outputs, digits = fitted.document["outputs"], fitted.digits or CutLabels()

        def rules(entries: Any) -> list[HierarchicalRule]:
            parts = zip(outputs, chosen, fitted.output_names(), strict=True)
            names = fitted.schema.names
            return [r for o, point, label in parts for r in rules_of(o, entries(point), names, digits, label)]

        def hull(point: Mapping[str, Any]) -> list[tuple[int, float]]:
            coefficients = dict(map(tuple, point["rules"]))
            return [(place, coefficients.get(place, 0.0)) for place in point["hull"]]

        fresh: dict[str, Any] = {
            "rules_": rules(lambda point: point["rules"]),
            "hull_": rules(hull),
            "intercept_": one_or_all([point["intercept"] for point in chosen]),
            "C_": one_or_all([point["c"] for point in chosen]),
            "alpha_": one_or_all([point["alpha"] for point in chosen]),
            "certificate_": certificate_of(chosen, int(fitted.document["n_candidates"])),
            "n_iter_": max(1, *(point["n_iter"] for point in chosen)) if chosen else 1,
            "path_": HierarchyPath(
                outputs, functools.partial(type(self)._at, self.get_params(deep=False), fitted)
            ),
        }
        self._replace(fitted, points, fresh)

    @classmethod
    def _at(cls, params: Mapping[str, Any], fitted: Fitted, points: list[int]) -> Self:
        estimator = cls(**params)
        estimator._install(fitted, points)
        if len(points) == 1:
            estimator.set_params(C=estimator.C_, alpha=None)
        return estimator

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Tell which rules hold for which rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows, with the columns of training.

        Returns
        -------
        ndarray of shape (n_rows, n_rules)
            1.0 where the rule holds, else 0.0; columns in the order of ``rules_``.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        table = self._table(X)
        return np.asarray(self._fitted.model.activations(table.columns, self._path_index), dtype=np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns of :meth:`transform`: the rules in words.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names for the columns where the table had none.

        Returns
        -------
        ndarray of shape (n_rules,)
            Text; with several outputs each begins with the class or target.

        Raises
        ------
        ValueError
            If names are not those of training.
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        texts = []
        for rule in self.rules_:
            renamed = tuple(replace(c, feature_name=str(names[c.feature_index])) for c in rule.conditions)
            text = replace(rule, conditions=renamed).text
            texts.append(text if rule.output is None else f"{rule.output}: {text}")
        return np.asarray(texts, dtype=object)

    def get_rules(self) -> Any:
        """Give the rules as a data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            From pandas where it is installed, else polars. Columns: ``rule, type, coef,
            support`` (fraction of the training weight), ``n_rows`` and ``importance``, the
            most important first. With several outputs ``output`` comes first.
        """
        check_is_fitted(self)
        return frame_of_rules(self._summary_rows(), several_outputs=len(self._path_index) > 1)

    def _summary_rows(self) -> list[SummaryRow]:
        return by_importance(rule_rows(self.rules_))

    def _as_rows(self, X: Any) -> Any:
        return as_rows(X)

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        holds = self._fitted.model.activations(self._table(X).columns, self._path_index)
        return contributions.of_indicators(self.rules_, holds, "rule")

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Prove the model's optimality again, with a bound found anew.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The data the model was fitted on.

        Returns
        -------
        Certificate
            A fresh one: the objective of the model's own coefficients beside a lower bound
            over the whole lattice.

        Raises
        ------
        CertificateError
            If the model is not what it claims on these data: other data, an edited
            file, or a defect.
        TypeError, ValueError
            If the data cannot be read.
        """
        table = self._table(X)
        params, owner = self.get_params(deep=False), type(self).__name__
        target = self._read_target(y, table.n_rows, self._fitted)
        weights = weights_of(params, target, sample_weight, table.n_rows, owner)
        problem = _native.Problem(table.columns, table.names, target.values, weights, None)
        text, _ = check(params, self._task, table.names, (1.0,))
        found = _native.verify_hierarchy(
            self._fitted.model, problem, self._path_index, text, threads.resolve(self.n_jobs)
        )
        return certificate_of(json.loads(found), self.certificate_.n_candidates)

    def plot_hull(self, *, output: Any = None, max_rules: int = 20, ax: Any = None) -> HullDisplay:
        """Draw the hull of the model: its rules and all their subsets, level by level.

        Parameters
        ----------
        output : object, optional
            The class or target, where the model has several; the first by default.
        max_rules : int, default=20
            The most rules to show, those of the largest importance.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        HullDisplay
            The plot.

        Raises
        ------
        ValueError
            If there is no such output.
        ImportError
            If matplotlib is not installed.
        """
        return HullDisplay.from_estimator(self, output=output, max_rules=max_rules, ax=ax)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
