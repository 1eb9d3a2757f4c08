"""What a plot or a page shows of a path: its points, on an axis, with the scores that chose one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .convex_path import is_subset_path
from .path import Path
from .subset_certificate import n_terms_of
from .subset_path import L0Path

_N_TERMS = "number of terms"


@dataclass(frozen=True)
class PathAxis:
    """The points of a path that are shown together.

    Parameters
    ----------
    name : str
        "alpha", "lambda0" or "number of terms".
    places : list of int
        The positions of the points on the path.
    values : list of float
        The value of each of them.
    selected : int
        The position of the chosen one among them.
    """

    name: str
    places: list[int]
    values: list[float]
    selected: int

    @property
    def is_size(self) -> bool:
        """Whether the axis is the number of terms, not a strength."""
        return self.name == _N_TERMS


@dataclass(frozen=True)
class PathScores:
    """The held-out loss or criterion along a path.

    Parameters
    ----------
    name : str
        "held-out loss", or the criterion's name.
    x, mean : list of float
        The axis, and the score at each value.
    se : list of float or None
        Standard errors; None for a criterion.
    """

    name: str
    x: list[float]
    mean: list[float]
    se: list[float] | None


def axis_of(path: Path, which: int, selected: int) -> PathAxis:
    """Choose the points of an output for one axis: those with the ridge penalties of the selected one.

    Parameters
    ----------
    path : Path
        The path.
    which : int
        The number of the output.
    selected : int
        The position of the selected point.

    Returns
    -------
    PathAxis
        The points; of best subsets by the number of terms, without a penalty on each too.
    """
    own = path._outputs[which]
    points = own["points"]
    ridges = ("lambda2", "ridge") if isinstance(path, L0Path) else ()
    chosen = points[selected]
    places = [k for k, point in enumerate(points) if all(point.get(n) == chosen.get(n) for n in ridges)]
    shown = [points[place] for place in places]
    if isinstance(path, L0Path):
        if any(point["lambda0"] > 0 for point in shown):
            name, values = "lambda0", [float(point["lambda0"]) for point in shown]
        else:
            name, values = _N_TERMS, [float(path._count(point)) for point in shown]
    elif is_subset_path(own):
        name, values = _N_TERMS, [float(n_terms_of(point)) for point in shown]
    else:
        name, values = "alpha", [float(point["alpha"]) for point in shown]
    return PathAxis(name, places, values, places.index(selected))


def scores_of(output: Mapping[str, Any], axis: PathAxis) -> PathScores | None:
    """Return the scores that selected the point of an output.

    Parameters
    ----------
    output : mapping
        The output of the model's document.
    axis : PathAxis
        The points that are shown.

    Returns
    -------
    PathScores or None
        The held-out loss or the criterion; None if nothing was compared.
    """
    scores, criterion = output.get("cv"), output.get("criterion")
    if scores is not None:
        x, mean, se = (list(scores[name]) for name in ("strengths", "mean", "se"))
        if len(x) == len(output["points"]):  # one score for each point
            x, mean, se = ([each[place] for place in axis.places] for each in (x, mean, se))
        return PathScores("held-out loss", x, mean, se)
    if criterion is not None:
        mean = [criterion["values"][place] for place in axis.places]
        return PathScores(str(criterion["name"]).upper(), axis.values, mean, None)
    return None
