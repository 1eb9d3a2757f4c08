"""
The trend of a column
=====================

What people expect of a column can be a part of the search: a function that rises, that has a valley, or whose
rises get ever larger. The risk in these data has its least at a blood pressure of about 120, and grows faster
the further it is from there.
"""
# sphinx_gallery_thumbnail_number = -1

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from thresher import L0AdditiveRegressor

rng = np.random.default_rng(4)
n = 400
pressure = rng.normal(128, 18, n).clip(85, 185).round()


def truth(x):
    return 0.0016 * (x - 118) ** 2


risk = truth(pressure) + rng.normal(0, 1.5, n)
X = pd.DataFrame({"blood pressure": pressure})

# %%
# ``monotonic_cst`` takes the trend, by the name of the column. ``"convex"`` means that no jump is below the
# one before: falls get smaller, and then rises get larger.

models = {
    trend: L0AdditiveRegressor(
        lambda0=3.0, bins=60, monotonic_cst={"blood pressure": trend}
    ).fit(X, risk)
    for trend in (0, "valley", "convex")
}
for trend, model in models.items():
    values = [step.value for step in model.shape_functions_[0].steps]
    jumps = " ".join(f"{jump:+.2f}" for jump in np.diff(values))
    print(
        f"{trend!s:7} {len(values)} bins, objective {model.objective_:.1f}, jumps {jumps}"
    )

# %%
# The free function follows the noise; that with a valley may still rise in steps of any order.

grid = np.linspace(90, 180, 1000)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), sharey=True, layout="constrained")
for ax, (trend, model) in zip(axes, models.items(), strict=True):
    ax.plot(grid, truth(grid), color="C1", linestyle="--", label="truth")
    ax.plot(grid, model.predict(pd.DataFrame({"blood pressure": grid})), label="model")
    ax.set(title="no trend" if trend == 0 else f'"{trend}"', xlabel="blood pressure")
axes[0].set_ylabel("risk")
_ = axes[0].legend()
