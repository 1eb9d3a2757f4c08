"""What the two additive estimators share: how their data are packed and their models read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ... import _native
from ...data.inputs import Schema, read
from ...results.cut_labels import CutLabels
from ...results.shape_function import ShapeFunction, shapes_of
from ..core.fitted import Fitted, one_or_all
from ..core.prepare import Job, prepare
from ..subset.base import L0Base
from .settings import check


class AdditiveBase(L0Base):
    """Fit additive models of step functions."""

    shape_functions_: list[ShapeFunction]

    def _prepare(self, X: Any, y: Any, sample_weight: Any, penalties: Any) -> Job:
        params, owner = self.get_params(deep=False), type(self).__name__
        if y is None:
            raise ValueError(f"This {owner} estimator requires y to be passed, but the target y is None")
        table = read(X, categorical=params["categorical_features"], memory_limit=params["memory_limit"])
        text, folds = check(params, self._task, table.names, penalties)
        return prepare(params, owner, table, y, sample_weight, self._read_target, text, cross_validated=folds)

    def _fit_core(self, job: Job, n_jobs: int, report: Any) -> Any:
        classes = None if job.target.classes is None else job.target.classes.tolist()
        return _native.fit_additive(job.problem, job.params, n_jobs, classes, report)

    @staticmethod
    def _read_core(text: str) -> Any:
        return _native.AdditiveModel.from_json(text)

    @staticmethod
    def _count(point: Mapping[str, Any]) -> int:
        return int(point["n_nonzero"])

    @staticmethod
    def _schema(wire: Mapping[str, Any], named: bool) -> Schema:
        features = wire["features"]
        levels = [f["levels"] if f["kind"] == "categorical" else None for f in features]
        return Schema([f["name"] for f in features], levels, named)

    def _digits(self, job: Job, wire: Mapping[str, Any]) -> CutLabels:
        cuts: list[set[float]] = [set() for _ in job.table.names]
        for output in wire["outputs"]:
            for point in output["points"]:
                for shape in point["shapes"]:
                    cuts[shape["feature"]].update(shape["cuts"])
        return CutLabels.from_values(job.table.numeric(), cuts)

    def _attributes(self, fitted: Fitted, points: list[int]) -> dict[str, Any]:
        chosen = [fitted.point(output, point) for output, point in enumerate(points)]
        features, digits = fitted.document["features"], fitted.digits or CutLabels()
        return {
            "shape_functions_": shapes_of(features, chosen, fitted.output_names(), digits),
            "n_nonzero_": one_or_all([self._count(point) for point in chosen]),
        }

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
