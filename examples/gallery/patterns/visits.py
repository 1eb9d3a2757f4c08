"""
Visits to a shop: events in order
=================================

A record is a sequence of events. Who reads the price list *and then* the reviews buys; who pays a visit to
the help page after the basket does not. The order matters: both groups visit the same pages.
"""
# sphinx_gallery_thumbnail_number = -1

import numpy as np

from thresher import SequenceClassifier

rng = np.random.default_rng(0)
pages = [
    "home",
    "search",
    "product",
    "price",
    "reviews",
    "basket",
    "help",
    "login",
    "news",
    "imprint",
]
visits = [list(rng.choice(pages, size=rng.integers(3, 12))) for _ in range(2000)]


def contains(visit, first, then):
    """Whether `then` comes after `first`, with any pages between."""
    return first in visit and then in visit[visit.index(first) + 1 :]


log_odds = np.array(
    [
        2.0 * contains(v, "price", "reviews")
        - 2.5 * contains(v, "basket", "help")
        - 0.3
        for v in visits
    ]
)
buys = np.where(rng.random(2000) < 1 / (1 + np.exp(-log_odds)), "buys", "leaves")

model = SequenceClassifier(max_length=3, n_alphas=40, relax="cv", pos_label="buys").fit(
    visits, buys
)
model.summary()

# %%
# The reverse order is no pattern of the model:

print(model.price("price -> reviews"))
print(model.price("reviews -> price"))
print(model.certificate_)

# %%
# The patterns, and how often they occur among visitors who buy and who leave:

model.plot_patterns()
