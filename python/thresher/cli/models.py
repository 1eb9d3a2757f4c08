"""The models of the command line: options, and the columns of a fitted model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..data.frames import Columns
from ..data.streams import STANDARD, open_input
from ..data.table_files import File
from ..estimators._saving import check_without_rows
from ..estimators.additive import L0AdditiveClassifier, L0AdditiveRegressor
from ..estimators.factorization import FactorizationMachineClassifier, FactorizationMachineRegressor
from ..estimators.graphs import GraphClassifier, GraphRegressor
from ..estimators.hierarchy import HierarchicalRuleClassifier, HierarchicalRuleRegressor
from ..estimators.itemsets import ItemsetClassifier, ItemsetRegressor
from ..estimators.rules import RuleClassifier, RuleRegressor
from ..estimators.sequences import SequenceClassifier, SequenceRegressor
from ..estimators.subset import L0Classifier, L0Regressor
from ..formatting.text import with_article
from ..model_io.files import decoded
from ..model_io.loading import load_model, model_of
from ..scorecard import ScaledCard
from .messages import in_file
from .options import flag_of
from .parameters import add_parameter, declared, words_of
from .record_options import KINDS as RECORD_KINDS

_ESTIMATORS: dict[str, tuple[Any, Any]] = {
    "rules": (RuleClassifier, RuleRegressor),
    "additive": (L0AdditiveClassifier, L0AdditiveRegressor),
    "l0": (L0Classifier, L0Regressor),
    "hierarchy": (HierarchicalRuleClassifier, HierarchicalRuleRegressor),
    "fm": (FactorizationMachineClassifier, FactorizationMachineRegressor),
    "itemsets": (ItemsetClassifier, ItemsetRegressor),
    "sequences": (SequenceClassifier, SequenceRegressor),
    "graphs": (GraphClassifier, GraphRegressor),
}
KINDS = tuple(_ESTIMATORS)
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

    parameters = {kind: declared(_ESTIMATORS[kind]) for kind in kinds}
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
    TypeError, ValueError
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
        raise errors[0]


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
            raise ValueError(f"{flag} is for --model {homes}; this is --model {kind}{instead}")
    if arguments.points is not None and kind != "additive":
        raise ValueError(f"--points is for --model additive; this is --model {kind}")
    chosen = _ESTIMATORS[kind][0 if task == "classification" else 1]
    for name in params:
        if name not in chosen._get_param_names():
            for_what = "classes" if task == "regression" else "numbers"
            raise ValueError(f"{flag_of(name)} is for {for_what}; this is a {task} (--task chooses)")
    return chosen(**params)


def _takes(kind: str, name: str) -> bool:
    return any(name in estimator._get_param_names() for estimator in _ESTIMATORS[kind])


def parameter_names() -> set[str]:
    """Return the names of the parameters of all estimators.

    Returns
    -------
    set of str
        The names.
    """
    return {name for pair in _ESTIMATORS.values() for each in pair for name in each._get_param_names()}


def kind_of(model: Any) -> str:
    """Return the name of a model's kind.

    Parameters
    ----------
    model : estimator or ScaledCard
        An estimator, or a card.

    Returns
    -------
    str
        One of `KINDS`.
    """
    fitted = estimator_of(model)
    return next(kind for kind, estimators in _ESTIMATORS.items() if isinstance(fitted, estimators))


def estimator_of(model: Any) -> Any:
    """Return the estimator of a score card in points, or a model itself.

    Parameters
    ----------
    model : estimator or ScaledCard
        The model.

    Returns
    -------
    estimator
        The fitted estimator.
    """
    return model.model if isinstance(model, ScaledCard) else model


def items_of(model: Any, *, every: bool = False) -> tuple[list[str], set[str]] | None:
    """Return the items of a model over item-sets, which are columns where a file has one row a record.

    Parameters
    ----------
    model : estimator
        A fitted estimator.
    every : bool, default=False
        Whether a file must have all of them, or those alone that patterns use.

    Returns
    -------
    (list of str, set of str) or None
        The items of training, and those that a file must have; None for other models.
    """
    if kind_of(model) != "itemsets":
        return None
    labels = [str(label) for label in model._fitted.view.vocabulary.labels]
    return labels, set(labels) if every else {labels[place] for place in model._used_columns()}


@dataclass(frozen=True)
class Known:
    """The columns that a fitted model reads.

    Parameters
    ----------
    names : list of str
        Their names.
    texts : set of str
        Columns whose categories are text, which must not be read as numbers.
    numbers : set of str
        The other columns, which must not be read as text.
    named : bool
        Whether the user named the columns.
    used : set of str
        Those without which the model cannot predict.
    """

    names: list[str]
    texts: set[str]
    numbers: set[str]
    named: bool
    used: set[str]

    def table(
        self,
        file: File,
        model: Any,
        target: str | None = None,
        weights: str | None = None,
        *,
        may_be_empty: bool = False,
    ) -> Columns:
        """Convert the cells of a file to what a model has.

        Parameters
        ----------
        file : File
            The file.
        model : estimator or ScaledCard
            The model, for the target.
        target, weights : str, optional
            The columns of the target and of row weights.
        may_be_empty : bool, default=False
            Whether the file may have a header alone.

        Returns
        -------
        Columns
            The table.
        """
        text, numbers = types_of_target(model, target, weights)
        return file.table(self.texts | text, self.numbers | numbers, may_be_empty=may_be_empty)


def types_of_target(model: Any, target: str | None, weights: str | None = None) -> tuple[set[str], set[str]]:
    """Say whether the target of a fitted model is text or numbers in files.

    Parameters
    ----------
    model : estimator or ScaledCard
        The model.
    target, weights : str or None
        The columns of the target and of row weights.

    Returns
    -------
    (set of str, set of str)
        Columns to read as text, and columns to read as numbers.
    """
    found: tuple[set[str], set[str]] = (set(), set() if weights is None else {weights})
    if target is not None:
        labels = getattr(estimator_of(model), "classes_", np.zeros(0)).tolist()
        is_text = bool(labels) and all(isinstance(label, str) for label in labels)
        found[0 if is_text else 1].add(target)
    return found


def columns_of(model: Any) -> Known:
    """Return the columns that a fitted model reads.

    Parameters
    ----------
    model : estimator or ScaledCard
        A fitted estimator, or a card.

    Returns
    -------
    Known
        The names, and which of them are text.

    Raises
    ------
    ValueError
        If the model reads records rather than tables.
    """
    if kind_of(model) in RECORD_KINDS:
        raise ValueError(
            f"{with_article(type(model).__name__)} reads records, not tables; use it from Python"
        )
    owner = estimator_of(model)
    schema = owner._fitted.schema
    pairs = zip(schema.names, schema.levels, strict=True)
    texts = {name for name, known in pairs if any(isinstance(level, str) for level in known or [])}
    used = {schema.names[position] for position in owner._used_columns()}
    return Known(schema.names, texts, {*schema.names} - texts, schema.named, used)


def load_any(source: Path, data: Path | None = None) -> Any:
    """Read a model or a score card in points from a file, a pipe or standard input.

    Parameters
    ----------
    source : Path
        The file; ``-`` is standard input.
    data : Path, optional
        The file of rows, which cannot be standard input too.

    Returns
    -------
    estimator or ScaledCard
        What the file holds.

    Raises
    ------
    ValueError
        If model and data both come from standard input.
    FormatError
        If it is not a model.
    """
    if str(source) != STANDARD:
        return load_model(source)
    if str(data) == STANDARD:
        raise ValueError("the model and the data cannot both come from standard input; give a file for one")
    with open_input(source) as file:
        return model_of(decoded(file.read(), "standard input"))


def target_name(model: Any) -> str | None:
    """Return the name of the target that a model keeps.

    Parameters
    ----------
    model : estimator or ScaledCard
        The model.

    Returns
    -------
    str or None
        The name; None if the target had none, or there are several.
    """
    names = estimator_of(model)._fitted.target_names or []
    return str(names[0]) if len(names) == 1 else None
