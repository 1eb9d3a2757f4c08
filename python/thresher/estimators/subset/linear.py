"""What the linear best-subset estimators share: coefficients and their parts in a prediction."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ... import _native
from ...data.inputs import Schema, read
from ...results import contributions
from ...results.explanation import Contribution
from ...results.summary import SummaryRow
from ...results.summary_rows import coefficient_rows
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

    _sum_phrase: ClassVar[str] = "Each coefficient times its column, added up, is"

    def _move(self) -> str:
        return "no coefficient can be added, dropped or swapped for another with profit"

    def _summary_rows(self) -> list[SummaryRow]:
        names, rows = self._fitted.schema.names, []
        for output, (point, label) in enumerate(
            zip(self._path_index, self._fitted.output_names(), strict=True)
        ):
            coef = self._fitted.point(output, point)["coef"]
            rows += coefficient_rows(((names[feature], value) for feature, value in coef), label)
        return rows

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        columns, names = self._table(X).columns, self._fitted.schema.names
        return contributions.joined(
            *(
                contributions.of_coefficients(self._fitted.point(o, point)["coef"], names, columns, label)
                for o, (point, label) in enumerate(
                    zip(self._path_index, self._fitted.output_names(), strict=True)
                )
            )
        )
