"""
Conjunctions of any length
==========================

Hierarchies search all conjunctions of propositions about the columns, however long. Here the truth is
known: a loan is late if three things hold together, or if one other thing holds alone.
"""
# sphinx_gallery_thumbnail_number = -1

import numpy as np
import pandas as pd

from thresher import HierarchicalRuleClassifier

rng = np.random.default_rng(0)
n = 400
X = pd.DataFrame(
    {
        "age": rng.integers(18, 78, n),
        "home": rng.choice(["own", "rent"], n),
        "income": rng.integers(10, 90, n),
        "arrears": rng.choice(["no", "yes"], n, p=[0.9, 0.1]),
        "children": rng.integers(0, 4, n),
    }
)
late = ((X.age <= 41) & (X.home == "rent") & (X.income <= 41)) | (X.arrears == "yes")
y = np.where(late, "late", "paid")

model = HierarchicalRuleClassifier(alpha=5e-5, rho=2, tol=1e-3, pos_label="late").fit(
    X, y
)
print(
    f"{len(model.rules_)} rules, accuracy on the training rows {model.score(X, y):.3f}"
)
print(model.certificate_)
model.summary().to_frame()

# %%
# The *hull* of the model is what the solver had to look at: its rules and all their subsets. The proof
# covers the conjunctions outside it without visiting them. Edges lead from a conjunction to those that add
# one proposition. Circles grow with the coefficient: the conjunction of three is found beside ``arrears =
# yes``. A hierarchy has a conjunction only together with its parts, which carry most of the effect here.

display = model.plot_hull(max_rules=9)
display.figure_.set_size_inches(9, 5)
