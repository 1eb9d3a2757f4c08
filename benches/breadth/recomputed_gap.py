"""The gap of a fit computed anew, from its predictions and the largest score over all candidates."""

import numpy as np

from oracle import losses


def dual_start(case, y, v, kept):
    """The dual residual at the last model's predictions, with the best intercept; y itself without any."""
    if not kept:
        return y - np.average(y, weights=v)
    loss = ("huber", 10.0) if case["loss"] == "huber" else case["loss"]
    f = kept["f"]
    u = -losses.slope(loss, y, f + losses.best_intercept(loss, y, f, v))
    return u - np.average(u, weights=v) if case["loss"] == "squared" else u


def recomputed_gap(case, y, v, dual, top, kept):
    """The relative gap of the last model from the largest score, and how far it exceeds its strength."""
    loss = ("huber", 10.0) if case["loss"] == "huber" else case["loss"]
    excess = top / float(kept["alpha"])
    target = y - np.average(y, weights=v) if losses.is_regression(loss) else y
    bound = -float(np.mean(v * losses.conjugate(loss, target, -dual / max(1.0, excess))))
    primal = float(kept["primal"])
    return {"checked_gap": (primal - bound) / max(abs(primal), 1e-300), "excess": excess}
