"""What the linear best-subset estimators share: coefficients and their parts in a prediction."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ...data.frames import as_rows
from ...data.inputs import Schema, read
from ...formatting.numbers import format_value
from ...results.coefficient_table import CoefTable, Terms
from ...results.explain import Contribution, Explanation
from ..checks import whole
from ..core.fitted import Fitted, one_or_all
from ..core.prepare import Job, prepare
from . import checks
from .base import L0Base


class LinearL0(L0Base):
    """Fit linear models with few coefficients."""

    def _prepare(self, X: Any, y: Any, sample_weight: Any, penalties: Any) -> Job:
        params, owner = self.get_params(deep=False), type(self).__name__
        if y is None:
            raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
        table = read(X, categorical=None, memory_limit=params["memory_limit"])
        choice = checks.choice_of(params) if penalties is None else checks.path_of(params, penalties[0])
        text = json.dumps(
            {
                **choice,
                **checks.limits(params),
                "loss": self._loss_name(),
                "max_nonzero": whole("max_nonzero", params["max_nonzero"], 0, optional=True),
                "bounds": checks.bounds_of(params["bounds"], table.names),
            }
        )
        cross_validated = choice["select"]["kind"] == "cv"
        return prepare(
            params,
            owner,
            table,
            y,
            sample_weight,
            self._read_target,
            text,
            cross_validated=cross_validated,
        )

    @abstractmethod
    def _loss_name(self) -> str: ...

    def _fit_core(self, job: Job, n_jobs: int, report: Any) -> Any:
        classes = None if job.target.classes is None else job.target.classes.tolist()
        return _native.fit_linear(job.problem, job.params, n_jobs, classes, report)

    @staticmethod
    def _read_core(text: str) -> Any:
        return _native.LinearModel.from_json(text)

    @staticmethod
    def _count(point: Mapping[str, Any]) -> int:
        return len(point["coef"])

    @staticmethod
    def _schema(wire: Mapping[str, Any], named: bool) -> Schema:
        return Schema(list(wire["features"]), [None] * len(wire["features"]), named)

    def _attributes(self, fitted: Fitted, points: list[int]) -> dict[str, Any]:
        coef = np.zeros((len(points), len(fitted.schema.names)))
        for output, point in enumerate(points):
            for feature, value in fitted.point(output, point)["coef"]:
                coef[output, feature] = value
        counts = [int(np.count_nonzero(row)) for row in coef]
        return {"coef_": coef[0] if len(points) == 1 else coef, "n_nonzero_": one_or_all(counts)}

    def coef_table(self) -> CoefTable:
        """Give the model as a table: one line a coefficient.

        Returns
        -------
        CoefTable
            Prints as text, shows as HTML in notebooks; ``columns()`` gives lists.
        """
        check_is_fitted(self)
        names, found = self._fitted.schema.names, []
        for output, (point, label) in enumerate(
            zip(self._path_index, self._fitted.output_names(), strict=True)
        ):
            wire = self._fitted.point(output, point)
            coef = tuple((names[feature], value) for feature, value in wire["coef"])
            found.append(Terms(label, wire["intercept"], coef))
        return CoefTable(found, f"The sum of the lines, each times its column, is the {self._effect()}.")

    def explain(self, X: Any) -> Explanation | list[Explanation]:
        """Tell which terms make up a prediction.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_features), or array of shape (n_features,)
            The rows; one row may be a row of a pandas frame too.

        Returns
        -------
        Explanation or list of Explanation
            One for a single row, a list for several; prints as a sum that starts from
            the intercept.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        X = as_rows(X)
        columns: list[Any] = self._table(X).columns
        predictions = np.asarray(self.predict(X)).tolist()
        decision = self._decision(X).tolist()
        found = [
            self._explain_row([float(column[row]) for column in columns], predictions[row], decision[row])
            for row in range(len(predictions))
        ]
        return found[0] if len(found) == 1 else found

    def _explain_row(self, x: list[float], prediction: Any, decision: list[float]) -> Explanation:
        labels, names = self._fitted.output_names(), self._fitted.schema.names
        parts, starts = [], []
        for output, (point, label) in enumerate(zip(self._path_index, labels, strict=True)):
            chosen = self._fitted.point(output, point)
            starts.append((label, chosen["intercept"]))
            for feature, value in chosen["coef"]:
                if added := value * x[feature]:
                    parts.append(
                        Contribution(f"{names[feature]} = {format_value(x[feature])}", added, "linear", label)
                    )
        parts.sort(key=lambda part: -abs(part.value))
        return Explanation(prediction, list(zip(labels, decision, strict=True)), starts, parts)
