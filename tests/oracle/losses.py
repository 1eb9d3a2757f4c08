"""The losses of one row, with slope, curvature and conjugate, on whole arrays.

``y`` is a real number (squared, Huber) or -1 / +1; ``f`` is the prediction. A loss is its name, or
``("huber", delta)``, which a model document writes as ``{"huber": {"delta": delta}}``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, xlogy

Floats = npt.NDArray[np.float64]
Loss = Any

LOSSES: list[Loss] = ["squared", "logistic", "squared_hinge", ("huber", 1.35)]
"""Each loss once; the problems of every family draw from these."""


def delta_of(loss: Loss) -> float | None:
    """The delta of Huber's loss, None for any other."""
    if isinstance(loss, tuple):
        return float(loss[1])
    return float(loss["huber"]["delta"]) if isinstance(loss, dict) else None


def draw(rng: np.random.Generator) -> Loss:
    """Draw a loss, Huber's with a small or a large delta."""
    loss = LOSSES[int(rng.integers(len(LOSSES)))]
    return loss if delta_of(loss) is None else ("huber", float(rng.choice([0.01, 0.3, 1.35, 1e4])))


def is_regression(loss: Loss) -> bool:
    """Whether the responses are numbers."""
    return loss == "squared" or delta_of(loss) is not None


def value(loss: Loss, y: Floats, f: Floats) -> Floats:
    """loss(y, f)."""
    if (delta := delta_of(loss)) is not None:
        r = np.abs(y - f)
        return np.where(r <= delta, 0.5 * r**2, delta * (r - 0.5 * delta))
    if loss == "squared":
        return 0.5 * (y - f) ** 2
    if loss == "logistic":
        return np.logaddexp(0.0, -y * f)
    if loss == "squared_hinge":
        return 0.5 * np.maximum(0.0, 1.0 - y * f) ** 2
    raise ValueError(f"unknown loss {loss!r}")


def slope(loss: Loss, y: Floats, f: Floats) -> Floats:
    """d loss / d f."""
    if (delta := delta_of(loss)) is not None:
        return np.clip(f - y, -delta, delta)
    if loss == "squared":
        return f - y
    if loss == "logistic":
        return np.asarray(-y * expit(-y * f), dtype=float)
    if loss == "squared_hinge":
        return -y * np.maximum(0.0, 1.0 - y * f)
    raise ValueError(f"unknown loss {loss!r}")


def curvature(loss: Loss, y: Floats, f: Floats) -> Floats:
    """Second derivative (generalised for the squared hinge and Huber: 1 inside the margin, 0 outside)."""
    if (delta := delta_of(loss)) is not None:
        return (np.abs(y - f) <= delta).astype(float)
    if loss == "squared":
        return np.ones_like(f)
    if loss == "logistic":
        return np.asarray(expit(f) * expit(-f), dtype=float)
    if loss == "squared_hinge":
        return (y * f < 1.0).astype(float)
    raise ValueError(f"unknown loss {loss!r}")


def conjugate(loss: Loss, y: Floats, u: Floats) -> Floats:
    """sup over f of u f - loss(y, f); infinite outside its domain."""
    if (delta := delta_of(loss)) is not None:
        return np.where(np.abs(u) <= delta * (1.0 + 1e-12), 0.5 * u**2 + u * y, np.inf)
    if loss == "squared":
        return 0.5 * u**2 + u * y
    t = -u * y
    if loss == "logistic":
        inside = (t >= 0.0) & (t <= 1.0)
        t = np.clip(t, 0.0, 1.0)
        return np.where(inside, xlogy(t, t) + xlogy(1.0 - t, 1.0 - t), np.inf)
    if loss == "squared_hinge":
        return np.where(t >= 0.0, 0.5 * t**2 - t, np.inf)
    raise ValueError(f"unknown loss {loss!r}")


def best_intercept(loss: Loss, y: Floats, rest: Floats, weights: Floats) -> float:
    """The b that minimises sum weights * loss(y, rest + b), where the slope is 0.

    The bracket is doubled until the slopes differ in sign; Brent's method ends at neighbouring floats.
    """

    def total(b: float) -> float:
        return float(weights @ slope(loss, y, rest + b))

    centre, reach = -float(np.average(rest, weights=weights)), 1.0
    while total(centre - reach) > 0.0 or total(centre + reach) < 0.0:
        reach *= 2.0
        if reach > 1e12:
            raise ValueError("no finite intercept: only one class?")
    return float(brentq(total, centre - reach, centre + reach, xtol=5e-324, rtol=8.9e-16, maxiter=500))
