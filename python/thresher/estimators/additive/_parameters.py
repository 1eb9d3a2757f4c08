"""The parameters of score cards."""

from __future__ import annotations

from ...validation import Parameter, integer, number, words
from .._cut_points import bins_parameter
from .._l0 import L0_PARAMETERS
from .._parameters import TABLE, special_codes_parameter
from ._bins_choice import COMPARED_BINS, MOST_BINS

RIDGES = (0.001, 0.01, 0.1, 1.0)
"""The ridge penalties among which the cross-validation chooses: a value of 1 costs a row that much."""
RIDGE = 0.01
"""The ridge penalty where nothing chooses one."""

ADDITIVE_PARAMETERS = {
    **L0_PARAMETERS,
    **TABLE,
    "lambda0": Parameter(
        (words("cv"), number(0, closed="left"), "array-like"),
        """Penalty for each step, > 0. "cv": the penalty of least held-out loss on an automatic path; a list:
        the best of these by cross-validation.""",
        '"cv", float or array-like of float',
        "'cv', a number > 0 (the penalty for a step), or a list of them",
    ),
    "bins": bins_parameter(
        f"""\"auto\": {", ".join(map(str, COMPARED_BINS[:-1]))} or {MOST_BINS} quantile bins. More and more of
        them are compared on the folds that choose the strength, as long as that lowers the held-out loss;
        {MOST_BINS} where no folds choose it. Columns of fewer values have a cut point in every gap.""",
        "auto",
    ),
    "special_codes": special_codes_parameter(
        "Each code of the training rows gets a step of its own or counts as a missing value, whichever gives "
        "the lower objective."
    ),
    "exclude": Parameter(
        (object,),
        """Columns that the model may not use. Their cells are not read: they may hold dates or anything else,
        and rows may lack them.""",
        "list of str or int, or None",
    ),
    "monotonic_cst": Parameter(
        (object,),
        """Trend of the function of each column of numbers (of two classes for the probability of class
        `pos_label`, by default the last one in sorted order): 1 (may only rise), -1 (may only fall), 0
        (free), "auto" (rises or falls, whichever is better), "peak" (rises, then falls), "valley" (falls,
        then rises), "convex" (no jump is below the one before: falls get smaller, then rises larger) or
        "concave" (no jump is above the one before). Missing values and special codes then have
        steps of their own, where the function has a step among the numbers.""",
        "array of -1, 0, 1, or words, dict of name: trend, or None",
    ),
    "max_steps": Parameter(
        (integer(0), None),
        """The most steps of a model. Where a penalty gives more, the model is the best one found with at most
        as many, whose steps are exchanged unless `max_swaps` is 0, and the path ends. A number `lambda0`
        below that end is replaced by the last one of the path, with a warning.""",
    ),
    "max_columns": Parameter(
        (integer(0), None),
        "The most columns of a model; others are tried in the place of each unless `max_swaps` is 0.",
    ),
    "min_bin_weight": Parameter(
        (number(0, closed="left"),),
        """The least total row weight of a piece. Missing values that share a piece count; those that are too
        light for a piece of their own share one; in a column with a trend they have one whatever they weigh.
        Rows with a special code do not count, and their own steps need none.""",
    ),
    "ridge": Parameter(
        (number(0, closed="left"), "array-like", None),
        f"""Penalty on the squared values g^2 of each function, weighted by the rows (for the exponential loss
        2 cosh(g) - 2 instead of g^2). For classifiers it mainly shrinks the values of pieces with rows of
        one class only. A list: the one of least held-out loss, chosen together with `lambda0`. None: one of
        {", ".join(map(str, RIDGES))} in the same way; {RIDGE} where `lambda0` is not chosen.""",
        "float, array-like of float or None",
        "a number >= 0, a list of them, or None",
    ),
    "gap_tol": Parameter(
        (number(0, closed="left"), None),
        """Relative gap of the certificate at which a branch and bound over the cut points ends; 0 proves the
        selected model optimal. None: the bound without branching. Needs `ridge` > 0, and a `time_limit` where
        the gap may be out of reach.""",
        "float or None",
        "a number >= 0 (the relative gap of the certificate), or None",
    ),
}
