"""Declarations of the parameters that several estimators have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..data.weights import n_of_weight
from ..formatting.docstrings import with_parts
from ..validation import Parameter, check, integer, number, parameters_section, words

_T = TypeVar("_T", bound=type)

STRATEGIES = ("working_set", "screening", "column_generation")

RUN = {
    "tol": Parameter((number(0, 1),), "The relative duality gap to reach, over all candidates."),
    "max_iter": Parameter((integer(1),), "The most iterations of the solver for each strength."),
    "time_limit": Parameter(
        (number(0, closed="right"), None),
        "Seconds after which the best model so far is returned with its true gap.",
        "float or None",
        "a number of seconds > 0, or None",
    ),
    "memory_limit": Parameter(
        (number(0), None),
        "The most memory of the fit, in bytes: 2e9 for two gigabytes.",
        hint="a number of bytes > 0 (2e9: two gigabytes), or None",
    ),
    "n_jobs": Parameter(
        (Integral, None),
        """Number of threads; None: all cores this process may use (at most
        OMP_NUM_THREADS where that is set). The results do not depend on it.""",
        "int or None",
        "a whole number, or None for all cores",
    ),
    "verbose": Parameter(
        (integer(0), "boolean"),
        """1: scikit-learn's progress bar in a terminal or notebook (with rich), else up to twenty lines
        for each part of the work through the logger ``thresher``; 2: a line for each step.""",
        "int",
    ),
}
"""Limits of a fit, threads and progress."""

CV = {
    "cv": Parameter(
        (object,),
        """Folds for cross-validation. A number: that many folds of rows shuffled in a fixed order,
        stratified by class for a classifier.""",
        "int, splitter or iterable of (train, test)",
    ),
    "one_standard_error": Parameter(
        ("boolean",),
        "Select the strongest penalty whose held-out loss is within one standard error of the least.",
    ),
}
"""Cross-validation."""

PATH = {
    "alpha": Parameter(
        (words("cv", "bic", "ebic"), number(0)),
        """Regularisation strength. "cv": the strength of least held-out loss on the path; "bic", "ebic": of
        least information criterion, on a path that ends below 0.4 of the best strength so far where the
        criterion is larger than anywhere since; or a number > 0. The papers' lambda is n * alpha.""",
    ),
    "n_alphas": Parameter((integer(1, 100_000),), "Number of strengths on the path."),
    "alpha_min_ratio": Parameter(
        (number(0, 1),), "Ratio of the smallest strength on the path to the largest, between 0 and 1."
    ),
    **CV,
}
"""The regularisation strength and its selection."""

CLASSES = {
    "class_weight": Parameter(
        (dict, words("balanced"), None),
        """Factors on the sample weights. "balanced": equal total weight of each class. Probabilities are then
        those of the reweighted rows, not of the population.""",
        'dict of label: factor, "balanced" or None',
        "'balanced', a dict of label: factor, or None",
    ),
    "pos_label": Parameter(
        (object,),
        """The positive class of two: coefficients, tables, plots and constraints refer to its score. It
        becomes ``pos_label_``; None: the last of ``classes_``.""",
        "label or None",
    ),
}
"""The parameters of classifiers."""

TABLE = {
    "categorical_features": Parameter(
        (object,),
        """The categorical columns. "from_dtype": those of strings, booleans and categorical dtypes. A list or
        mask is the whole choice: the other columns have to be numbers, and text in them is an error.""",
        '"from_dtype", list of names or positions, mask or None',
    ),
    "handle_unknown": Parameter(
        (words("error", "missing", "warn"),),
        """How to treat an unknown category in a column that the model uses: raise an error, or treat it as a
        missing value, with or without a warning.""",
    ),
}
"""The parameters of estimators over tables."""

MONOTONIC_CST = Parameter(
    (object,),
    """Monotonicity of the prediction in each column. Of two classes it is that of the probability of class
    `pos_label`, by default the last one in sorted order; of several, of the decision value of each class.""",
    "array of -1, 0, 1, dict of name: direction, or None",
)


