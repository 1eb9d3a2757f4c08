"""
Shopping baskets: which goods belong together
=============================================

A record is a set of goods of any size, the target what happened next. The model is a short sum over **all**
sets of up to two goods, present or absent, and the truth that made these baskets is known: nappies and beer
bring a customer back, fish without lemon does not.
"""
# sphinx_gallery_thumbnail_number = -1

import numpy as np

from thresher import ItemsetClassifier

rng = np.random.default_rng(0)
goods = [
    "beer",
    "nappies",
    "milk",
    "bread",
    "fish",
    "lemon",
    "eggs",
    "tea",
    "rice",
    "soap",
    "wine",
    "salad",
]
goods += [f"article {k}" for k in range(40)]
popularity = np.concatenate([np.full(12, 0.3), rng.uniform(0.01, 0.15, 40)])
baskets = [
    {g for g, p in zip(goods, popularity, strict=True) if rng.random() < p}
    for _ in range(3000)
]

log_odds = [
    2.0 * ({"beer", "nappies"} <= basket)
    - 1.5 * ("fish" in basket and "lemon" not in basket)
    - 0.5
    for basket in baskets
]
returns = np.where(
    rng.random(3000) < 1 / (1 + np.exp(-np.array(log_odds))), "returns", "leaves"
)

model = ItemsetClassifier(
    negations=True, max_items=2, n_alphas=40, relax="cv", pos_label="returns"
)
model.fit(baskets, returns)
model.summary()

# %%
# The truth: 2.0 and -1.5. ``relax`` takes back the shrinkage of the L1 penalty; without it the effects are
# smaller, and a few more patterns of hardly any effect make up for it.
#
# The proof is over every set, with and without the absence of goods. What about a set that is *not* in the
# model?

print(model.certificate_)
print(model.price("beer and milk"))

# %%
# What is known of one customer:

print(model.explain([{"beer", "nappies", "fish", "article 3"}])[0])

# %%
# The patterns, with the fraction of the baskets of each class in which they occur:

model.plot_patterns()
