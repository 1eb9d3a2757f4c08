"""
Ten columns of five hundred, without shrinkage
==============================================

Columns that are correlated with their neighbours, ten of which matter. The lasso takes neighbours too, and
shrinks what it takes; a best subset finds the ten, with hardly any others, and leaves their coefficients as
large as they are.
"""
# sphinx_gallery_thumbnail_number = -1

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LassoCV

from thresher import L0Regressor

rng = np.random.default_rng(0)
n, p = 400, 500
X = np.empty((n, p))
X[:, 0] = rng.normal(size=n)
for j in range(1, p):
    X[:, j] = 0.9 * X[:, j - 1] + np.sqrt(1 - 0.9**2) * rng.normal(size=n)
truth = np.zeros(p)
truth[25::50] = [1, -1, 1, -1, 1, -1, 1, -1, 1, -1]
y = X @ truth + rng.normal(size=n)

subset = L0Regressor(max_nonzero=30, one_standard_error=True).fit(X, y)
lasso = LassoCV(cv=5).fit(X, y)
for name, coef in {"best subset": subset.coef_, "lasso": lasso.coef_}.items():
    found = coef != 0
    print(
        f"{name:11}  {found.sum():3d} columns, {found[truth != 0].sum():2d} of the ten, "
        f"error of the coefficients {np.linalg.norm(coef - truth):.2f}"
    )

# %%
# The search is local, and a lower bound says what no subset can reach. It needs a little shrinkage,
# ``lambda2``:

print(L0Regressor(max_nonzero=30, lambda2=10).fit(X, y).certificate_)

# %%
# Coefficients of both models, and the truth as circles:

figure, axes = plt.subplots(2, 1, figsize=(9, 5), sharex=True, sharey=True)
for ax, (name, coef) in zip(
    axes, {"best subset": subset.coef_, "lasso": lasso.coef_}.items(), strict=True
):
    used = np.flatnonzero(coef)
    ax.vlines(used, 0, coef[used], lw=2)
    ax.plot(
        np.flatnonzero(truth),
        truth[truth != 0],
        "o",
        mfc="none",
        mec="C1",
        ms=8,
        label="truth",
    )
    ax.axhline(0, color="0.7", lw=0.8)
    ax.set(title=f"{name}: {len(used)} columns", ylabel="coefficient")
axes[0].legend(loc="upper right")
axes[1].set_xlabel("column")