def special_codes_parameter(meaning: str) -> Parameter:
    """Declare the special codes of numeric columns.

    Parameters
    ----------
    meaning : str
        What a code of the training rows is to the model.

    Returns
    -------
    Parameter
        The declaration.
    """
    return Parameter(
        (object,),
        f"""Numbers that stand for something else, such as -9999 for "no record": they take no part in the cut
        points. {meaning} A code that training did not see counts as missing. A dict gives the codes of single
        columns, a list those of every numeric column.""",
        "dict of name: codes, list of float or None",
    )


def convex_parameters(term: str, row: str, losses: Iterable[str]) -> dict[str, Parameter]:
    """Declare the parameters of the convex estimators.

    Parameters
    ----------
    term, row : str
        The nouns for a pattern and for a record.
    losses : iterable of str
        The losses of the task.

    Returns
    -------
    dict of str: Parameter
        The declarations.
    """
    return {
        **RUN,
        **PATH,
        "relax": Parameter(
            (words("cv"), number(0, 1, closed="right"), None),
            f"""Relaxed coefficients: (1 - relax) times those of the L1 solution plus relax times those of a
            refit of its terms with a small ridge penalty in place of the L1 penalty (1: the refit alone).
            "cv": the blend and the ridge penalty of least held-out loss, chosen together with `alpha`, among
            them the L1 solution. None: the L1 solution. The {term}s stay those of the L1 solution, and
            ``certificate_`` is of that solution.""",
        ),
        "penalty": Parameter(
            (words("auto", "l1", "l0"),),
            f""""l1": alpha times the coefficients' absolute values, over all {term}s at once. "l0": a best
            subset: of 0, 1, 2, ... terms (at most `max_{term}s` {term}s; 30 if that is None) those of least
            (1/n) sum_i v_i (loss_i + ridge sum_k (w_k x_ik)^2) with x_ik the values of the terms (linear ones
            centred), by a local search over all {term}s; ``certificate_`` says what is proven of them. "cv",
            "bic" and "ebic" then choose the number of terms; a number `alpha` is the least reduction of the
            mean loss for a term (times its factor c_k). `relax`, `n_alphas`, `alpha_min_ratio` and `strategy`
            are for "l1". "auto": with a limit of at most {SMALL} {term}s or terms the one of less held-out
            loss where `alpha` is chosen by cross-validation, "l0" with "bic" and "ebic"; "l0" with a `ridge`;
            "l1" otherwise, and where something is asked that is for "l1" alone.""",
        ),
        "ridge": Parameter(
            (number(1e-6, closed="left"), None),
            """Ridge penalty of a best subset, for ``penalty="l0"``, 1e-6 or more. None: one of 0.001 to 1,
            chosen together with `alpha` by the cross-validation; 0.01 where there is none.""",
        ),
        f"max_{term}s": Parameter(
            (integer(1), None),
            f"The most {term}s of a model: the path ends with the strongest penalty whose next {term} would "
            "be one too many.",
        ),
        "loss": loss_parameter(losses),
        "min_support": Parameter(
            (integer(1), number(0, 1)),
            f"Least support of a {term} in training: a number of {row}s, or a fraction between 0 and 1 of "
            f"their number. {row.capitalize()}s of weight 0 do not count, neither for a {term} nor for the "
            "whole; other weights are not looked at.",
        ),
        "closed": Parameter(
            ("boolean",),
            f"Use one of all {term}s with the same training {row}s; its ``equivalents`` lists others, up to "
            "5 rules or 20 patterns.",
        ),
        "strategy": Parameter((words(*STRATEGIES),), "Search strategy; all three give the same optimum."),
    }


SMALL = 30
"""The largest limit on the number of terms for which best subsets are the default: the largest measured."""

LOSSES = {"regression": ("squared", "huber"), "classification": ("logistic", "squared_hinge")}
"""The losses of the families with a duality gap over all patterns, by task."""

FORMULAS = {
    "squared": "(y - f)^2 / 2",
    "logistic": "log(1 + exp(-y f))",
    "squared_hinge": "max(0, 1 - y f)^2 / 2",
    "hinge": "max(0, 1 - y f)",
    "exponential": "exp(-y f)",
    "huber": "(y - f)^2 / 2 up to |y - f| = delta and linear beyond",
}
HUBER_DELTA = 1.35
"""Threshold between the quadratic and the linear part of Huber's loss, in units of the noise's
standard deviation: 95 % as efficient as least squares where the noise is normal (Huber, "Robust
estimation of a location parameter", 1964)."""


