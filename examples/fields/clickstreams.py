"""
Clickstreams: from a log of clicks to what precedes a purchase
==============================================================

For analysts of shops and services. You have a long table, one line for each click: who, what, when. Which
pages, in which order, precede a purchase? The log is drawn, and the truth is known: who reads the reviews
*after* the price buys more often, who opens the help page after the basket less often; the reverse orders
mean nothing.
"""
# sphinx_gallery_thumbnail_number = 1

import numpy as np
import pandas as pd

from thresher import ItemsetClassifier, SequenceClassifier, sequences_from_table

rng = np.random.default_rng(0)
pages = ["home", "search", "product", "price", "reviews", "basket", "help", "login"]
rows = []
for visitor in range(3000):
    at = pd.Timestamp("2026-03-01") + pd.Timedelta(minutes=int(rng.integers(40_000)))
    for page in rng.choice(pages, size=rng.integers(2, 9)):
        rows.append((f"v{visitor:04d}", page, at))
        at += pd.Timedelta(minutes=int(rng.choice([1, 3, 8])))
clicks = pd.DataFrame(rows, columns=["visitor", "page", "at"])
clicks.head()

# %%
# From the table to sequences
# ---------------------------
#
# One sequence for each visitor, sorted by time; a pause of ``session_gap`` would begin another one. Who
# bought is known by visitor, and ``align`` brings it into the order of the sequences.


def contains(visit, first, then):
    """Whether a visit has `then` somewhere after `first`."""
    return first in visit and then in visit[visit.index(first) + 1 :]


visits = sequences_from_table(
    clicks, record="visitor", event="page", time="at", session_gap="30min"
)
z = [
    2.0 * contains(list(visit), "price", "reviews")
    - 2.0 * contains(list(visit), "basket", "help")
    - 1.0
    for visit in visits
]
bought = pd.Series(rng.random(3000) < 1 / (1 + np.exp(-np.array(z))), visits.records)
y = np.where(visits.align(bought), "buys", "leaves")
print(len(visits), "visits; the first one:", visits[0], y[0])

# %%
# The model
# ---------

known, unseen = slice(0, 2000), slice(2000, None)
model = SequenceClassifier(max_length=3, one_standard_error=True, pos_label="buys")
model.fit(visits[known], y[known])
print(model.certificate_)
model.plot_patterns()

# %%
# The two patterns of the truth, in the order of the truth.
#
# How often, and does it hold for others?
# ---------------------------------------
#
# The rate of buyers with and without each pattern, on visits that the fit has not seen:

model.pattern_table(visits[unseen], y[unseen])

# %%
# Does the order matter?
# ----------------------
#
# ``price`` says how far the reverse order is from the model. Sets of pages, which have no order, mix both.

print(model.price("reviews -> price"))
sets = ItemsetClassifier(max_items=2, one_standard_error=True, pos_label="buys")
sets.fit(visits[known], y[known])
for name, each in {"sequences": model, "sets of pages": sets}.items():
    print(f"{name:14} held-out accuracy {each.score(visits[unseen], y[unseen]):.3f}")

# %%
# By week
# -------
#
# Has the stream changed? The stability index of the score of each week, against the visits of the fit:

starts = clicks.groupby("visitor")["at"].min()
weeks = pd.Series(visits.records).map(starts).dt.isocalendar().week
weeks = "week " + weeks.astype(str)
monitoring = model.monitor(
    visits[known], visits[unseen], y_new=y[unseen], period=weeks[unseen]
)
monitoring.plot()

# %%
# More: :doc:`/guide/clickstreams` (sessions, targets, validation by visitor, the command line),
# :doc:`/guide/patterns` and :doc:`/guide/monitoring`. What precedes a purchase need not cause it.
