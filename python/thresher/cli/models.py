"""The models of the command line: their options, and the estimators that these make."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..data.frames import Columns
from ..estimators._saving import check_without_rows
from ..estimators.additive import L0AdditiveClassifier, L0AdditiveRegressor
from ..estimators.factorization import FactorizationMachineClassifier, FactorizationMachineRegressor
from ..estimators.graphs import GraphClassifier, GraphRegressor
from ..estimators.hierarchy import HierarchicalRuleClassifier, HierarchicalRuleRegressor
from ..estimators.itemsets import ItemsetClassifier, ItemsetRegressor
from ..estimators.rules import RuleClassifier, RuleRegressor
from ..estimators.sequences import SequenceClassifier, SequenceRegressor
from ..estimators.subset import L0Classifier, L0Regressor
from ..validation import check, integer
from .messages import in_file
from .options import UsageError, flag_of
from .parameters import add_parameter, declared, words_of

ESTIMATORS: dict[str, tuple[Any, Any]] = {
    "rules": (RuleClassifier, RuleRegressor),
    "additive": (L0AdditiveClassifier, L0AdditiveRegressor),
    "l0": (L0Classifier, L0Regressor),
    "hierarchy": (HierarchicalRuleClassifier, HierarchicalRuleRegressor),
    "fm": (FactorizationMachineClassifier, FactorizationMachineRegressor),
    "itemsets": (ItemsetClassifier, ItemsetRegressor),
    "sequences": (SequenceClassifier, SequenceRegressor),
    "graphs": (GraphClassifier, GraphRegressor),
}
KINDS = tuple(ESTIMATORS)
_TITLES = {
    "rules": "rules and linear terms",
    "additive": "step functions of each column",
    "l0": "few coefficients",
    "hierarchy": "rules with all their subsets",
    "fm": "interactions of columns",
    "itemsets": "sets of items that occur together",
    "sequences": "events in an order",
    "graphs": "parts of molecules and other graphs",
}


def add_options(fit: argparse.ArgumentParser, kinds: Sequence[str] = KINDS) -> None:
    """Declare the options of models; options that are not given are absent from the namespace.

    Parameters
    ----------
    fit : ArgumentParser
        The parser of the command.
    kinds : sequence of str, default=KINDS
        The models.
    """
    seen: set[str] = set()

    def group(title: str) -> Callable[..., Any]:
        add = fit.add_argument_group(title).add_argument

        def option(name: str, *names: str, **given: Any) -> None:
            if name not in seen:
                seen.add(name)
                add(name, *names, **{"default": argparse.SUPPRESS, **given})

        return option

    parameters = {kind: declared(ESTIMATORS[kind]) for kind in kinds}
    losses = {word for infos in parameters.values() for word in words_of(infos["loss"].allowed)}
    option = group("every model")
    option("--loss", choices=sorted(losses))
    if any(_takes(kind, "categorical_features") for kind in kinds):
        option(
            "--categorical",
            nargs="+",
            action="extend",
            metavar="COLUMN",
            help="numeric columns that are categories",
        )
    option(
        "--balanced",
        dest="class_weight",
        action="store_const",
        const="balanced",
        help="give every class the same total weight",
    )
    option("--verbose", "-v", action="count", help="print progress; twice for more")
    for kind, infos in parameters.items():
        own = group(f"--model {kind}: {_TITLES[kind]}")
        for name, info in infos.items():
            add_parameter(own, info, {k: found[name] for k, found in parameters.items() if name in found})
        if kind in _MORE:
            name, settings = _MORE[kind]
            own(name, **settings)


_MORE: dict[str, tuple[str, dict[str, Any]]] = {
    "additive": (
        "--points",
        {
            "type": int,
            "metavar": "MOST",
            "default": None,
            "help": "print the card with integer points up to this number",
        },
    ),
    "fm": (
        "--seed",
        {"dest": "random_state", "type": int, "help": "seed of the initial factors (default: 0)"},
    ),
}
"""Options that no parameter declares, or with another name."""


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
    text = [n for n, v in zip(X.names, X.values, strict=True) if v.dtype.kind == "O"]
    return _created(arguments, task, text)


def check_options(arguments: argparse.Namespace) -> None:
    """Check the options of a model before any data are read.

    Parameters
    ----------
    arguments : Namespace
        The parsed arguments, as for :func:`estimator`.

    Raises
    ------
    UsageError
        If an option does not belong to the model, or a value is not allowed; where the task is not known yet,
        in both of them.
    """
    tasks = ("classification", "regression") if arguments.task == "auto" else (arguments.task,)
    errors = []
    for task in tasks:
        try:
            with in_file(np.arange(0)):
                _check(_created(arguments, task, []))
        except (TypeError, ValueError) as error:
            errors.append(error)
    if len(errors) == len(tasks):
        raise UsageError(str(errors[0])) from errors[0]


def _check(model: Any) -> None:
    """Check parameters as a fit does that has the columns that they name."""
    model._validate()
    given = [getattr(model, name, None) for name in ("bins", "special_codes", "monotonic_cst", "exclude")]
    names = list(dict.fromkeys(name for each in given if isinstance(each, (dict, list)) for name in each))
    check_without_rows(model, names, [np.zeros(0)] * len(names))


def _created(arguments: argparse.Namespace, task: str, text: Sequence[str]) -> Any:
    """Create the estimator, with columns of text among those that are named as categories."""
    given = dict(vars(arguments))
    if "categorical" in given:
        given["categorical_features"] = sorted({*given.pop("categorical"), *text})
    params = {name: value for name, value in given.items() if any(_takes(kind, name) for kind in KINDS)}
    kind = arguments.model
    for name in params:
        if not _takes(kind, name):
            flag = flag_of(name)
            homes = ", ".join(other for other in KINDS if _takes(other, name))
            instead = "; --drop leaves columns out of any model" if name == "exclude" else ""
            raise UsageError(f"{flag} is for --model {homes}; this is --model {kind}{instead}")
    if arguments.points is not None and kind != "additive":
        raise UsageError(f"--points is for --model additive; this is --model {kind}")
    check("points", arguments.points, integer(1), None, hint="a whole number >= 1")
    chosen = ESTIMATORS[kind][0 if task == "classification" else 1]
    for name in params:
        if name not in chosen._get_param_names():
            for_what = "classes" if task == "regression" else "numbers"
            raise ValueError(f"{flag_of(name)} is for {for_what}; this is a {task} (--task chooses)")
    return chosen(**params)


def _takes(kind: str, name: str) -> bool:
    return any(name in estimator._get_param_names() for estimator in ESTIMATORS[kind])


def parameter_names() -> set[str]:
    """Return the names of the parameters of all estimators.

    Returns
    -------
    set of str
        The names.
    """
    return {name for pair in ESTIMATORS.values() for each in pair for name in each._get_param_names()}
