"""
How the certificate works
=========================

A fit ends with a statement about all candidates, also about those that nobody looked at. This page shows
with a real fit where it comes from: two numbers that meet, and a tree most of which need not be visited.
"""

# %%
# Two numbers that meet
# ---------------------
#
# The *primal* objective is that of the model: mean loss plus penalty. It falls as rules enter. The *dual*
# objective is a number that no model can go below, whatever rules it uses. It rises. Where they meet, the
# model is optimal.
#
# To see the rounds one by one, this fit adds few rules at a time (``strategy="column_generation"``) and is
# stopped after each round by ``max_iter``. The warnings that say so are what users see, too; here they are
# expected.

# sphinx_gallery_thumbnail_number = 2
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from thresher import ItemsetRegressor, RuleClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
settings = {"alpha": 0.004, "max_features": 2, "bins": 8, "linear": False}

rounds = [1, 2, 3, 4, 5, 7, 9, 12, 15, 20]
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    stopped = [
        RuleClassifier(**settings, strategy="column_generation", max_iter=k)
        .fit(X, y)
        .certificate_
        for k in rounds
    ]

figure, ax = plt.subplots(figsize=(8, 4))
primal, dual = [c.primal for c in stopped], [c.dual for c in stopped]
ax.plot(rounds, primal, "o-", label="primal: the objective of the model")
ax.plot(rounds, dual, "s-", label="dual: no model is below")
ax.fill_between(rounds, dual, primal, color="0.9", label="gap: what is not known yet")
ax.set(xlabel="round", ylabel="objective", xticks=[1, 5, 10, 15, 20])
ax.legend()

# %%
# Each stopped fit is a usable model *with its true gap*: a fit that runs out of time tells how good it is.

for k in (1, 5, 20):
    print(f"after {k:2d} rounds: {stopped[rounds.index(k)]}")

# %%
# The tree that was not visited
# -----------------------------
#
# Where does the lower bound come from? At the optimum, the correlation of every candidate with the
# residuals is at most ``alpha``. A candidate with a larger correlation would lower the objective. So the
# proof is a search for such a candidate, and candidates form a tree: the rows of ``a and b`` are among
# those of ``a``. If a set of rows has positive residuals that sum to *s*, no subset of them sums to more.
# Where this bound is at most ``alpha``, everything below is settled without a look.
#
# Twelve items are few enough for a picture. The search below is the same rule in plain Python:

rng = np.random.default_rng(0)
items = rng.random((500, 12)) < 0.4
target = 1.5 * (items[:, 0] & items[:, 1]) - 1.0 * (
    items[:, 2] & items[:, 3] & items[:, 4]
)
target = target + 0.1 * rng.normal(size=500)
model = ItemsetRegressor(alpha=0.025, max_items=3).fit(items, target)
model.summary()

# %%
residual = (target - model.predict(items)) / len(target)
slack = (
    1e-5  # the fit has a gap of a millionth: correlations may be as much above alpha
)

largest, pruned, visited = 0.0, [], []


def search(pattern, rows):
    """Visit the patterns that extend `pattern`, unless a bound settles them all."""
    global largest
    visited.append(pattern)
    inside = residual[rows]
    if pattern:
        largest = max(largest, abs(inside.sum()))
    bound = max(inside[inside > 0].sum(), -inside[inside < 0].sum())
    if bound <= model.alpha_ + slack:
        pruned.append(pattern)
    elif len(pattern) < 3:
        for item in range(pattern[-1] + 1 if pattern else 0, 12):
            search((*pattern, item), rows & items[:, item])


search((), np.ones(500, dtype=bool))
print(f"{len(visited) - 1} of {model.certificate_.n_candidates} patterns visited")
print(f"largest correlation {largest:.6f}, alpha {model.alpha_}")

# %%
# No correlation is above ``alpha``: the model is optimal, and most of the patterns were never visited. In
# the picture the empty pattern is in the middle, and patterns of one, two and three items are on the rings.


