"""Columns of numbers of many kinds, without and with numbers that stand for missing values."""

import numpy as np


def _of_scores(r, n):
    return np.clip(r.normal(650, 90, n).round(), 300, 850)


DRAWN = {
    "normal": lambda r, n: r.normal(size=n),
    "normal, far from 0": lambda r, n: r.normal(500, 60, n).round(1),
    "rounded normal": lambda r, n: r.normal(5, 2, n).round(),
    "score of 300 to 850": _of_scores,
    "score of few rows": lambda r, n: _of_scores(r, n // 3 + 1).repeat(3)[:n],
    "ages": lambda r, n: r.integers(18, r.choice([70, 90, 98]), n).astype(float),
    "ages, few old": lambda r, n: (18 + r.gamma(3, 9, n)).round(),
    "years": lambda r, n: r.integers(1930, 2024, n).astype(float),
    "percent": lambda r, n: r.integers(0, 101, n).astype(float),
    "share": lambda r, n: r.beta(0.7, 2, n).round(2),
    "income": lambda r, n: r.lognormal(10, 0.7, n).round(),
    "income in thousands": lambda r, n: r.lognormal(3.6, 0.6, n).round(1),
    "income to the thousand": lambda r, n: r.lognormal(10.5, 0.8, n).round(-3),
    "amount, many 0": lambda r, n: np.where(r.random(n) < 0.5, 0.0, r.lognormal(5, 1.2, n).round()),
    "count": lambda r, n: r.poisson(r.choice([0.4, 2.0, 8.0, 60.0]), n).astype(float),
    "geometric": lambda r, n: r.geometric(r.choice([0.1, 0.4]), n) - 1.0,
    "months": lambda r, n: r.integers(0, 240, n).astype(float),
    "terms": lambda r, n: r.choice([6, 12, 24, 36, 48, 60, 72, 84], n).astype(float),
    "grades": lambda r, n: r.integers(1, r.choice([4, 6, 11]), n).astype(float),
    "heavy tail": lambda r, n: (10 * r.pareto(1.5, n)).round(),
    "utilisation, capped": lambda r, n: np.minimum(r.gamma(2, 30, n).round(), 150.0),
    "count, capped at 99": lambda r, n: np.minimum(r.gamma(2, 20, n).round(), 99.0),
    "balance of both signs": lambda r, n: r.laplace(0, 500, n).round(),
    "change of -3 to 3": lambda r, n: r.integers(-3, 4, n).astype(float),
    "trend of -1, 0, 1": lambda r, n: r.choice([-1.0, 0.0, 1.0], n),
    "temperature": lambda r, n: r.normal(9, 8, n).round(),
    "two modes": lambda r, n: np.where(r.random(n) < 0.5, r.normal(20, 2, n), r.normal(60, 5, n)).round(),
    "spend, mostly small": lambda r, n: r.exponential(40, n).round(),
    "wage, some 0": lambda r, n: np.where(r.random(n) < 0.1, 0.0, r.lognormal(10, 0.4, n).round()),
    "rent, some 0": lambda r, n: np.where(r.random(n) < 0.3, 0.0, r.normal(500, 80, n).round(2)),
    "count, mostly 0": lambda r, n: np.where(r.random(n) < 0.9, 0.0, r.negative_binomial(1, 0.05, n)),
    "log-normal": lambda r, n: r.lognormal(0, r.choice([0.5, 1.0, 2.0]), n).round(2),
    "ratings": lambda r, n: r.choice([1.0, 2, 3, 4, 5], n, p=[0.02, 0.03, 0.15, 0.3, 0.5]),
    "prices": lambda r, n: np.floor(r.lognormal(3, 0.8, n)) + 0.99,
    "round amounts": lambda r, n: r.choice([100.0, 200, 250, 500, 1000, 2000, 5000, 20000], n),
}
MEASURED = {
    "temperature": lambda r, n: r.uniform(24, 37, n).round(1),
    "voltage": lambda r, n: r.normal(230, 3, n).round(1),
    "laboratory": lambda r, n: r.lognormal(1, 0.3, n).round(2),
    "normal": lambda r, n: r.normal(size=n),
    "amount": lambda r, n: r.lognormal(5, 1, n).round(2),
}
CODES_OF_DEVICES = [-40.0, -273.15, -1000.0, 0.0, 85.0, 500.0, 32767.0, 65535.0, 1e6, 1e9]

MARKS = [
    [-1],
    [-9],
    [-99],
    [-999],
    [-9999],
    [998],
    [999],
    [9998],
    [9999],
    [99999],
    [9999999],
    [-9998, -9999],
    [998, 999],
    [996, 997, 998],
    [-1, 999],
    [-7, -8, -9],
    [-9999, 9999],
]


def plain(r):
    """Draw the name and the values of a column without marks."""
    name = str(r.choice(list(DRAWN)))
    values = DRAWN[name](r, int(r.choice([60, 200, 1000, 5000])))
    return name, np.where(r.random(values.size) < r.choice([0.0, 0.1]), np.nan, values)


def marked(r):
    """Draw a column, and marks that are none of its values nor between them, in some of its rows."""
    while True:
        name, values = plain(r)
        marks = MARKS[r.integers(len(MARKS))]
        low, high = np.nanmin(values), np.nanmax(values)
        if all(mark > high or mark < low for mark in marks):
            break
    rows = r.permutation(values.size)
    start = 0
    for mark in marks:
        n = max(4, int(values.size * r.choice([0.005, 0.02, 0.1, 0.3])))
        values[rows[start : start + n]] = mark
        start += n
    return name, values, marks


def with_code(r):
    """Draw a measured column with a code of any digits in some rows, far from its values."""
    values = MEASURED[str(r.choice(list(MEASURED)))](r, int(r.choice([60, 200, 1000, 5000])))
    low, high = values.min(), values.max()
    far = 2 * (high - low)
    code = r.choice([code for code in CODES_OF_DEVICES if code > high + far or code < low - far])
    n = max(4, int(values.size * r.choice([0.005, 0.02, 0.1, 0.3])))
    values[r.permutation(values.size)[:n]] = code
    return values, code
