"""
A card in points, its reasons, and its monitoring
=================================================

From a table of loans to the card of a bank: points, the reasons of a decision, and an alarm when the
applicants change.
"""
# sphinx_gallery_thumbnail_number = -1

import numpy as np
import pandas as pd

from thresher import L0AdditiveClassifier

rng = np.random.default_rng(0)


def draw_loans(n, income=3.6):
    """Applicants, and whether they will pay; `income` moves the whole distribution."""
    loans = pd.DataFrame(
        {
            "age": rng.integers(18, 75, n),
            "income": rng.lognormal(income, 0.5, n).round(1),
            "home": rng.choice(["own", "rent", "family"], n, p=[0.5, 0.4, 0.1]),
            "arrears": rng.poisson(0.3, n),
        }
    )
    z = (
        0.9 * (loans.age < 27)
        + 0.7 * (loans.home == "rent")
        - 0.8 * (loans.income > 45)
    )
    z += 1.2 * (loans.arrears > 0) - 2.4
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-z)), "bad", "good")
    loans.loc[rng.random(n) < 0.1, "income"] = np.nan  # not stated
    return loans, outcome


loans, outcome = draw_loans(3000)
model = L0AdditiveClassifier(
    pos_label="bad", one_standard_error=True, monotonic_cst={"income": -1}
).fit(loans, outcome)
card = model.scaled_card(pdo=20, base_score=600, base_odds=50)
card

# %%
# 600 points are odds of 50 good loans to a bad one, and 20 points double the odds. Why does an applicant
# have few points?

worst = loans.loc[[card.score(loans).argmin()]]
print(card.reasons(worst, n=3))

# %%
# A year later: incomes have risen by a third. ``monitor`` compares the applicants with those of training.

later, _ = draw_loans(2000, income=3.9)
monitoring = card.monitor(loans, later)
monitoring

# %%
monitoring.plot()

# %%
# The card:

card.plot()
