"""The models of the command line: options, and the columns of a fitted model."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..data.frames import Columns
from ..estimators.additive import L0AdditiveClassifier, L0AdditiveRegressor
from ..estimators.factorization import FactorizationMachineClassifier, FactorizationMachineRegressor
from ..estimators.hierarchy import HierarchicalRuleClassifier, HierarchicalRuleRegressor
from ..estimators.rules import RuleClassifier, RuleRegressor
from ..estimators.subset import L0Classifier, L0Regressor
from ..formatting.text import with_article
from .options import flag_of, or_number
from .parameters import add_parameter, declared

_ESTIMATORS: dict[str, tuple[Any, Any]] = {
    "rules": (RuleClassifier, RuleRegressor),
    "additive": (L0AdditiveClassifier, L0AdditiveRegressor),
    "l0": (L0Classifier, L0Regressor),
    "hierarchy": (HierarchicalRuleClassifier, HierarchicalRuleRegressor),
    "fm": (FactorizationMachineClassifier, FactorizationMachineRegressor),
}
KINDS = tuple(_ESTIMATORS)
_TITLES = {
    "rules": "rules and linear terms",
    "additive": "step functions of each column",
    "l0": "few coefficients",
    "hierarchy": "rules with all their subsets",
    "fm": "interactions of columns",
}
_LOSSES = ("squared", "logistic", "squared_hinge", "exponential", "hinge", "huber")


def add_options(fit: argparse.ArgumentParser) -> None:
    """Declare the options of all models; options that are not given are absent from the namespace.

    Parameters
    ----------
    fit : ArgumentParser
        The parser of the command.
    """
    seen: set[str] = set()

    def group(title: str) -> Callable[..., Any]:
        add = fit.add_argument_group(title).add_argument

        def option(name: str, *names: str, **given: Any) -> None:
            if name not in seen:
                seen.add(name)
                add(name, *names, **{"default": argparse.SUPPRESS, **given})

        return option

    option = group("every model")
    option("--loss", choices=_LOSSES)
    option("--categorical", nargs="+", metavar="COLUMN", help="numeric columns that are categories")
    option(
        "--balanced",
        dest="class_weight",
        action="store_const",
        const="balanced",
        help="give every class the same total weight",
    )
    option("--verbose", "-v", action="count", help="print progress; twice for more")
    parameters = {kind: declared(estimators) for kind, estimators in _ESTIMATORS.items()}
    for kind, infos in parameters.items():
        own = group(f"--model {kind}: {_TITLES[kind]}")
        for name, info in infos.items():
            add_parameter(own, info, {k: found[name] for k, found in parameters.items() if name in found})
        if kind in _MORE:
            _MORE[kind](own)
    shared = group("several models")
    shared(
        "--one-standard-error",
        action="store_true",
        help="select the simplest model within one standard error",
    )
    shared("--tol", type=float, help="tolerance of the fit")
    shared("--time-limit", type=float, metavar="SECONDS")
    shared("--n-jobs", type=int, help="threads (default: all cores)")


def _add_steps(option: Callable[..., Any]) -> None:
    price = "penalty for each step or coefficient, or cv (default: cv)"
    option("--lambda0", type=or_number("cv"), help=f"{price}; for l0 too")
    option("--lambda2", type=float, help="penalty on squares (default: 0); for l0 too")
    option("--max-steps", type=int, help="the most steps")
    option("--max-columns", type=int, help="the most columns of the model")
    option("--max-thresholds", type=int, help="candidate cut points of a column")
    option("--min-bin-weight", type=float, help="the least number of rows of a step")
    option("--ridge", type=float, help="penalty on squared values")
    shown = "print the card with integer points up to this number"
    option("--points", type=int, metavar="MOST", default=None, help=shown)


def _add_hierarchy(option: Callable[..., Any]) -> None:
    option("--rho", type=float, help="2: rules with all subsets; towards 1: fewer (default: 1.1)")
    option(
        "--depth-base", type=float, help="factor on a rule's penalty for each further condition (default: 2)"
    )
    option("--n-cuts", type=int, help="cut points of a numeric column (default: 4)")
    option("--cuts", choices=("uniform", "quantiles"), help="positions of the cut points (default: uniform)")
    option("--max-hull", type=int, help="the most rules in the working set (default: 500)")


def _add_machine(option: Callable[..., Any]) -> None:
    option(
        "--order",
        type=or_number("all", read=int),
        help="columns in an interaction: 2, 3, ... or all (default: 2)",
    )
    option("--rank", type=int, help="components (default: 30)")
    option("--penalty", choices=("l1", "l21", "ti", "cs", "omega_ti", "omega_cs"), help="default: ti")
    option("--alpha", type=float, help="regularisation strength of the sparse penalty")
    option("--l2-linear", type=float, help="penalty on squared linear coefficients")
    option("--l2-factors", type=float, help="penalty on squared factors")
    option("--n-interactions", type=int, help="target number of interactions, instead of --alpha")
    option("--refit", action="store_true", help="refit the selected interactions without the sparse penalty")
    option("--max-epochs", type=int, help="the most passes over the rows")
    option("--seed", dest="random_state", type=int, help="seed of the initial factors (default: 0)")


def _add_subsets(option: Callable[..., Any]) -> None:
    option("--max-nonzero", type=int, help="the most coefficients")


_MORE: dict[str, Callable[[Callable[..., Any]], None]] = {
    "additive": _add_steps,
    "l0": _add_subsets,
    "hierarchy": _add_hierarchy,
    "fm": _add_machine,
}


def estimator(arguments: argparse.Namespace, task: str, X: Columns) -> Any:
    """Create the unfitted estimator for the options.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments, with ``model`` and the given options.
    task : {"classification", "regression"}
        The task.
    X : Columns
        The feature columns.

    Returns
    -------
    estimator
        The unfitted estimator.

    Raises
    ------
    ValueError
        If an option does not belong to the model.
    """
    given = dict(vars(arguments))
    if "categorical" in given:
        text = [n for n, v in zip(X.names, X.values, strict=True) if v.dtype.kind == "O"]
        given["categorical_features"] = sorted({*given.pop("categorical"), *text})
    params = {name: value for name, value in given.items() if any(_takes(kind, name) for kind in KINDS)}
    kind = arguments.model
    for name in params:
        if not _takes(kind, name):
            flag = flag_of(name)
            homes = ", ".join(other for other in KINDS if _takes(other, name))
            raise ValueError(f"{flag} is for --model {homes}; this is --model {kind}")
    if arguments.points is not None and kind != "additive":
        raise ValueError(f"--points is for --model additive; this is --model {kind}")
    chosen = _ESTIMATORS[kind][0 if task == "classification" else 1]
    if "class_weight" in params and task == "regression":
        raise ValueError("--balanced is for classes; this is a regression")
    return chosen(**params)


def _takes(kind: str, name: str) -> bool:
    return any(name in estimator._get_param_names() for estimator in _ESTIMATORS[kind])


@dataclass(frozen=True)
class Known:
    """The columns that a fitted model reads.

    Parameters
    ----------
    names : list of str
        Their names.
    texts : set of str
        Columns whose categories are text, which must not be read as numbers.
    named : bool
        Whether the user named the columns.
    used : set of str
        Those without which the model cannot predict.
    """

    names: list[str]
    texts: set[str]
    named: bool
    used: set[str]


def columns_of(model: Any) -> Known:
    """Return the columns that a fitted model reads.

    Parameters
    ----------
    model : estimator
        A fitted estimator.

    Returns
    -------
    Known
        The names, and which of them are text.

    Raises
    ------
    ValueError
        If the model reads records rather than tables.
    """
    if hasattr(model, "get_patterns"):
        raise ValueError(
            f"{with_article(type(model).__name__)} reads records, not tables; use it from Python"
        )
    fitted = model._fitted
    schema = fitted.schema
    pairs = zip(schema.names, schema.levels, strict=True)
    texts = {name for name, known in pairs if any(isinstance(level, str) for level in known or [])}
    used = {schema.names[position] for position in model._used_columns()}
    return Known(schema.names, texts, schema.named, used)