def loss_parameter(losses: Iterable[str], *, probabilities: str = "Only the logistic loss has") -> Parameter:
    """Declare the parameter `loss`, with the formulas of the losses allowed."""
    losses = tuple(losses)
    text = "The loss: " + ", ".join(FORMULAS[name] for name in losses) + "."
    if "logistic" in losses:
        text = f"{text[:-1]}, with y in {{-1, +1}}. {probabilities} probabilities."
    if "huber" not in losses:
        return Parameter((words(*losses),), text)
    kinds = ", ".join(f'"{name}"' for name in losses)
    return Parameter(
        (words(*losses), tuple),
        f"""{text} "huber" is ("huber", {HUBER_DELTA}); delta is in the units of y, {HUBER_DELTA} times the
        standard deviation of the noise being the usual choice. It does not estimate the mean: where `y` is
        skewed, as amounts of money are, sums of predictions are too low.""",
        f'{{{kinds}}} or ("huber", delta)',
        " or ".join([*map(repr, losses), "('huber', delta) with a delta > 0"]),
    )


def loss_of(value: str | tuple[str, float], losses: Iterable[str]) -> str | dict[str, dict[str, float]]:
    """Return a loss as the core expects it, with its parameter.

    Parameters
    ----------
    value : str or ("huber", delta)
        The loss.
    losses : iterable of str
        The losses of the task.

    Returns
    -------
    str or dict
        The name; for Huber's loss a dict with its delta.

    Raises
    ------
    TypeError, ValueError
        If it is not one of the losses.
    """
    declared = loss_parameter(losses)
    declared.check("loss", value)
    if isinstance(value, tuple) and (len(value) != 2 or value[0] != "huber"):
        check("loss", value, hint=declared.hint)
    if value != "huber" and isinstance(value, str):
        return value
    delta = HUBER_DELTA if isinstance(value, str) else value[1]
    check("loss ('huber', delta)", delta, number(0))
    return {"huber": {"delta": float(delta)}}


def public_estimator(cls: _T) -> _T:
    """Complete an estimator: docstring and constraints from its declarations.

    Parameters
    ----------
    cls : type
        A class with ``_parameters`` and a docstring with the placeholder ``{parameters}``.

    Returns
    -------
    type
        The same class.
    """
    names = cls._get_param_names()  # type: ignore[attr-defined]
    declared: Mapping[str, Parameter] = cls._parameters  # type: ignore[attr-defined]
    cls._parameter_constraints = {name: list(declared[name].allowed) for name in names}  # type: ignore[attr-defined]
    return with_parts(parameters=parameters_section(cls))(cls)


def count_support(
    parameters: dict[str, Any], weights: NDArray[np.float64] | None, n_rows: int, noun: str
) -> None:
    """Convert `min_support` in the parameters of the core to a number of rows, where there is one.

    Parameters
    ----------
    parameters : dict
        The parameters, changed in place.
    weights : ndarray of shape (n_rows,) or None
        The weights of the rows; those of weight 0 do not count.
    n_rows : int
        The number of rows.
    noun : str
        The noun for the rows, in the plural.

    Raises
    ------
    ValueError
        If there are fewer rows.

    Examples
    --------
    >>> parameters = {"min_support": 0.1}
    >>> count_support(parameters, np.repeat([1.0, 0.0], [30, 10]), 40, "rows")
    >>> parameters
    {'min_support': 3}
    """
    limits = parameters.get("language", parameters)
    if "min_support" not in limits:
        return
    least = limits["min_support"]
    if least > n_rows:
        raise ValueError(f"min_support: got {least!r}; X has {n_rows} {noun}; give at most that many")
    limits["min_support"] = rows_for(least, n_of_weight(weights, n_rows))


def rows_for(min_support: float, n_rows: int) -> int:
    """Return the least number of rows that `min_support` asks for, of `n_rows` of weight above 0."""
    if min_support < 1:
        return max(1, int(np.ceil(min_support * n_rows - 1e-9)))  # in floating point 0.1 * 30 > 3
    return int(min_support)
