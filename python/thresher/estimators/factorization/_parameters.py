"""The parameters of factorization machines: declarations and conversion for the core."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _native
from ...validation import Parameter, integer, number, numbers, words
from .._parameters import CV, RUN, TABLE, loss_of, loss_parameter
from .._training import PathRequest

PENALTIES = ("l1", "l21", "ti", "cs", "omega_ti", "omega_cs")
STOCHASTIC = ("psgd", "adagrad")
SOLVERS = ("pcd", "pbcd", "fista", *STOCHASTIC)
LOSSES = {
    "regression": ("squared", "huber"),
    "classification": ("logistic", "squared_hinge", "squared"),
}

_FIXED_STRENGTH = {"regression": 0.01, "classification": 0.003}

_RUN = {name: RUN[name] for name in ("n_jobs", "verbose")}
_AT_LEAST_0 = (number(0, closed="left"),)


def machine_parameters(task: str) -> dict[str, Parameter]:
    """Declare the parameters of factorization machines for a regression or a classification."""
    return {
        **_RUN,
        **TABLE,
        **_MODEL,
        **CV,
        **_SOLVER,
        "loss": loss_parameter(LOSSES[task], probabilities="All have"),
        "time_limit": RUN["time_limit"].but(text="Seconds after which the current model is returned."),
        "memory_limit": RUN["memory_limit"],
    }


_MODEL = {
    "order": Parameter(
        (integer(2, 6), words("all")),
        """The largest number of features that interact, 2 to 6; "all": the all-subsets model,
        sum_s prod_j (1 + x_j p_js).""",
        'int or "all"',
        "a whole number from 2 to 6, or 'all' (all subsets)",
    ),
    "rank": Parameter(
        (integer(1), words("auto")),
        """Number of components of each factor. "auto" compares 2, 4, 8, 16 and 30 with the strengths, the
        next one as long as the held-out loss falls; it is 30 where no strengths are compared, and that of the
        model where a fit goes on from one.""",
        'int or "auto"',
        "a whole number >= 1, or 'auto' (chosen with alpha)",
    ),
    "penalty": Parameter(
        (words(*PENALTIES), None),
        """Sparse penalty on the factors. "ti", sum_s ||p_s||_1^m over the components, selects interactions;
        "cs", (sum_j ||p_j||_2)^m over the features, selects features; "omega_ti" and "omega_cs" omit the
        terms of single features. "l1" and "l21" are the plain norms. None: a dense machine.""",
    ),
    "l2_linear": Parameter(
        (words("auto"), *_AT_LEAST_0),
        """Ridge penalty of the linear term. "auto": where `alpha` is compared, the one of least held-out loss
        without interactions among 0.001, 0.01, 0.1 and 1, or 0.001, 0.0001 and 0.00001, on the same folds
        (of those within a standard error the nearest to 0.001), then of 0.001, 0.01 and so on the first
        that has less held-out loss with the interactions; else 0.001.""",
        'float or "auto"',
        "'auto', or a number >= 0",
    ),
    "l2_factors": Parameter(
        (words("auto"), *_AT_LEAST_0),
        """Ridge penalty of the factors. "auto": where `alpha` is compared, without `one_standard_error`,
        0.0001, and 0.0003, 0.001 and so on, or 0.00003 and 0.00001, as long as the held-out loss falls; else
        0.0001. Users and items of few rows each, and clicks more than stars, need 0.0002 to 0.0005; too
        large a number makes all factors 0.""",
        'float or "auto"',
        "'auto', or a number >= 0",
    ),
    "alpha": Parameter(
        (words("cv"), *_AT_LEAST_0),
        """Regularisation strength of `penalty`. "cv": the one of least held-out loss among 0.3, 0.095, 0.03
        and so on, until the loss rises; with `early_stopping` on the rows that are held out for it.
        `partial_fit` and `n_interactions` begin with this number; where it is "cv" with 0.01, for classes
        with 0.003.""",
        'float or "cv"',
        "'cv', or a number >= 0",
    ),
    "n_interactions": Parameter(
        (integer(1), None),
        """Target number of interactions: bisection over the strength until the number is at most 1 % below
        or 3.5 % above (below 29 exactly); where no strength tried has such a number, the nearest, with a
        warning that says how many. In a table with categories, chance products of numbers enter at larger
        strengths than products of levels: a small number may select these alone, where ``alpha="cv"`` goes
        on to smaller strengths.""",
    ),
    "refit": Parameter(
        ("boolean", *_AT_LEAST_0),
        """Refit the non-zero entries without `penalty`, which shrinks them: with the ridge `l2_factors`
        (True), or the one given, such as 0.001; 0.0001 for ``l2_factors="auto"``. A large ridge shrinks more
        than the penalty; a warning says so where the training loss rises.""",
    ),
    "fit_lower": Parameter(
        (words("explicit", "augment", "none"),),
        """The orders below `order`: a factor for each, columns of ones through which one factor represents
        all of them, or none.""",
    ),
    "fit_linear": Parameter(("boolean",), "Whether there is a linear term."),
    "fit_intercept": Parameter(("boolean",), "Whether there is an intercept."),
    "standardize": Parameter(
        ("boolean",),
        """Whether the penalties apply to the parameters of standardised columns and, in regressions, of a
        target of variance 1. A dense column is centred and divided by its standard deviation; one that is
        mostly 0, or takes a single other value, is divided by the root mean square of its other values, so
        that 0/1 columns stay as they are. Only models of pairs (`order=2`) with a linear term and an
        intercept centre columns. Coefficients and factors are those of the columns as given, less
        ``centers_``, which is 0 for columns whose means are not far from 0 beside their spread.""",
    ),
    "signs": Parameter(
        (words("positive", "random"),),
        """Signs of the components: all 1, or drawn. With signs a small rank can represent coefficients of
        both signs more easily.""",
    ),
}

_SOLVER = {
    "solver": Parameter(
        (words("auto", *SOLVERS),),
        """"pcd" (coordinate descent by entries), "pbcd" (by rows), "fista" (gradients of all rows), "psgd",
        "adagrad" (of batches of rows). "auto": by rows for the penalties on rows, else by entries. The first
        two need no step size and are by far the fastest on sparse data. "pbcd" supports penalties on rows,
        "pcd" those on entries; "fista" and "psgd" support "ti", "cs", "l1" and "l21", "adagrad" none
        (give ``penalty=None``).""",
        "str",
    ),
    "max_iter": Parameter((integer(1),), "The most passes over the data."),
    "tol": Parameter(
        _AT_LEAST_0, "The fit ends when the total change of the parameters in an epoch is below this."
    ),
    "init_scale": Parameter((number(0),), "Standard deviation of the initial factors."),
    "batch_size": Parameter(
        (integer(1), None),
        """Rows in a batch of the stochastic solvers; None: such that a batch has as many non-zero entries
        as `X` has columns.""",
    ),
    "learning_rate": Parameter(
        (number(0), None), "Initial step size of the stochastic solvers; None: found by trial."
    ),
    "early_stopping": Parameter(("boolean",), "Hold rows out and return the model of least loss on them."),
    "validation_fraction": Parameter((number(0, 1),), "Fraction of the rows held out for early stopping."),
    "n_iter_no_change": Parameter((integer(1),), "Epochs without improvement after which the fit stops."),
    "warm_start": Parameter(("boolean",), "Whether `fit` starts from the current model."),
    "random_state": Parameter(
        ("random_state",),
        "Seed of the initial factors, signs, batches and held-out rows.",
        "int, RandomState or None",
        "a whole number, a RandomState or None",
    ),
}


def core_parameters(estimator: Any, seed: int, path: PathRequest | None) -> dict[str, Any]:
    """Return the parameters as the core expects them.

    Parameters
    ----------
    estimator : estimator
        The estimator, with checked parameters.
    seed : int
        The seed of all random numbers.
    path : PathRequest or None
        The strengths of a path, if any.

    Returns
    -------
    dict
        The parameters.
    """
    same = (
        "fit_lower", "fit_linear", "fit_intercept", "standardize", "max_iter",
         "tol", "init_scale", "batch_size", "time_limit",
    )  # fmt: skip
    return {
        **{name: getattr(estimator, name) for name in same},
        "loss": loss_of(estimator.loss, LOSSES[estimator._task]),
        "order": None if estimator.order == "all" else estimator.order,
        "random_signs": estimator.signs == "random",
        **{name: _number(getattr(estimator, name)) for name in ("rank", "l2_linear", "l2_factors")},
        "penalty": "none" if estimator.penalty is None else estimator.penalty,
        "alpha": _strength(estimator, path),
        "refit": _refit(estimator),
        "solver": _solver(estimator),
        "step": estimator.learning_rate,
        "patience": estimator.n_iter_no_change if estimator.early_stopping else None,
        "seed": seed,
        "memory_limit": estimator.memory_limit,
    }


def _number(value: Any) -> Any:
    """Return a number as it is, and None for "auto"."""
    return None if isinstance(value, str) else value


def strength_of(estimator: Any) -> float:
    """Return the number that `alpha` is, or stands for where nothing is compared.

    Parameters
    ----------
    estimator : estimator
        The estimator, with checked parameters.

    Returns
    -------
    float
        The strength.
    """
    is_given = not isinstance(estimator.alpha, str)
    return float(estimator.alpha) if is_given else _FIXED_STRENGTH[estimator._task]


def _strength(estimator: Any, path: PathRequest | None) -> dict[str, Any]:
    if path is not None:
        return {"kind": "values", "values": numbers("alphas", path.strengths, zero=True)}
    number = strength_of(estimator)
    if estimator.n_interactions is not None:
        if estimator.penalty is None:
            raise ValueError("n_interactions: without a penalty all features interact; give penalty='ti'")
        return {"kind": "interactions", "count": estimator.n_interactions, "start": number}
    if estimator.alpha == "cv" and estimator.penalty is not None:
        return {"kind": "cv", "one_standard_error": estimator.one_standard_error, "fallback": number}
    return {"kind": "values", "values": [number]}


def _refit(estimator: Any) -> float | None:
    if isinstance(estimator.refit, (bool, np.bool_)):
        ridge = _native.FACTOR_RIDGE if estimator.l2_factors == "auto" else estimator.l2_factors
        return float(ridge) if estimator.refit else None
    return float(estimator.refit)


def _solver(estimator: Any) -> str:
    if estimator.solver == "adagrad" and estimator.penalty is not None:
        raise ValueError(
            f"solver: 'adagrad' has no step for penalty={estimator.penalty!r}; give penalty=None, or "
            "solver='psgd', which learns in batches with 'ti', 'cs', 'l1' and 'l21'"
        )
    if estimator.solver != "auto":
        return str(estimator.solver)
    return "pbcd" if estimator.penalty in ("l21", "cs", "omega_cs") else "pcd"
