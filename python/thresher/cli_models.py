"""The kinds of model that the command line fits: their options, and what is read off a fitted one."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from .additive import L0AdditiveClassifier, L0AdditiveRegressor
from .frames import Columns
from .l0 import L0Classifier, L0Regressor
from .l0.base import L0Base
from .rules import RuleClassifier, RuleRegressor

_RUN = ("loss", "time_limit", "n_jobs", "verbose", "one_standard_error")
_PRICES = (*_RUN, "lambda0", "lambda2")
_ESTIMATORS: dict[str, tuple[Any, Any, tuple[str, ...]]] = {
    "rules": (
        RuleClassifier,
        RuleRegressor,
        (*_RUN, "alpha", "max_features", "max_rules", "min_support", "bins", "linear", "categorical"),
    ),
    "additive": (
        L0AdditiveClassifier,
        L0AdditiveRegressor,
        (*_PRICES, "max_steps", "max_columns", "max_thresholds", "min_bin_weight", "ridge", "categorical"),
    ),
    "l0": (L0Classifier, L0Regressor, (*_PRICES, "max_nonzero")),
}
KINDS = tuple(_ESTIMATORS)


def _lambda0(text: str) -> Any:
    return text if text == "cv" else float(text)


def _strength(text: str) -> str | float:
    return text if text in ("cv", "bic", "ebic") else float(text)


def _bins(text: str) -> Any:
    if text in ("auto", "supervised"):
        return text
    return None if text == "midpoints" else int(text)


def add_options(fit: argparse.ArgumentParser) -> None:
    """Declare the options of all kinds; one that is not given is not in the namespace.

    Parameters
    ----------
    fit : ArgumentParser
        The command.
    """
    every, rules, additive, linear = (
        fit.add_argument_group(title)
        for title in (
            "every model",
            "rules (--model rules)",
            "step functions (--model additive)",
            "few coefficients (--model l0)",
        )
    )

    def option(group: Any, *names: str, **how: Any) -> None:
        group.add_argument(*names, default=argparse.SUPPRESS, **how)

    option(every, "--loss", choices=("squared", "logistic", "squared_hinge", "exponential"))
    option(every, "--one-standard-error", action="store_true", help="prefer the simpler model within one se")
    option(every, "--categorical", nargs="+", metavar="COLUMN", help="number columns that are codes")
    every.add_argument("--balanced", action="store_true", help="let every class weigh the same")
    option(every, "--time-limit", type=float, metavar="SECONDS")
    option(every, "--n-jobs", type=int, help="threads (default: all cores)")
    option(every, "--verbose", "-v", action="count", help="say what is going on; twice for more")
    option(rules, "--alpha", type=_strength, help="cv, bic, ebic or a number (default: cv)")
    option(rules, "--max-features", type=int, help="conditions a rule may have (default: 3)")
    option(rules, "--max-rules", type=int, help="the most rules")
    option(rules, "--min-support", type=int, help="rows a rule must hold for (default: 1)")
    option(rules, "--bins", type=_bins, help="auto, supervised, midpoints or a number")
    option(rules, "--no-linear", dest="linear", action="store_false", help="rules alone")
    price = "price of a step or of a coefficient, or cv (default: cv)"
    option(additive, "--lambda0", type=_lambda0, help=f"{price}; for l0 too")
    option(additive, "--lambda2", type=float, help="penalty on squares (default: 0); for l0 too")
    option(additive, "--max-steps", type=int, help="the most steps")
    option(additive, "--max-columns", type=int, help="the most columns in use")
    option(additive, "--max-thresholds", type=int, help="thresholds of a column to choose from")
    option(additive, "--min-bin-weight", type=float, help="rows that a step must hold for")
    option(additive, "--ridge", type=float, help="penalty on squared values, a row")
    additive.add_argument(
        "--points", type=int, metavar="MOST", help="show the card in whole points up to so many"
    )
    option(linear, "--max-nonzero", type=int, help="the most coefficients")


def estimator(arguments: argparse.Namespace, task: str, X: Columns) -> Any:
    """Make the unfitted estimator that the command line asks for.

    Parameters
    ----------
    arguments : Namespace
        With ``model`` and the options given.
    task : {"classification", "regression"}
        What to fit.
    X : Columns
        The columns to learn from.

    Returns
    -------
    estimator
        Unfitted.

    Raises
    ------
    ValueError
        If an option is not one of the model's.
    """
    classifier, regressor, allowed = _ESTIMATORS[arguments.model]
    known = {name for _, _, names in _ESTIMATORS.values() for name in names}
    params = {name: value for name, value in vars(arguments).items() if name in known}
    for name in params.keys() - set(allowed):
        homes = ", ".join(kind for kind, (_, _, names) in _ESTIMATORS.items() if name in names)
        flag = "--no-linear" if name == "linear" else "--" + name.replace("_", "-")
        raise ValueError(f"{flag} is for --model {homes}; this is --model {arguments.model}")
    if arguments.points is not None and arguments.model != "additive":
        raise ValueError(f"--points is for --model additive; this is --model {arguments.model}")
    if "categorical" in params:
        text = [n for n, v in zip(X.names, X.values, strict=True) if v.dtype.kind == "O"]
        params["categorical_features"] = sorted({*params.pop("categorical"), *text})
    if task == "classification":
        return classifier(**params, class_weight="balanced" if arguments.balanced else None)
    if arguments.balanced:
        raise ValueError("--balanced is for classes; this is a regression")
    if arguments.model != "rules" and params.pop("loss", "squared") != "squared":
        raise ValueError("--loss: a regression has the squared loss")
    return regressor(**params)


@dataclass(frozen=True)
class Known:
    """The columns that a fitted model reads.

    Parameters
    ----------
    names : list of str
        Their names.
    texts : set of str
        Those whose categories are text: a file must not turn them into numbers.
    named : bool
        Whether the names are the user's own.
    """

    names: list[str]
    texts: set[str]
    named: bool


def columns_of(model: Any) -> Known:
    """Say which columns a fitted model reads.

    Parameters
    ----------
    model : estimator
        Fitted.

    Returns
    -------
    Known
        Names, and which are text.
    """
    fitted = model._fitted
    schema = fitted.schema if isinstance(model, L0Base) else fitted.document.schema(fitted.named)
    pairs = zip(schema.names, schema.levels, strict=True)
    texts = {name for name, known in pairs if any(isinstance(level, str) for level in known or [])}
    return Known(schema.names, texts, schema.named)


def table_of(model: Any) -> Any:
    """Give what a person reads of a fitted model.

    Parameters
    ----------
    model : estimator
        Fitted.

    Returns
    -------
    RuleTable, ScoreCard or CoefTable
        Prints as text, with ``columns()`` and HTML.
    """
    if isinstance(model, (L0AdditiveClassifier, L0AdditiveRegressor)):
        return model.score_card()
    return model.coef_table() if isinstance(model, L0Base) else model.rule_table()
