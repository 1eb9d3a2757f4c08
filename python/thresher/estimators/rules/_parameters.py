"""The parameters of the two rule estimators."""

from __future__ import annotations

from ...validation import Parameter, integer, number, words
from .._cut_points import bins_parameter
from .._parameters import MONOTONIC_CST, TABLE, convex_parameters, special_codes_parameter


def rule_parameters(*losses: str) -> dict[str, Parameter]:
    """Declare the parameters of rule estimators with some losses."""
    return {
        **convex_parameters("rule", "row", losses),
        **TABLE,
        "max_rules": Parameter(
            (integer(1), None),
            """The most rules of a model: the path ends with the strongest penalty whose next rule would be
            one too many. Linear terms are not counted: `linear=False` leaves them out, and `max_terms`
            counts both.""",
        ),
        "penalty_growth": Parameter(
            (number(0, closed="left"),),
            """Increase of a rule's penalty factor for each condition beyond the first, >= 0. 0 is the plain
            L1 norm; with the default the models are shorter and generalise better.""",
        ),
        "max_linear": Parameter(
            (integer(0), None), "Stop the path before a model has more linear terms than this."
        ),
        "max_terms": Parameter(
            (integer(1), None),
            "Stop the path before a model has more rules and linear terms together than this.",
        ),
        "group_sparsity": Parameter(
            (number(0, 1, closed="right"), None),
            """Fraction tau of the L1 norm in the group penalty over rules on the same columns, > 0 and <= 1.
            None and 1: no groups. With a smaller tau the model uses fewer sets of columns, and the search
            takes longer.""",
            hint="a number > 0 and <= 1, or None for no groups",
        ),
        "linear_penalty": Parameter((number(0),), "Factor on the penalty of the linear terms, > 0."),
        "max_features": Parameter(
            (words("auto"), integer(1), None),
            """The most conditions (columns) of a rule; None: no limit. "auto" compares 1, 2 and 3 on the
            folds that choose `alpha`, and takes 3 where these choose nothing, and of a small model.""",
        ),
        "bins": bins_parameter(
            """"auto": 5 to 12 quantile bins (fewer for more columns) and at most 6 supervised cut points;
            "supervised": the thresholds of small boosted trees.""",
            "auto",
            "supervised",
            others='the cut points of "auto"',
        ),
        "special_codes": special_codes_parameter(
            "A row with one is in no interval, and each code of the training rows is a condition of its own; "
            "linear terms replace codes by the mean."
        ),
        "linear": Parameter(
            ("boolean",),
            """Whether there are linear terms for numeric columns. They go on beyond the values of training,
            where rules stay as they are.""",
        ),
        "monotonic_cst": MONOTONIC_CST,
        "positive": Parameter(("boolean",), "Whether all coefficients must be >= 0."),
    }
