"""
Recommendations: which combinations are clicked
===============================================

For people who rank things: clicks depend on combinations of user, item and moment, each a sparse 0/1
column. A factorization machine covers all pairs of levels; a sparse one says which few it needs. The truth:
horror at night and cartoons for families on weekends are clicked, news at night are not.
"""
# sphinx_gallery_thumbnail_number = -1

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from thresher import FactorizationMachineClassifier

rng = np.random.default_rng(0)
n = 12_000
shown = pd.DataFrame(
    {
        "genre": rng.choice(
            ["horror", "cartoon", "news", "drama", "sport", "nature"], n
        ),
        "hour": rng.choice(["morning", "day", "evening", "night"], n),
        "household": rng.choice(["single", "couple", "family"], n),
        "device": rng.choice(["tv", "phone", "tablet"], n),
        "day": rng.choice(["weekday", "weekend"], n),
    }
)
z = 2.0 * ((shown.genre == "horror") & (shown.hour == "night"))
z += 1.6 * ((shown.genre == "cartoon") & (shown.household == "family"))
z += (
    -1.5 * ((shown.genre == "news") & (shown.hour == "night"))
    + 0.5 * (shown.device == "tv")
    - 1.2
)
clicked = rng.random(n) < 1 / (1 + np.exp(-z))
X, y, X_test, y_test = shown[:8000], clicked[:8000], shown[8000:], clicked[8000:]

# %%
# Which combinations?
# -------------------
#
# Text columns become one column for each level. ``n_interactions`` asks for about that many pairs.

model = FactorizationMachineClassifier(n_interactions=3, refit=True).fit(X, y)
model.interactions_

# %%
# Is it worth it?
# ---------------
#
# Against a logistic regression on the same levels, which has no pairs:

linear = make_pipeline(OneHotEncoder(), LogisticRegression()).fit(X, y)
for name, fitted in {"logistic regression": linear, "with interactions": model}.items():
    print(
        f"{name:20} AUC {roc_auc_score(y_test, fitted.predict_proba(X_test)[:, 1]):.3f}"
    )

# %%
# What shall we show this family tonight?
# ---------------------------------------
#
# Rank all genres for one moment, with the parts of the best one:

tonight = pd.DataFrame({"genre": sorted(set(shown.genre))}).assign(
    hour="night", household="family", device="tv", day="weekday"
)
tonight["click"] = model.predict_proba(tonight)[:, 1].round(2)
tonight = tonight.sort_values("click", ascending=False)
tonight

# %%
print(model.explain(tonight.drop(columns="click").head(1))[0])

# %%
# A genre that training did not see
# ---------------------------------
#
# It has no effect of its own, and the rest of the row counts: no error, no retraining at night.

print(
    model.predict_proba(tonight.drop(columns="click").head(1).assign(genre="opera"))[
        :, 1
    ].round(2)
)

# %%
# The interactions as a network:

model.plot_interactions(kind="network")
plt.gcf().set_size_inches(6.5, 5)

# %%
# Millions of rows of user and item numbers: give a ``scipy.sparse`` matrix, and ``partial_fit`` for
# streams. Baskets of any number of items: :doc:`/gallery/patterns/baskets`. All parameters:
# :doc:`/guide/interactions`. A factorization machine has no certificate; item-sets and rules have one.
