"""Fitted models on the command line: their files, and the columns that they read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._native import FormatError
from ..data.frames import Columns
from ..data.streams import STANDARD, input_name, open_input
from ..data.table_files import File
from ..formatting.text import with_article
from ..model_io.files import decoded
from ..model_io.loading import load_model, model_of
from ..scorecard.card import ScaledCard
from .models import ESTIMATORS
from .options import UsageError
from .record_options import KINDS as RECORD_KINDS


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
    return next(kind for kind, estimators in ESTIMATORS.items() if isinstance(fitted, estimators))


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


def joined_columns(models: Iterable[Any]) -> Known:
    """Return the columns that several fitted models read.

    Parameters
    ----------
    models : iterable of estimator or ScaledCard
        The models.

    Returns
    -------
    Known
        The columns of all of them; without names if a model has none.

    Raises
    ------
    ValueError
        If a model reads records, or models without names of columns have different ones.
    """
    known = [columns_of(model) for model in models]
    is_named = all(each.named for each in known)
    if not is_named and any(each.names != known[0].names for each in known):
        raise ValueError("models without names of columns can be compared if they have the same columns")
    return Known(
        list(dict.fromkeys(name for each in known for name in each.names)),
        set().union(*(each.texts for each in known)),
        set().union(*(each.numbers for each in known)),
        is_named,
        set().union(*(each.used for each in known)),
    )


def named_models(paths: Iterable[Path], data: Path | None) -> dict[str, Any]:
    """Read several models, named by their files.

    Parameters
    ----------
    paths : iterable of Path
        The files.
    data : Path or None
        The file of rows, which cannot be standard input too.

    Returns
    -------
    dict of str to estimator or ScaledCard
        The models; those whose files share a name, in different folders, have the path as name.

    Raises
    ------
    ValueError, FormatError
        As :func:`load_any`.
    """
    found: dict[str, Any] = {}
    for path in paths:
        name = Path(input_name(path)).stem
        try:
            found[name if name not in found else str(path)] = load_any(path, data)
        except FormatError as error:
            raise FormatError(f"{input_name(path)}: {error}") from error
    return found


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
    UsageError
        If model and data both come from standard input.
    FormatError
        If it is not a model.
    """
    if str(source) != STANDARD:
        return load_model(source)
    if str(data) == STANDARD:
        raise UsageError("the model and the data cannot both come from standard input; give a file for one")
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
