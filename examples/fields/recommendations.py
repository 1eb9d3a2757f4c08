"""
Recommendations: from a log of clicks to a list for each user
=============================================================

For people who rank things. You have a long table, one line for each time that something was shown: user,
item, moment, clicked or not. A factorization machine covers all pairs of users, items and their properties; a
sparse one says which few it needs, so that you can read what drives the list. The log is drawn, and the truth
is known: people and films differ in how often they click and are clicked, horror is clicked at night,
cartoons in families, and news at night are not.
"""
# sphinx_gallery_thumbnail_number = -1

import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from thresher import FactorizationMachineClassifier

rng = np.random.default_rng(0)
GENRES = ["horror", "cartoon", "news", "drama", "sport", "nature"]
users = pd.DataFrame(
    {
        "user": [f"u{k:03d}" for k in range(300)],
        "household": rng.choice(["single", "couple", "family"], 300),
    }
)
films = pd.DataFrame(
    {
        "film": [f"f{k:02d}" for k in range(60)],
        "genre": [GENRES[k % 6] for k in range(60)],
    }
)
log = pd.DataFrame(
    {
        "user": rng.choice(users.user, 12_000),
        "film": rng.choice(films.film, 12_000),
        "hour": rng.choice(["morning", "evening", "night"], 12_000),
    }
)
activity = pd.Series(rng.normal(0, 0.6, 300), users.user)
popularity = pd.Series(rng.normal(0, 0.6, 60), films.film)


def true_rate(shown):
    """The probability of a click, which nobody knows outside of such a page."""
    z = -1.2 + shown.user.map(activity) + shown.film.map(popularity)
    z += 2.0 * ((shown.genre == "horror") & (shown.hour == "night"))
    z += 1.8 * ((shown.genre == "cartoon") & (shown.household == "family"))
    z -= 1.5 * ((shown.genre == "news") & (shown.hour == "night"))
    return 1 / (1 + np.exp(-z))


def complete(table):
    """Add what is known of users and films to a table of their ids."""
    table = table.merge(users, on="user", how="left")
    return table.merge(films, on="film", how="left")


log["clicked"] = rng.random(len(log)) < true_rate(complete(log))
log.head()

# %%
# One frame
# ---------
#
# The ids stay as they are: text columns become one 0/1 column for each level, kept sparse. What is known of
# users and films is joined to them. The last quarter of the log is held out, as the future would be.

shown = complete(log)
columns = ["user", "film", "hour", "household", "genre"]
past, future = shown[:9000], shown[9000:]

# %%
# Which combinations?
# -------------------
#
# There are 372 levels, and 22,000 pairs of levels of two columns. ``n_interactions=3`` asks for three
# of them; ``refit=True`` fits these once more without the penalty that selected them.

start = time.process_time()
model = FactorizationMachineClassifier(n_interactions=3, refit=True)
model.fit(past[columns], past.clicked)
print(f"fitted in {time.process_time() - start:.1f} CPU seconds")
model.interactions_

# %%
# These are the three of the truth. Users and films have effects of their own beside them (``coef_``), which
# are what other programs call their biases.
#
# Is it worth it?
# ---------------
#
# Against the popularity of each film, and against a logistic regression on the same columns, which has the
# biases and no pairs:

linear = make_pipeline(
    OneHotEncoder(handle_unknown="ignore"), LogisticRegression(C=0.3)
)
linear.fit(past[columns], past.clicked)
share_clicked = past.groupby("film").clicked.mean()
answers = {
    "popularity": future.film.map(share_clicked),
    "logistic regression": linear.predict_proba(future[columns])[:, 1],
    "three interactions": model.predict_proba(future[columns])[:, 1],
    "the truth": true_rate(future),
}
for name, answer in answers.items():
    print(f"{name:20} AUC {roc_auc_score(future.clicked, answer):.3f}")

# %%
# The list for one user
# ---------------------
#
# All films that the user has not clicked, for one moment, best first:


def recommend(user, hour, n=5):
    """The n films of the largest probability, of those that the user has not clicked."""
    known = set(log.film[(log.user == user) & log.clicked])
    table = complete(pd.DataFrame({"user": user, "film": films.film, "hour": hour}))
    table = table[~table.film.isin(known)]
    table["probability"] = model.predict_proba(table[columns])[:, 1].round(3)
    return table.sort_values("probability", ascending=False).head(n)


parent = users.user[users.household == "family"].iloc[0]
best = recommend(parent, "morning")
best

# %%
# And why is the first one first?

print(model.explain(best[columns].head(1))[0])

# %%
# Lists for everyone
# ------------------
#
# Everyone's top five at night, in one call. Since the truth is known, so is how often these films would be
# clicked:

start = time.process_time()
every = users[["user"]].merge(films[["film"]], how="cross").assign(hour="night")
every = complete(every)
every["machine"] = model.predict_proba(every[columns])[:, 1]
print(f"{len(every):,} probabilities in {time.process_time() - start:.2f} CPU seconds")
every["logistic"] = linear.predict_proba(every[columns])[:, 1]
every["popularity"] = every.film.map(share_clicked)
every["truth"] = true_rate(every)
for name in ("popularity", "logistic", "machine", "truth"):
    top = every.sort_values(name, ascending=False).groupby("user").head(5)
    print(f"top five by {name:10} {top.truth.mean():.0%} would be clicked")

# %%
# New users, new films
# --------------------
#
# An id that training did not see has no effect of its own, and the rest of the row counts: a new user is an
# average one of such a household, a new film an average one of its genre. No error, no retraining at night.

new = pd.DataFrame(
    {
        "user": ["u999", "u999", parent],
        "film": ["f01", "f99", "f99"],
        "hour": "evening",
        "household": "family",
        "genre": "cartoon",
    }
)
new.assign(probability=model.predict_proba(new)[:, 1].round(3))

# %%
# The interactions as a network:

model.plot_interactions(kind="network")
plt.gcf().set_size_inches(6.5, 5)

# %%
# What it costs, and where it ends
# --------------------------------
#
# - A pass over the data takes a time that grows with the filled cells and ``rank``: 0.02 s for 32,561 rows
#   of 14 filled cells (:doc:`/benchmarks/fm`). A fit has tens to hundreds of passes, and ``n_interactions``
#   some ten fits. Choose strength, rank and ridges on a part of the log, and give ``alpha_``, ``rank_``,
#   ``l2_linear_`` and ``l2_factors_`` afterwards; ``partial_fit`` (``solver="adagrad"``) follows a
#   stream. Its first batch has to declare all users and items (a ``pandas.Categorical``): others have no
#   column, are never learnt, and a batch that has some warns.
# - Millions of ids: give a ``scipy.sparse`` matrix in place of a frame.
# - The log has to say what was shown and *not* clicked. Of purchases alone, draw for each some films that
#   the user could have seen, as rows without a click.
# - Stars in place of clicks: ``FactorizationMachineRegressor``, and all the same. A table of users, items and
#   stars alone needs the dense machine.
# - Few interactions can be read, and miss tastes that only a dense table of users and films shows.
#   ``penalty=None`` is the usual dense machine: nothing is left to read then. Begin it
#   with ``rank=3``, since the 30 components that it has otherwise fit noise, and compare some ``rank`` and
#   ``l2_factors``: of 6,500 stars the error fell from .84 to .75, and the time from 5 s to .06 s
#   (:doc:`/guide/interactions`).
# - A factorization machine has no certificate; item-sets and rules have one. Baskets of any number of items:
#   :doc:`/gallery/patterns/baskets`. All parameters: :doc:`/guide/interactions`.
