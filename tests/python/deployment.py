"""Loans with missing values, special codes and categories, and rows to score that training never saw."""

import numpy as np
import pandas as pd

CODES = {"income": [-9999, 998], "age": [-1, -7]}
"""-7 does not occur in training."""

HOMES = ["own", "rent", "with family, paying", "it's complicated", ""]
NUMBERS = ["age", "income", "debt", "arrears"]
MISSING = 0.08


def loans(n_rows, seed):
    """A table of loans, and the log-odds of an arrear."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows).astype(float),
            "income": rng.lognormal(3.6, 0.5, n_rows).round(1),
            "debt": rng.gamma(2.0, 0.2, n_rows).round(2),
            "arrears": rng.poisson(0.4, n_rows).astype(float),
            "home": rng.choice(HOMES, n_rows).astype(object),
            "employed": rng.choice([True, False], n_rows).astype(object),
        }
    )
    z = 1.2 * (X["age"] < 30) - 1.1 * (X["income"] > 45) + 0.8 * (X["home"] == "rent") - 0.4
    z += 1.5 * ((X["debt"] > 0.4) & (X["employed"] == False)) + 0.5 * X["arrears"]  # noqa: E712
    for name in X:
        X.loc[rng.random(n_rows) < MISSING, name] = np.nan if name in NUMBERS else None
    for name, code, effect in [("income", -9999, 1.5), ("income", 998, -1.0), ("age", -1, 2.0)]:
        rows = rng.random(n_rows) < MISSING
        X.loc[rows, name] = code
        z[rows] += effect
    return X, z.to_numpy()


def new_loans(n_rows, seed, cuts):
    """Rows with unseen categories and codes, numbers on or beside `cuts`; which rows have such numbers."""
    rng = np.random.default_rng(seed)
    X, _ = loans(n_rows, seed)
    X.loc[rng.random(n_rows) < 0.05, "home"] = "a boat"
    X.loc[rng.random(n_rows) < 0.05, "age"] = -7
    is_on_cut = np.zeros(n_rows, dtype=bool)
    for name in NUMBERS:
        if not cuts[name]:
            continue
        on = rng.random(n_rows) < 0.1
        X.loc[on, name] = rng.choice(cuts[name], int(on.sum()))
        beside = on & (rng.random(n_rows) < 0.5)
        X.loc[beside, name] = np.nextafter(X.loc[beside, name], rng.choice([-1e9, 1e9], int(beside.sum())))
        is_on_cut |= on
    return X, is_on_cut
