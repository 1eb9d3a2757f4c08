"""
Insurance: a tariff for frequency and severity
==============================================

For actuaries: most policies have no claim, and claims are skewed. The usual split works here, too: how
often (counts by exposure) and how much (logarithm of the claim). Both models are tables. The policies are
drawn from a tariff that the models should find: factor 2 below 25 years, 1.5 in the city; claims of heavy
cars cost 1.6 times as much.
"""
# sphinx_gallery_thumbnail_number = -1

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import PoissonRegressor
from sklearn.metrics import mean_poisson_deviance
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from thresher import L0AdditiveRegressor

rng = np.random.default_rng(0)


def draw(n):
    """Policies with exposure in years, number of claims and mean claim."""
    policies = pd.DataFrame(
        {
            "age": rng.integers(18, 85, n),
            "region": rng.choice(["city", "country", "suburb"], n, p=[0.3, 0.4, 0.3]),
            "weight": rng.normal(1400, 250, n).round(-1),
            "colour": rng.choice(["red", "blue", "grey"], n),
        }
    )
    exposure = rng.uniform(0.2, 1.0, n)
    rate = (
        0.10
        * np.where(policies.age < 25, 2.0, 1.0)
        * np.where(policies.region == "city", 1.5, 1.0)
    )
    counts = rng.poisson(rate * exposure)
    size = 2000 * np.where(policies.weight > 1600, 1.6, 1.0) * rng.lognormal(0, 0.8, n)
    return policies, exposure, counts, size


policies, exposure, counts, size = draw(30_000)
print(
    f"{(counts > 0).mean():.1%} of the policies have a claim; "
    f"the mean claim is {size[counts > 0].mean():,.0f}, "
    f"the median {np.median(size[counts > 0]):,.0f}"
)

# %%
# How often?
# ----------
#
# The target is claims per year, the weight of a row its exposure. With the squared loss the prediction of a
# cell is its number of claims over its years: what a tariff calls the claim frequency, slightly shrunken
# towards the mean. So the total is kept: predicted and observed claims agree on the training rows. Exposure
# is in years: whole numbers of days would count as that many equal rows in the tests of columns of many
# categories. Divide them by 365, or by their mean.

frequency = L0AdditiveRegressor(bins=100)  # more than there are ages
frequency.fit(policies, counts / exposure, sample_weight=exposure)
frequency.score_card()

# %%
predicted = frequency.predict(policies)
print(f"claims: {counts.sum()}, predicted: {(predicted * exposure).sum():.0f}")

# %%
# How much?
# ---------
#
# On the logarithm, effects multiply: ``exp`` of an effect is the factor of the tariff. The colour has no
# step.

has_claim = counts > 0
severity = L0AdditiveRegressor(bins=40, one_standard_error=True)
severity.fit(policies[has_claim], np.log(size[has_claim]))
for function in severity.shape_functions_:
    for step in function.steps:
        print(f"{step.text:28} factor {np.exp(step.value):.2f}")

# %%
# The mean of a lognormal claim is above ``exp`` of its mean logarithm. One factor, the same for all,
# restores the total:

raw = np.exp(severity.predict(policies[has_claim]))
smearing = size[has_claim].sum() / raw.sum()
premium = frequency.predict(policies) * np.exp(severity.predict(policies)) * smearing
print(
    f"factor {smearing:.2f}; premiums {premium.min():.0f} to {premium.max():.0f} a year"
)

# %%
# Is it better than what we have?
# -------------------------------
#
# Beside a Poisson regression with classes of ten years, on policies of the next year:

X_new, exposure_new, counts_new, _ = draw(30_000)


def in_classes(table):
    """Columns of a classical tariff: ages in classes of ten years."""
    return pd.DataFrame(
        {
            "age": (table.age // 10).astype(str),
            "region": table.region,
            "weight": (table.weight // 200).astype(str),
            "colour": table.colour,
        }
    )


glm = make_pipeline(
    OneHotEncoder(handle_unknown="ignore"), PoissonRegressor(alpha=1e-4, max_iter=1000)
)
glm.fit(
    in_classes(policies), counts / exposure, poissonregressor__sample_weight=exposure
)
truth = (
    0.10
    * np.where(X_new.age < 25, 2.0, 1.0)
    * np.where(X_new.region == "city", 1.5, 1.0)
)
for name, rate in {
    "constant": np.full(len(X_new), counts.sum() / exposure.sum()),
    "Poisson regression": glm.predict(in_classes(X_new)),
    "steps (Thresher)": np.maximum(frequency.predict(X_new), 1e-3),
    "the truth": truth,
}.items():
    deviance = mean_poisson_deviance(
        counts_new / exposure_new, rate, sample_weight=exposure_new
    )
    print(f"{name:20} Poisson deviance {deviance:.4f}")

# %%
# The two tariffs by age (mean over the other columns), and the true one:

ages = np.arange(18, 85)
figure, ax = plt.subplots(figsize=(7.5, 4))
by_age = X_new.assign(
    glm=glm.predict(in_classes(X_new)), steps=frequency.predict(X_new), truth=truth
)
means = by_age.groupby("age")[["glm", "steps", "truth"]].mean()
ax.step(
    means.index,
    means.glm,
    where="mid",
    label="Poisson regression, classes of ten years",
    color="0.6",
)
ax.step(means.index, means.steps, where="mid", label="steps (Thresher)", lw=2)
ax.step(means.index, means.truth, where="mid", label="truth", ls="--", color="C1")
ax.set(xlabel="age", ylabel="claims a year", ylim=(0, None))
ax.legend()

# %%
# There is no Poisson or gamma loss: the squared loss with weights keeps totals, and an additive frequency
# has no log link. Where factors must multiply, fit the logarithm as above. More: :doc:`/guide/additive`.
