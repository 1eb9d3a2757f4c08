"""The base classes of the paths of models."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from ..validation import check, number

N_TERMS = "number of terms"
"""The axis of paths without a strength."""

Points = Any  # an ndarray of shape (n_points,), or a list of them
_Method = TypeVar("_Method", bound=Callable[..., Any])


class Path:
    """Base class of paths: solutions along a penalty, for each output.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points`` and ``selected``.
    select : callable
        Creates a fitted estimator from one point for each output.
    """

    _ridges: ClassVar[tuple[str, ...]] = ()  # of the points that are shown together

    def __init__(self, outputs: Sequence[Mapping[str, Any]], select: Callable[[list[int]], Any]) -> None:
        self._outputs = outputs
        self._select = select

    def _axis_of(self, points: Sequence[Mapping[str, Any]]) -> tuple[str, list[float]]:
        """Return the name of the axis on which points of an output are shown, and their places on it."""
        return "alpha", [float(point["alpha"]) for point in points]

    def _per_output(self, take: Callable[[Mapping[str, Any]], Any]) -> Any:
        arrays = [take(output) for output in self._outputs]
        return arrays[0] if len(arrays) == 1 else arrays

    def _points(self, take: Callable[[Mapping[str, Any]], Any]) -> Points:
        return self._per_output(lambda output: np.asarray([take(point) for point in output["points"]]))

    def _ends(self, name: str) -> tuple[float, float]:
        """Return the smallest and the largest penalty of a path."""
        values = [point[name] for output in self._outputs for point in output["points"]]
        return min(values), max(values)

    def __len__(self) -> int:
        """Return the number of points of the longest path."""
        return max(len(output["points"]) for output in self._outputs)

    def __reduce__(self) -> tuple[Callable[[Any], Any], tuple[Any]]:
        """Pickle the estimator at the selected points, whose path this is."""
        return attrgetter("path_"), (self._select([output["selected"] for output in self._outputs]),)


class ScoredPath(Path):
    """Base class of paths that may have been cross-validated.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected`` and ``cv``.
    select : callable
        Creates a fitted estimator from one point for each output.
    """

    def _scores(self, name: str, of: str = "cv") -> Points:
        """Return the scores that selected the point; None without selection."""
        return self._per_output(lambda output: None if output[of] is None else np.asarray(output[of][name]))

    @property
    def cv_mean(self) -> Points:
        """Mean held-out loss over the folds."""
        return self._scores("mean")

    @property
    def cv_se(self) -> Points:
        """Standard error of the mean held-out loss."""
        return self._scores("se")


def naming_arguments(at: _Method) -> _Method:
    """Let a method name its arguments where it is called with another; sizes have several names.

    Parameters
    ----------
    at : callable
        The method of a path.

    Returns
    -------
    callable
        The method with a :exc:`TypeError` that lists the arguments.

    Examples
    --------
    >>> naming_arguments(lambda self, alpha, *, n_terms=None: n_terms)(None, 1, n_steps=2)
    Traceback (most recent call last):
        ...
    TypeError: NoneType.at: got 'n_steps'; give alpha or n_terms
    """
    known = list(inspect.signature(at).parameters)[1:]

    @functools.wraps(at)
    def checked(self: Any, *args: Any, **given: Any) -> Any:
        if wrong := [name for name in given if name not in known]:
            listed = " or ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
            raise TypeError(f"{type(self).__name__}.at: got {wrong[0]!r}; give {listed}")
        return at(self, *args, **given)

    return cast("_Method", checked)


def check_strength(name: str, value: Any, *, zero: bool = False) -> float:
    """Check a regularisation strength given by a user.

    Parameters
    ----------
    name : str
        Its name.
    value : object
        The value.
    zero : bool, default=False
        Whether 0 is allowed.

    Returns
    -------
    float
        The strength.

    Raises
    ------
    InvalidParameterError
        A ValueError and a TypeError, if it is no finite number > 0 (or 0, where that is allowed).

    Examples
    --------
    >>> check_strength("alpha", 1)
    1.0
    """
    sign = ">=" if zero else ">"
    check(name, value, number(0, closed="left" if zero else "neither"), hint=f"a finite number {sign} 0")
    return float(value)


def nearest(values: Sequence[float], wanted: float) -> list[int]:
    """Find the strengths nearest to a given one, on a log scale.

    Parameters
    ----------
    values : sequence of float
        Strengths of a path.
    wanted : float
        The strength to look for.

    Returns
    -------
    list of int
        Positions of the nearest strength; several if they are equal.

    Examples
    --------
    >>> nearest([1.0, 10.0, 100.0], 20.0)
    [1]
    """
    known = np.asarray(values, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(known == wanted, 0.0, np.abs(np.log(known) - np.log(wanted)))
    return [int(place) for place in np.flatnonzero(distance == distance.min())]


def is_below(wanted: float, end: float) -> bool:
    """Return whether a strength lies below the end of a path, up to rounding errors.

    Parameters
    ----------
    wanted, end : float
        Strengths.

    Returns
    -------
    bool
        True if `wanted` < `end`.

    Examples
    --------
    >>> is_below(0.1, 0.2), is_below(0.2 * (1 - 1e-12), 0.2)
    (True, False)
    """
    return wanted < end * (1 - 1e-9)


def check_within(name: str, wanted: float, paths: Sequence[Sequence[float]], hint: str) -> None:
    """Raise an error for a strength beyond the ends of a path.

    Parameters
    ----------
    name : str
        The strength's name.
    wanted : float
        The requested strength.
    paths : sequence of sequence of float
        The strengths of each output. If a path starts at a smaller strength than
        another, its first model is used for all larger strengths.
    hint : str
        The advice in the message.

    Raises
    ------
    ValueError
        If it lies beyond the ends.

    Examples
    --------
    >>> check_within("alpha", 0.5, [[1.0, 0.1]], "give it to fit_path")
    """
    low, high = max(map(min, paths)), max(map(max, paths))
    if is_below(wanted, low) or is_below(high, wanted):
        raise ValueError(f"{name}: got {wanted:g}; the path goes from {high:g} to {low:g}; {hint}")


class AlphaPath(ScoredPath):
    """Base class of paths along the regularisation strength `alpha`.

    Parameters
    ----------
    outputs : sequence of mapping
        The outputs of the model's document, each with ``points``, ``selected`` and ``cv``.
    select : callable
        Creates a fitted estimator from one point for each output.
    """

    _may_be_zero: ClassVar[bool] = False
    _hint: ClassVar[str] = "give it to fit_path"

    @property
    def alphas(self) -> Points:
        """The strengths, decreasing; of best subsets the price of a term at which each was found."""
        return self._points(lambda point: point["alpha"])

    @property
    def cv_alphas(self) -> Points:
        """The strengths that were cross-validated."""
        return self._scores("strengths")

    @naming_arguments
    def at(self, alpha: float) -> Any:
        """Return the fitted estimator at a regularisation strength.

        Parameters
        ----------
        alpha : float
            The strength; the nearest on the path is taken (on a log scale).

        Returns
        -------
        estimator
            A fitted estimator of the same class; its ``alpha_`` is the strength.

        Raises
        ------
        ValueError
            If `alpha` is not allowed, or beyond the ends of the path.
        """
        wanted = check_strength("alpha", alpha, zero=self._may_be_zero)
        paths = [[point["alpha"] for point in output["points"]] for output in self._outputs]
        check_within("alpha", wanted, paths, self._hint)
        return self._select([nearest(alphas, wanted)[0] for alphas in paths])
