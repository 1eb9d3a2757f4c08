"""
Which rules would other patients give?
======================================

A certificate says that a model is the best one *for these rows*. Would other rows give the same rules? Fit
the model to random halves, and count. The truth is known: a rule of two conditions and a threshold, beside
ten columns that do nothing.
"""
# sphinx_gallery_thumbnail_number = -1

import numpy as np
import pandas as pd

from thresher import RuleRegressor, compare_models, stability_selection

rng = np.random.default_rng(0)
n = 600
X = pd.DataFrame(
    rng.normal(size=(n, 10)).round(2), columns=[f"noise {k}" for k in range(10)]
)
X.insert(0, "age", rng.integers(20, 80, n))
X.insert(1, "dose", rng.uniform(0, 10, n).round(1))
X.insert(2, "smoker", rng.choice(["yes", "no"], n))
y = 2.0 * ((X.age > 50) & (X.smoker == "yes")) + 1.5 * (X.dose > 6) + rng.normal(size=n)

model = RuleRegressor(alpha=0.03, max_features=2, bins=8, linear=False)
found = stability_selection(model, X, y, n_resamples=40, random_state=0)
found.to_frame().head(8)

# %%
# A rule counts as found if some rule of the other model holds for nearly the same rows (a Jaccard index of
# at least 0.8), since other halves have other cut points. The two rules of the truth are found by every half,
# those about the noise by about half of them.
#
# How alike are models of different kinds? ``compare_models`` compares fitted ones: each number is the mean
# over the rules of the line of the similarity with the closest rule of the column.

models = {
    "L1, 0.03": found.estimator_,
    "L1, 0.12": RuleRegressor(alpha=0.12, max_features=2, bins=8, linear=False).fit(
        X, y
    ),
    "best 3 rules": RuleRegressor(
        max_rules=3, max_features=2, bins=8, linear=False
    ).fit(X, y),
}
compare_models(models, X).plot()

# %%
# The terms, by how often other halves found them again:

found.plot(max_terms=12)
