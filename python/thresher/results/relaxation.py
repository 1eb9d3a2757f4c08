"""Relaxed coefficients: between an L1 solution and the refit of its terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Relaxation(NamedTuple):
    """How the coefficients of an L1 solution were relaxed.

    Parameters
    ----------
    blend : float
        Weight of the refit, between 0 (the L1 solution) and 1 (the refit alone).
    ridge : float
        Ridge penalty of the refit: (1/n) sum_i v_i (loss_i + ridge sum_k (w_k r_k(x_i))^2) is minimised
        over the coefficients of the terms, which under ``positive`` and ``monotonic_cst`` keep their signs or
        become 0.

    Examples
    --------
    >>> from thresher import Relaxation
    >>> Relaxation(blend=0.5, ridge=0.01)
    Relaxation(blend=0.5, ridge=0.01)
    """

    blend: float
    ridge: float


def relaxation_of(point: Mapping[str, Any]) -> Relaxation | None:
    """Return how the coefficients of a point were relaxed.

    Parameters
    ----------
    point : mapping
        A point of a path.

    Returns
    -------
    Relaxation or None
        None for an L1 solution.
    """
    part = point.get("relaxation")
    return None if part is None else Relaxation(part["blend"], part["ridge"])
