"""The yardstick of factorization machines: sparse products of the table with the factors.

A fit that compares strengths is measured by a search over the same strengths in five folds, each fit as long
as that of the chosen one.
"""

import numpy as np
import scipy.sparse as sp
from worker import timed

MACHINE_PRODUCTS = 10


def machines(case, ours, X, y, weights, kept, limit):
    X = sp.csr_matrix(X)
    P = np.random.default_rng(0).normal(size=(X.shape[1], case["params"].get("rank", 30)))
    repeats, seconds = 0, 0.0
    while seconds < 0.05:
        seconds += timed(lambda: X @ P)[1]
        repeats += 1
    seconds /= repeats
    order = case["params"].get("order", 2)
    explicit = case["params"].get("fit_lower", "explicit") == "explicit"
    factors = order - 1 if order != "all" and explicit else 1
    epochs = ours["iterations"] * (1 + 5 * ours["compared"])
    goal = MACHINE_PRODUCTS * factors * epochs * seconds
    return {"goal": goal, "yardstick": f"{epochs} epochs, product {seconds * 1e3:.3f} ms"}
