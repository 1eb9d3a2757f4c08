"""The yardstick of hierarchies: the problem whose weights are fixed, over the final hull."""

import math

import numpy as np
from l1_path import outputs
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC, LinearSVC
from worker import timed

INNER_FITS = 10
DEFAULT_STRENGTHS = 7  # the most that a default fit compares


def hierarchies(case, ours, X, y, weights, kept, limit):
    if not kept:
        return {"goal": math.nan}
    H, C = kept["columns"], 1 / (len(y) * float(kept["alpha"]))
    if H.shape[1] == 0:
        H = np.ones((len(y), 1))
    model = {
        "squared": Ridge(alpha=1 / C),
        "hinge": SVC(kernel="linear", C=C),
        "squared_hinge": LinearSVC(C=C),
        "logistic": LogisticRegression(C=C, max_iter=1000),
    }[case["loss"]]
    _, seconds = timed(lambda: model.fit(H, y, sample_weight=weights))
    is_path = case["mode"] == "path"
    strengths = ours["strengths"] // outputs(case) if is_path else DEFAULT_STRENGTHS
    text = f"{INNER_FITS} x {strengths} fits of {seconds:.4f} s, {H.shape[1]} columns"
    return {"goal": INNER_FITS * strengths * seconds, "yardstick": text}
