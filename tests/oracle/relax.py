"""Relaxed coefficients: the refit of a model's terms by L-BFGS-B, and the blend by its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from oracle import losses
from oracle.design import Floats


def objective(
    matrix: Floats, y: Floats, v: Floats, loss: losses.Loss, ridge: float, w: Floats, b: float
) -> float:
    """Mean of v (loss + ridge * sum of squared contributions)."""
    value = losses.value(loss, y, b + matrix @ w) + ridge * (matrix**2) @ (w**2)
    return float(np.mean(v * value))


def refit(
    matrix: Floats, y: Floats, v: Floats, loss: losses.Loss, ridge: float, signs: Floats, start: Floats
) -> float:
    """The least objective over an intercept and coefficients of these signs (0: any), from a start (w, b)."""

    def value_and_slope(x: Floats) -> tuple[float, Floats]:
        w, b = x[:-1], x[-1]
        slopes = v * losses.slope(loss, y, b + matrix @ w) / len(y)
        squares = 2.0 * ridge * (v @ matrix**2) / len(y)
        return (
            objective(matrix, y, v, loss, ridge, w, b),
            np.append(matrix.T @ slopes + squares * w, slopes.sum()),
        )

    bounds = [(0.0 if sign > 0 else None, 0.0 if sign < 0 else None) for sign in signs]
    found = minimize(
        value_and_slope,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[*bounds, (None, None)],
        options={"maxiter": 20_000, "maxfun": 200_000, "ftol": 1e-15, "gtol": 1e-12, "maxcor": 30},
    )
    return float(found.fun)


def find_errors(
    matrix: Floats,
    y: Floats,
    v: Floats,
    loss: losses.Loss,
    point: dict[str, Any],
    solution: Any,
    own: Any,
    constrained: bool = False,
) -> list[str]:
    """What is wrong with a relaxed point: `solution` and `own` are the L1 and the relaxed (w, b).

    Where signs are `constrained` coefficients keep those of the L1 solution or are 0.
    """
    (w_l1, b_l1), (w, b) = solution, own
    blend, ridge = point["relaxation"]["blend"], point["relaxation"]["ridge"]
    w_refit, b_refit = w_l1 + (w - w_l1) / blend, b_l1 + (b - b_l1) / blend
    messages = []
    signs = np.sign(w_l1) if constrained else np.zeros_like(w_l1)
    if np.any(w_refit * signs < -1e-9 * (1.0 + np.abs(w_l1))):
        messages.append("a refitted coefficient has another sign")
    start = np.append(w_l1, b_l1)
    best = refit(matrix, y, v, loss, ridge, signs, start)
    got = objective(matrix, y, v, loss, ridge, w_refit, b_refit)
    zero = objective(matrix, y, v, loss, ridge, 0.0 * w_l1, float(np.average(y, weights=v)))
    if got > best + 1e-7 * max(best, 1e-6 * zero, 1e-12):
        messages.append(f"the refit has the objective {got!r}, the oracle {best!r}")
    return messages