def place(pattern):
    """Angle and radius: patterns in alphabetical order share the circle."""
    low, width = 0.0, 1.0
    for depth, item in enumerate(pattern):
        first = pattern[depth - 1] + 1 if depth else 0
        sizes = np.array(
            [1 + sum(range(12 - j)) if depth < 2 else 1 for j in range(first, 12)],
            dtype=float,
        )
        sizes = sizes / sizes.sum()
        low, width = (
            low + width * sizes[: item - first].sum(),
            width * sizes[item - first],
        )
    angle = 2 * np.pi * (low + width / 2)
    return len(pattern) * np.cos(angle), len(pattern) * np.sin(angle)


def read(text):
    """The numbers of the items of a text such as 'x0 and x1'."""
    return tuple(int(name.removeprefix("x")) for name in text.split(" and "))


figure, ax = plt.subplots(figsize=(7.5, 7.5))
settled, seen, used = set(pruned), set(visited), {read(p.text) for p in model.patterns_}
everything = [()]
for pattern in everything:  # grows while it is read
    if len(pattern) < 3:
        everything += [
            (*pattern, item) for item in range(pattern[-1] + 1 if pattern else 0, 12)
        ]
for pattern in everything[1:]:
    (x0, y0), (x1, y1) = place(pattern[:-1]), place(pattern)
    ax.plot(
        [x0, x1], [y0, y1], color="0.5" if pattern in seen else "0.9", lw=0.7, zorder=1
    )
groups = {
    "never visited": ([p for p in everything if p not in seen], {"c": "0.88", "s": 8}),
    "visited": (
        [p for p in everything if p in seen and p not in settled],
        {"c": "C0", "s": 22},
    ),
    "visited, and settles all below": (
        [p for p in everything if p in settled],
        {"c": "C1", "s": 22},
    ),
    "in the model": (
        [p for p in everything if p in used],
        {"c": "none", "edgecolors": "k", "s": 90, "lw": 1.4},
    ),
}
for label, (patterns, style) in groups.items():
    ax.scatter(
        *np.transpose([place(p) for p in patterns]),
        label=f"{label} ({len(patterns)})",
        zorder=2,
        **style,
    )
ax.axis("equal")
ax.set_axis_off()
figure.legend(loc="outside lower center", ncols=2, frameon=False)

# %%
# On real problems the unvisited part is larger. All rules of up to three columns of breast cancer:

many = RuleClassifier(alpha=0.02, linear=False).fit(X, y).certificate_
print(
    f"{many.n_candidates:,} candidates; {many.nodes:,} nodes in {many.searches} searches"
)

# %%
# What a gap of 1e-4 means
# ------------------------
#
# A relative gap of 1e-4 says that no model has an objective that is lower by more than a ten-thousandth.
# For predictions that is little: below, models that were stopped at different gaps are compared with one
# that is exact to 1e-9.

exact = RuleClassifier(**settings, tol=1e-9).fit(X, y)
probability = exact.predict_proba(X)[:, 1]
gaps, change, excess = [], [], []
for tol in (1e-1, 1e-2, 1e-3, 1e-4, 1e-6):
    model = RuleClassifier(**settings, strategy="column_generation", tol=tol).fit(X, y)
    gaps.append(model.certificate_.relative_gap)
    change.append(np.abs(model.predict_proba(X)[:, 1] - probability).max())
    excess.append(model.certificate_.primal / exact.certificate_.primal - 1)

figure, ax = plt.subplots(figsize=(7, 4.2))
ax.loglog(gaps, change, "o-", label="largest change of any probability")
ax.loglog(
    gaps,
    np.maximum(excess, 1e-12),
    "s-",
    label="objective above the optimum (relative)",
)
ax.loglog(
    gaps,
    gaps,
    color="0.6",
    ls=":",
    label="what the certificate promises for the objective",
)
ax.set(xlabel="relative gap of the certificate")
ax.legend()

# %%
# The objective keeps the promise with room to spare. Predictions have no promise of their own; here they
# changed about as much as the gap says. The default ``tol=1e-6`` leaves changes that no table would show.
#
# The guide has the mathematics: :doc:`/guide/certificate`. ``model.verify(X, y)`` repeats the proof by
# other code.
