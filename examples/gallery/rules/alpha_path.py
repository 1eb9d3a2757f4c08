"""
From one rule to many: the path
===============================

The strength ``alpha`` of the penalty decides how many rules a model has. A path holds the optimal model of
every strength, each with a proof, and the error that cross-validation measured for it.
"""
# sphinx_gallery_thumbnail_number = -1

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from thresher import RuleRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = RuleRegressor(
    max_features=2, bins=8, linear=False, one_standard_error=True
).fit(X, y)
print(model.certificate_)

# %%
# ``one_standard_error=True`` takes the sparsest model whose error is within one standard error of the
# least. The path is kept: any of its models can be had without another fit.

path = model.path_
for n_rules in (1, 3, 6):
    print(path.at(n_terms=n_rules).summary().text(), "\n")

# %%
# From left to right the penalty falls and rules enter; the second curve is the error on held-out
# patients.

model.plot_path()
plt.gcf().set_size_inches(8, 4.5)
