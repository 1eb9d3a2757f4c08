"""The problems behind `tests/cases`: each shows one thing and can be read at a glance."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from oracle.cases import Case
from oracle.rules import Language

NAN = math.nan


def number(values: Any, cuts: Any) -> dict[str, Any]:
    """A numeric column."""
    return {
        "kind": "numeric",
        "values": [float(v) for v in values],
        "cuts": [float(c) for c in cuts],
    }


def category(levels: list[str], codes: list[int]) -> dict[str, Any]:
    """A categorical column; -1 is missing."""
    return {"kind": "categorical", "levels": levels, "codes": codes}


def floats(values: Any) -> list[float]:
    """Plain floats."""
    return [float(v) for v in values]


def noise(seed: int, n: int) -> Any:
    """Values that look random and are short to write."""
    return np.round(np.random.default_rng(seed).normal(size=n), 2)


SQUARE = list(itertools.product([0, 1, 2, 3], repeat=2))
CORNERS = list(itertools.product([0, 1], repeat=3))
GROWING = [-2.0, -1.5, -1.0, -0.4, 0.1, 0.3, 0.9, 1.2, 1.7, 2.5]

CASES = [
    Case(
        "one_step",
        "a step at 2.5 that only a rule of one sign may take",
        "squared",
        0.05,
        [0, 0, 0, 1, 1, 1],
        [number(range(6), [0.5, 1.5, 2.5, 3.5, 4.5])],
        language=Language(positive=True, monotonic_cst=(1,), linear=False),
    ),
    Case(
        "two_readings_of_one_step",
        "x <= 2.5 and x > 2.5 do the same work: many optima, one objective",
        "squared",
        0.05,
        [0, 0, 0, 1, 1, 1],
        [number(range(6), [2.5])],
    ),
    Case(
        "box_in_the_plane",
        "the middle of a 4 x 4 grid is higher: one box, both its sides closed",
        "squared",
        0.02,
        [1.0 if a in (1, 2) and b in (1, 2) else 0.0 for a, b in SQUARE],
        [
            number([a for a, _ in SQUARE], [0.5, 1.5, 2.5]),
            number([b for _, b in SQUARE], [0.5, 1.5, 2.5]),
        ],
        language=Language(positive=True, linear=False),
    ),
    Case(
        "three_way_interaction",
        "only x0 and x1 and x2 together raise y; all three features may take part",
        "squared",
        0.01,
        [2.0 if sum(c) == 3 else 0.0 for c in CORNERS],
        [number([c[j] for c in CORNERS], [0.5]) for j in range(3)],
        language=Language(positive=True, linear=False),
    ),
    Case(
        "three_way_cut_to_two",
        "the same with at most two features a rule: pairs have to do",
        "squared",
        0.01,
        [2.0 if sum(c) == 3 else 0.0 for c in CORNERS],
        [number([c[j] for c in CORNERS], [0.5]) for j in range(3)],
        language=Language(max_features=2, positive=True, linear=False),
    ),
    Case(
        "long_rules_are_dear",
        "the same with a penalty that grows by a half with each further condition",
        "squared",
        0.01,
        [2.0 if sum(c) == 3 else 0.0 for c in CORNERS],
        [number([c[j] for c in CORNERS], [0.5]) for j in range(3)],
        language=Language(positive=True, penalty_growth=0.5, linear=False),
    ),
    Case(
        "line_and_step",
        "a line that the linear term takes and a step that a rule takes",
        "squared",
        0.03,
        floats(np.round(0.3 * np.arange(12) + (np.arange(12) >= 7), 2)),
        [number(range(12), [2.5, 4.5, 6.5, 8.5])],
        language=Language(linear=True, positive=True, monotonic_cst=(1,)),
    ),
    Case(
        "missing_is_the_signal",
        "y is high where x is missing: the rule is 'is missing'; the linear term is silent there",
        "squared",
        0.02,
        [0.0, 0.2, 0.1, 2.0, 0.3, 2.1, 0.2, 0.1],
        [number([1, 2, 3, NAN, 4, NAN, 5, 6], [1.5, 3.5])],
        language=Language(linear=True, positive=True),
    ),
    Case(
        "a_column_without_values",
        "a column that is missing throughout has no rule that tells rows apart and no linear term",
        "squared",
        0.05,
        [0, 1, 0, 1],
        [number([NAN] * 4, []), number([0, 1, 0, 1], [0.5])],
        language=Language(linear=True),
    ),
    Case(
        "not_this_level",
        "all levels but one, missing among them, have y = 1: 'is not blue'",
        "squared",
        0.02,
        [1, 0, 1, 1, 0, 1, 1, 0],
        [category(["red", "blue", "green"], [0, 1, 2, -1, 1, 0, -1, 1])],
        language=Language(positive=True, linear=False),
    ),
    Case(
        "two_levels_have_no_negation",
        "with two levels 'not a' would be 'b' twice, so there are two candidates and no more",
        "logistic",
        0.05,
        [1, 1, -1, -1, 1],
        [category(["a", "b"], [0, 0, 1, 1, 1])],
        language=Language(positive=True, linear=False),
    ),
    Case(
        "uneven_weights",
        "weights over four orders of magnitude move the intercept, the scale and the rules",
        "squared",
        0.004,
        floats(noise(1, 10)),
        [number(noise(2, 10), [-1.0, -0.3, 0.0, 0.4]), number(range(10), [2.5, 5.5])],
        weights=[0.01, 1, 100, 3, 0.5, 20, 7, 0.1, 1, 50],
        language=Language(linear=True, max_features=2),
    ),
    Case(
        "rows_of_weight_zero",
        "rows of weight 0 are as if absent: no level, no missing value, no support from them",
        "squared",
        0.03,
        [0, 1, 0, 1, 50, -70, 0.2],
        [
            number([0, 1, 0, 1, NAN, 9, 0], [0.5, 5.0]),
            category(["a", "b", "ghost"], [0, 1, 0, 1, 2, -1, 1]),
        ],
        weights=[1, 1, 2, 1, 0, 0, 1],
        language=Language(linear=True),
    ),
    Case(
        "logistic_box",
        "a box of positives",
        "logistic",
        0.02,
        [1.0 if a >= 2 and b <= 1 else -1.0 for a, b in SQUARE],
        [
            number([a for a, _ in SQUARE], [0.5, 1.5, 2.5]),
            number([b for _, b in SQUARE], [0.5, 1.5, 2.5]),
        ],
        language=Language(positive=True, max_features=2, linear=False),
    ),
    Case(
        "hinge_box",
        "the same with the squared hinge: rows beyond the margin have no say",
        "squared_hinge",
        0.02,
        [1.0 if a >= 2 and b <= 1 else -1.0 for a, b in SQUARE],
        [
            number([a for a, _ in SQUARE], [0.5, 1.5, 2.5]),
            number([b for _, b in SQUARE], [0.5, 1.5, 2.5]),
        ],
        language=Language(positive=True, max_features=2, linear=False),
    ),
    Case(
        "a_class_nearly_empty",
        "one positive in sixteen",
        "logistic",
        0.005,
        [1.0 if (a, b) == (3, 0) else -1.0 for a, b in SQUARE],
        [number([a for a, _ in SQUARE], [1.5, 2.5]), number([b for _, b in SQUARE], [0.5, 1.5])],
        language=Language(linear=True, max_features=2),
    ),
    Case(
        "up_and_down",
        "the model must grow with x0 and fall with x1, against part of the data",
        "squared",
        0.02,
        floats(noise(3, 10) + np.array(GROWING)),
        [number(GROWING, [-1.2, -0.1, 0.6, 1.5]), number(noise(4, 10), [-0.5, 0.2, 0.8])],
        language=Language(linear=True, monotonic_cst=(1, -1)),
    ),
    Case(
        "support_of_three",
        "the best box holds two rows, but rules need three",
        "squared",
        0.02,
        [0, 0, 3, 3, 0, 0, 1, 1],
        [number(range(8), [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5])],
        language=Language(min_support=3, linear=False),
    ),
    Case(
        "a_cut_on_a_value",
        "a value equal to a cut lies below it",
        "squared",
        0.05,
        [0, 0, 1, 1],
        [number([0, 1, 2, 3], [1.0])],
        language=Language(linear=False, positive=True),
    ),
    Case(
        "ties_and_duplicate_rows",
        "equal rows with different y: only their mean can be met",
        "squared",
        0.01,
        [0, 1, 0, 1, 2, 2, 3, 2],
        [number([0, 0, 0, 0, 1, 1, 1, 1], [0.5]), number([0, 0, 1, 1, 0, 0, 1, 1], [0.5])],
        language=Language(positive=True, linear=False),
    ),
    Case(
        "above_alpha_max",
        "a penalty above alpha_max leaves the intercept alone: the mean of y",
        "squared",
        1.0,
        [0, 0, 0, 1, 1, 1],
        [number(range(6), [0.5, 1.5, 2.5, 3.5, 4.5])],
        language=Language(linear=True),
    ),
    Case(
        "small_alpha",
        "a thousandth of alpha_max, nearly interpolating",
        "squared",
        0.0002,
        floats(noise(5, 12)),
        [number(noise(6, 12), [-1, -0.5, 0, 0.5, 1]), number(noise(7, 12), [-1, -0.5, 0, 0.5, 1])],
        language=Language(linear=True, max_features=2),
    ),
]
