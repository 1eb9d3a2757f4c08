"""The models along the regularisation path."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..results.convex_path import is_subset_path
from ..results.subset_certificate import n_terms_of
from ..results.subset_path import L0Path
from ._data import spread

MOST_POINTS = 40  # positions of the slider: each holds a whole model
MOST_MODELS = 160  # the same for all outputs together
LEAST_POINTS = 6  # positions for an output, however many outputs there are
MOST_LISTED = 40  # terms of a model of the path that are listed, the most important first


def path_of(model: Any) -> dict[str, Any] | None:
    """Return the models of a path, with held-out errors where there are; None for a single point."""
    path = getattr(model, "path_", None)
    if path is None or len(path) < 2:
        return None
    texts: dict[tuple[str, str], int] = {}
    outputs, chosen = [], [_positions(path, which, model) for which in range(len(path._outputs))]
    for which, places in enumerate(chosen):
        own = path._outputs[which]
        name, values = _axis(own, path)
        points = [_point(model, which, place, values[place], texts) for place in places]
        outputs.append(
            {
                "axis": name,
                "points": points,
                "selected": places.index(model._path_index[which]),
                "curve": _curve(own, places, values),
            }
        )
    terms = [[kind, text] for kind, text in texts]
    return {"outputs": outputs, "terms": terms, "sentence": _sentence(path, model, chosen)}


def _sentence(path: Any, model: Any, chosen: list[list[int]]) -> str:
    """Say which models of the path are left out."""
    said = ""
    candidates = max(len(_candidates(path, which, model)) for which in range(len(chosen)))
    if candidates < len(path):
        said = f" Of {len(path)} models of the path these have the ridge penalties of the chosen one."
    shown = max(map(len, chosen))
    if shown < candidates:
        said += f" {shown} of {candidates} points are in the page, spread evenly."
    return said


def _positions(path: Any, which: int, model: Any) -> list[int]:
    """Choose the points to show: all candidates, or some of them spread evenly."""
    most = min(MOST_POINTS, max(LEAST_POINTS, MOST_MODELS // len(path._outputs)))
    kept = spread(np.asarray(_candidates(path, which, model)), most).tolist()
    return sorted({*kept, model._path_index[which]})


def _candidates(path: Any, which: int, model: Any) -> list[int]:
    """Return the points with the ridge penalties of the selected one."""
    points = path._outputs[which]["points"]
    names = ("lambda2", "ridge") if isinstance(path, L0Path) else ()
    chosen = points[model._path_index[which]]
    return [k for k, point in enumerate(points) if all(point.get(n) == chosen.get(n) for n in names)]


def _axis(own: Any, path: Any) -> tuple[str, list[float]]:
    """Return the name of the strength, and its value at each point."""
    if isinstance(path, L0Path):
        return "lambda0", [float(point["lambda0"]) for point in own["points"]]
    if is_subset_path(own):
        return "number of terms", [float(n_terms_of(point)) for point in own["points"]]
    return "alpha", [float(point["alpha"]) for point in own["points"]]


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
    objective = point.get("primal", point.get("objective"))
    return {
        "strength": value,
        "n_terms": len(rows),
        "intercept": float(point["intercept"]),
        "objective": None if objective is None else float(objective),
        "terms": listed,
    }


def _curve(own: Any, places: list[int], values: list[float]) -> dict[str, Any] | None:
    """Return the held-out loss, or the criterion, that selected the point."""
    scores, criterion = own.get("cv"), own.get("criterion")
    if scores is not None:
        x, mean, error = (list(scores[name]) for name in ("strengths", "mean", "se"))
        if len(set(x)) == len(values):  # one score for each point
            x, mean, error = ([each[place] for place in places] for each in (x, mean, error))
        return {"name": "held-out loss", "x": x, "mean": mean, "se": error}
    if criterion is not None:
        mean = [criterion["values"][place] for place in places]
        return {
            "name": str(criterion["name"]).upper(),
            "x": [values[p] for p in places],
            "mean": mean,
            "se": None,
        }
    return None
