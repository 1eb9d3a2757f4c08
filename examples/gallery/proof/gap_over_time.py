"""
An answer at any time: the gap against seconds
==============================================

A score card is not convex, and proving that it is the best of all takes a branch and bound. The proof can
be stopped at any time, and says how far it got. Here the same card gets more and more time.
"""
# sphinx_gallery_thumbnail_number = -1

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from thresher import L0AdditiveClassifier

rng = np.random.default_rng(0)
n = 1500
X = pd.DataFrame(
    {
        "age": rng.integers(18, 80, n),
        "income": rng.normal(40, 12, n),
        "rate": rng.uniform(1, 9, n),
    }
)
log_odds = 1.5 * (X.age > 45) + 1.0 * (X.income > 48) - 1.2 * (X.rate > 6) - 0.5
y = np.where(rng.random(n) < 1 / (1 + np.exp(-log_odds)), "paid", "late")

settings = {"lambda0": 10, "ridge": 0.02, "bins": 200, "gap_tol": 1e-5}
limits, gaps = [], []
for limit in (0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8):
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # a fit that ran out of time says so
        model = L0AdditiveClassifier(**settings, time_limit=limit).fit(X, y)
    certificate = model.certificate_
    limits.append(limit)
    gaps.append(certificate.relative_gap)
    print(
        f"at most {limit:4} s: gap {certificate.relative_gap:.1e} after {certificate.n_nodes} parts"
    )
    if certificate.complete:
        break

# %%
# The card was the best one from the first moment on; what the time buys is the proof.

model.score_card()

# %%
figure, ax = plt.subplots(figsize=(7, 4))
ax.loglog(limits, gaps, "o-")
ax.set_xticks(limits, limits)
ax.minorticks_off()
ax.axhline(settings["gap_tol"], color="0.6", ls=":", label="gap_tol: proved")
ax.set(
    xlabel="time_limit in seconds", ylabel="gap: how much better another card may be"
)
ax.legend()
