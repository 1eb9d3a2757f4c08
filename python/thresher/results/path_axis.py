"""What a plot or a page shows of a path: its points, on an axis, with the scores that chose one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .path import N_TERMS, Path


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
        return self.name == N_TERMS


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
    points = path._outputs[which]["points"]
    chosen = points[selected]
    places = [k for k, point in enumerate(points) if all(point.get(n) == chosen.get(n) for n in path._ridges)]
    name, values = path._axis_of([points[place] for place in places])
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
