"""
Clinic: rules that a physician can check
========================================

For biostatisticians and physicians: a model for the ward has to be short, has to cope with tests that
nobody ordered, and has to answer *why is my rule not in it?* The patients are drawn. The truth: high
lactate with low pressure, age above 75, and fever are bad signs; where nobody ordered lactate, the patient
looked well.
"""
# sphinx_gallery_thumbnail_number = -1

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.calibration import calibration_curve
from sklearn.metrics import confusion_matrix, roc_auc_score

from thresher import RuleClassifier

rng = np.random.default_rng(0)
n = 3000
patients = pd.DataFrame(
    {
        "age": rng.integers(18, 95, n),
        "sex": rng.choice(["f", "m"], n),
        "temperature": rng.normal(37.2, 0.9, n).round(1),
        "pressure": rng.normal(118, 18, n).round(),
        "pulse": rng.normal(85, 15, n).round(),
        "lactate": rng.lognormal(0.5, 0.5, n).round(1),
    }
)
z = 2.2 * ((patients.lactate > 2) & (patients.pressure < 110)) + 1.0 * (
    patients.age > 75
)
z += 0.8 * (patients.temperature > 38.3) - 2.6
looks_well = rng.random(n) < np.where(z < -2, 0.5, 0.1)
patients.loc[looks_well, "lactate"] = np.nan
worsens = np.where(rng.random(n) < 1 / (1 + np.exp(-z)), "worse", "stable")
X, y, X_test, y_test = patients[:2000], worsens[:2000], patients[2000:], worsens[2000:]

# %%
# Which rules?
# ------------
#
# At most five, each for at least one patient in fifty. Missing values need no imputation: *is missing* is a
# condition.

model = RuleClassifier(
    max_rules=5,
    max_features=2,
    min_support=0.02,
    linear=False,
    bins=8,
    pos_label="worse",
).fit(X, y)
model.summary()

# %%
# Three of the four rules are the truth. The last one is not: chance put it there, and no certificate can
# know. :doc:`/guide/stability` counts how often a rule comes back on other halves of the patients.
#
# The certificate of a few rules is weaker than that of the convex model below. It says that no model of this
# cost has an objective below the bound, 14 % lower; and that for this loss an exchange of one rule could not
# be ruled out.
#
# How good is it on other patients?
# ---------------------------------
#
# The probabilities that drew the outcomes are the best that any model could know.

risk = model.predict_proba(X_test)[:, list(model.classes_).index("worse")]
best = roc_auc_score(y_test == "worse", z[2000:])
area = roc_auc_score(y_test == "worse", risk)
print(f"area under the ROC curve {area:.3f}, of the truth {best:.3f}")
alarm = np.where(risk > 0.2, "worse", "stable")
pd.DataFrame(
    confusion_matrix(y_test, alarm, labels=["worse", "stable"]),
    index=["became worse", "stayed stable"],
    columns=["alarm", "no alarm"],
)

# %%
# Why this patient?
# -----------------

print(model.explain(X_test.iloc[[int(risk.argmax())]])[0])

# %%
# Why is my rule not in the model?
# --------------------------------
#
# This is a question for the convex model, whose optimality conditions speak about every rule. ``price``
# gives the place of a rule that a colleague proposes, at the cut points of the fit; ``near_ties`` lists those
# that almost entered.

convex = RuleClassifier(
    alpha=0.01,
    max_features=2,
    min_support=0.02,
    linear=False,
    bins=8,
    pos_label="worse",
).fit(X, y)
print(convex.certificate_)
print(convex.price("temperature > 38.25"))
print(convex.price("temperature > 38"))
for tie in convex.near_ties()[:3]:
    print(tie)

# %%
# Are the probabilities right?
# ----------------------------
#
# Each point is a tenth of the test patients. Rules give few different probabilities, so some tenths
# coincide.

observed, predicted = calibration_curve(
    y_test == "worse", risk, n_bins=10, strategy="quantile"
)
figure, ax = plt.subplots(figsize=(4.6, 4.4))
ax.plot([0, 1], [0, 1], color="0.7", lw=1, label="right probabilities")
ax.plot(predicted, observed, "o-")
ax.set(
    xlabel="predicted risk",
    ylabel="fraction that became worse",
    xlim=(0, 0.8),
    ylim=(0, 0.8),
)
ax.legend()

# %%
# The rules for the wall of the ward:

model.plot_rules()

# %%
# More: :doc:`/guide/few-events`, :doc:`/guide/ten-rules`, :doc:`/guide/missing`, :doc:`/guide/questions`.
# Rules describe associations in these patients; they are no causes, and no advice on treatment.
