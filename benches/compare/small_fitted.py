"""What a fit of a small model is, and helpers that several models share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass
class Fitted:
    """A model of a limited size.

    ``predict`` maps rows to values of y (regression), to the probability of +1 (kind
    "probability") or to any increasing score of it (kind "score"), which the caller calibrates.
    ``n_rules`` counts rules, splits or steps, ``n_linear`` the linear terms beside them.
    """

    predict: Callable
    n_rules: int
    n_linear: int = 0
    kind: str = "value"


def classes(y):
    """Labels 0 and 1."""
    return (y > 0).astype(int)


def at_most(k, fit):
    """fit(limit) for the largest limit <= k tried whose model has at most k terms."""
    limit = k
    while True:
        fitted = fit(limit)
        terms = fitted.n_rules + fitted.n_linear
        if terms <= k or limit == 1:
            return fitted
        limit = max(1, min(limit - 1, limit * k // terms))


def quantile_cuts(X, n):
    """At most n cut points of each column: its quantiles, or the values but the largest if few."""
    found = []
    for x in X.T:
        values = np.unique(x)
        if len(values) > n + 1:
            values = np.unique(np.quantile(x, np.linspace(0, 1, n + 2)))
            found.append(values[1:-1])
        else:
            found.append((values[1:] + values[:-1]) / 2)
    return found


def indicators(Z, cuts):
    """The columns 1[x_j <= t] as floats."""
    return np.hstack([Z[:, [j]] <= t for j, t in enumerate(cuts) if len(t)]).astype(float)
