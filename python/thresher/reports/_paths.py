"""The models along the regularisation path."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from ..formatting.text import pluralize
from ..results.path_axis import PathAxis, axis_of, scores_of
from ._data import spread

MOST_POINTS = 40  # positions of the slider: each holds a whole model
MOST_MODELS = 160  # the same for all outputs together
LEAST_POINTS = 6  # positions for an output, however many outputs there are
MOST_LISTED = 40  # terms of a model of the path that are listed, the most important first


def path_of(model: Any) -> dict[str, Any] | None:
    """Return the models of a path and the scores that chose one; None for a single point without scores."""
    path = getattr(model, "path_", None)
    if path is None or (len(path) < 2 and not any(output.get("cv") for output in path._outputs)):
        return None
    texts: dict[tuple[str, str], int] = {}
    axes = [axis_of(path, which, selected) for which, selected in enumerate(model._path_index)]
    most = min(MOST_POINTS, max(LEAST_POINTS, MOST_MODELS // len(axes)))
    shown = [_thinned(axis, most) for axis in axes]
    outputs = []
    for which, axis in enumerate(shown):
        at = zip(axis.places, axis.values, strict=True)
        points = [_point(model, which, place, value, texts) for place, value in at]
        curve = scores_of(path._outputs[which], axis)
        outputs.append(
            {
                "axis": axis.name,
                "points": points,
                "selected": axis.selected,
                "curve": None if curve is None else asdict(curve),
            }
        )
    terms = [[kind, text] for kind, text in texts]
    return {"outputs": outputs, "terms": terms, "sentence": _sentence(path, axes, shown)}


def _thinned(axis: PathAxis, most: int) -> PathAxis:
    """Keep some of the points, spread evenly, and the selected one."""
    places = np.arange(len(axis.places))
    kept = sorted({*spread(places, most).tolist(), axis.selected})
    return PathAxis(
        axis.name, [axis.places[k] for k in kept], [axis.values[k] for k in kept], kept.index(axis.selected)
    )


def _sentence(path: Any, axes: list[PathAxis], shown: list[PathAxis]) -> str:
    """Say what is shown, and which models of the path are left out."""
    if len(path) < 2:
        return (
            "The held-out loss of each strength of the penalty that was compared, and the chosen one. The "
            "fit has the model of that one alone: fit_path has those of others."
        )
    each = "of each number of terms" if shown[0].is_size else "at each strength of the penalty"
    said = f"The model {each}; the slider chooses one, and the chosen model of this report is marked."
    candidates = max(len(axis.places) for axis in axes)
    if candidates < len(path):
        said += f" Of {len(path)} models of the path these have the ridge penalties of the chosen one."
    most = max(len(axis.places) for axis in shown)
    if most < candidates:
        said += f" {most} of {candidates} points are in the page, spread evenly."
    return said


def _point(
    model: Any, which: int, place: int, value: float, texts: dict[tuple[str, str], int]
) -> dict[str, Any]:
    index = list(model._path_index)
    index[which] = place
    here = model.path_._select(index)
    label = model._fitted.output_names()[which]
    rows = [row for row in here._summary_rows() if len(index) == 1 or row.output == label]
    rows.sort(key=lambda row: -(row.importance if row.importance is not None else abs(row.coef)))
    listed = [
        [
            texts.setdefault((row.kind, row.term), len(texts)),
            float(f"{row.coef:.6g}"),
            None if row.importance is None else float(f"{row.importance:.3g}"),
        ]
        for row in rows[:MOST_LISTED]
    ]
    point = model._fitted.point(which, place)
    is_steps = hasattr(model, "shape_functions_")
    objective = point.get("primal", point.get("objective"))
    return {
        "strength": value,
        "n_terms": len(rows),
        "size": pluralize(int(point["n_nonzero"]), "step") if is_steps else pluralize(len(rows), "term"),
        "intercept": float(point["intercept"]),
        "objective": None if objective is None else float(objective),
        "terms": listed,
    }
