"""
Which columns act together
==========================

Five interactions among the 1,225 pairs of fifty columns, found by a sparse factorization machine without
trying the pairs one by one.
"""
# sphinx_gallery_thumbnail_number = -1

import numpy as np
import pandas as pd

from thresher import FactorizationMachineRegressor

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(1000, 50)), columns=[f"x{j}" for j in range(50)])
y = (
    2.0 * X.x3 * X.x7
    - 1.5 * X.x7 * X.x12
    + X.x3 * X.x40
    + X.x20 * X.x21
    - X.x21 * X.x33
    + X.x0
)
y += 0.5 * rng.normal(size=1000)

model = FactorizationMachineRegressor(refit=True).fit(X, y)
model.interactions_

# %%
# All five, with their signs and close to their size, and a sixth of nearly 0, at the strength of least
# held-out error; ``n_interactions`` asks for a number of them. As a network: blue raises, red lowers.

model.plot_interactions(kind="network")
