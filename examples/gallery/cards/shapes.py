"""
Step functions that find the truth
==================================

A score card is a sum of step functions, one for each column. The data are drawn from three known functions,
one of them with a gap, and two columns that do nothing.
"""
# sphinx_gallery_thumbnail_number = -1

import numpy as np
import pandas as pd

from thresher import L0AdditiveClassifier

rng = np.random.default_rng(0)
n = 10_000
X = pd.DataFrame(
    {
        "age": rng.integers(18, 80, n),
        "income": rng.lognormal(3.6, 0.5, n).round(1),
        "home": rng.choice(["own", "rent", "family"], n),
        "shoe size": rng.integers(36, 47, n),
        "lucky number": rng.integers(0, 100, n),
    }
)
truth = {
    "age": lambda age: 1.2 * (age < 26) + 0.9 * (age > 65),
    "income": lambda income: -1.0 * (income > 30) - 0.7 * (income > 60),
}
log_odds = (
    truth["age"](X.age) + truth["income"](X.income) + 0.8 * (X.home == "rent") - 0.9
)
y = np.where(rng.random(n) < 1 / (1 + np.exp(-log_odds)), "bad", "good")

model = L0AdditiveClassifier(bins=40, one_standard_error=True, pos_label="bad").fit(
    X, y
)
model.score_card()

# %%
# The two columns without an effect have no step. ``certificate_`` bounds how much better any other card
# could be:

print(model.certificate_)

# %%
# The functions of the model, and in orange those that made the data (each has mean 0 over the rows):

display = model.plot_shapes()
for ax in np.ravel(display.axes_):
    name = next(
        (
            name
            for name in truth
            if ax.get_title().startswith(name) or ax.get_xlabel() == name
        ),
        None,
    )
    if name is not None:
        grid = np.linspace(X[name].min(), np.quantile(X[name], 0.99), 1000)
        ax.plot(
            grid,
            truth[name](grid) - truth[name](X[name]).mean(),
            color="C1",
            linestyle="--",
        )
display.figure_.set_size_inches(10, 3.2)
