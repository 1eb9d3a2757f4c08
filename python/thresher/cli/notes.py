"""What a fit of the command line says of its data and of its model, beside what it prints."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import Columns
from ..data.table_files import File
from ..data.text_cells import words_for_missing
from ..examination import Finding, RawColumn, examine, fraction_of_decision, merged, name_as_code
from ..formatting.numbers import format_percent
from ..formatting.text import format_list, format_names, pluralize

_ROWS_LOOKED_AT, _CELLS_LOOKED_AT, _LEAST_ROWS = 10_000, 300_000, 1_000
"""What a fit looks at beforehand: a million cells take a second, which is part of no time limit."""
_MOST_NOTES = 5
_MOST_WORDS = 3
_MOST_DROPPED = 8  # columns that an advice lists after --drop
_NEARLY_ALL = 0.9
"""The fraction of the variance of a model's decision values from which one column is nearly all of it: a
flag that 97 % of the events have, beside columns that explain a tenth of the entropy, has more."""
_MUCH = 0.25
"""The least fraction of the target's variance that a model explains of which that is said: nobody asks
whether a column that explains next to nothing is known too late."""
_MARK = re.compile(r"is (-?[0-9.e+]+) in \b")
_LEAVE_OUT = re.compile(r"\b(leave (?:it|one of them) out)\b", re.IGNORECASE)
_CATEGORICAL = re.compile(r"a factorization machine (learns .*): categorical_features=(\[.*\])")
_OF_VALUES = ("leak", "mark", "identifier", "dates", "levels", "records")
"""The findings about columns that a fit repeats; what it takes for text it says itself."""


def notes_on(
    X: Columns,
    y: NDArray[Any],
    codes: Collection[str] = (),
    keep: Collection[str] = (),
    n_rows: int | None = None,
    model: str | None = None,
) -> list[str]:
    """Say of a table what would mislead a fit of it: leaks, marks, names of rows, dates, free text, weights.

    Parameters
    ----------
    X : Columns
        The columns.
    y : ndarray of shape (n_rows,)
        The target.
    codes : collection of str
        Columns of whose marks nothing is said.
    keep : collection of str
        Columns that the user wants whatever they hold.
    n_rows : int, optional
        The rows of the whole table, where these are its first ones.
    model : str, optional
        The model of the fit, as ``--model`` names it.

    Returns
    -------
    list of str
        A note for each of the gravest findings; of a large table those of rows at equal distances, after a
        note that says so.
    """
    n_rows = n_rows or X.n_rows
    if (rows := _rows_to_look_at(X)) is not None:
        X, y = X.take(rows), y[rows]
    findings = about(model, [f for f in examine(X, y).findings if f.column not in keep])
    findings = [f for f in findings if _is_noted(f, X.names)]
    texts = merged([f for f in findings if f.code is None or f.column not in codes])
    notes = [
        f"{format_names(columns)} {found}: {as_options(advice, columns, found)}"
        for columns, found, advice in texts[:_MOST_NOTES]
    ]
    if len(texts) > len(notes):
        notes.append(f"{pluralize(len(texts) - len(notes), 'further finding')}: thresher doctor lists all")
    if notes and X.n_rows < n_rows:
        notes.insert(0, f"the next lines are about {X.n_rows:,} of the {n_rows:,} rows")
    return notes


def notes_on_words(file: File, table: Columns, names: Collection[str]) -> list[str]:
    """Say which words in columns of categories are read as missing.

    Parameters
    ----------
    file : File
        The cells as the file has them.
    table : Columns
        The cells as they are read.
    names : collection of str
        The columns to look at.

    Returns
    -------
    list of str
        A note; none where there are no such words, or cells have types of their own.
    """
    found = []
    for name, texts, column in zip(file.names, file.columns, table.values, strict=True):
        is_categorical = name in names and column.dtype.kind == "O" and isinstance(texts, tuple)
        if is_categorical and (words := words_for_missing(texts)):
            cells = pluralize(sum(words.values()), "cell")
            found.append(f"{cells} of {name!r} ({format_list(list(words), _MOST_WORDS)})")
    if not found:
        return []
    listed = format_list(found, _MOST_NOTES)
    advice = "exported models do not know these categories: export with --handle-unknown missing"
    return [f"read as missing: {listed}; {advice}"]


def about(model: str | None, findings: Sequence[Finding]) -> list[Finding]:
    """Select the findings that mislead a model.

    Parameters
    ----------
    model : str or None
        The model, as ``--model`` names it; None: any.
    findings : sequence of Finding
        The findings.

    Returns
    -------
    list of Finding
        All but many categories for a factorization machine: users and items are what it is for. Of their
        numbers nothing is said to another model.

    Examples
    --------
    >>> about("fm", [Finding("item", "levels", "has 80 categories", "merge some")])
    []
    """
    left_out = {None: (), "fm": ("levels",)}.get(model, ("ids",))
    return [own for own in findings if own.kind not in left_out]


def _is_noted(finding: Finding, names: Sequence[str]) -> bool:
    return finding.kind in _OF_VALUES or (finding.kind == "rows" and finding.column in names)


def as_options(advice: str, columns: Sequence[str] = (), found: str = "") -> str:
    """Name the options of the command line in an advice.

    Parameters
    ----------
    advice : str
        The advice of a finding.
    columns : sequence of str, default=()
        The columns that it is about; without them, or of many, the options stand alone.
    found : str, default=""
        What was found, with the number of a mark.

    Returns
    -------
    str
        The advice.

    Examples
    --------
    >>> as_options("leave it out: it numbers the rows", ["row no"])
    "leave it out (--drop 'row no'): it numbers the rows"
    """
    few = columns if len(columns) <= _MOST_DROPPED else ()
    listed = "".join(f" {shlex.quote(name)}" for name in few)
    mark = _MARK.match(found)
    code = mark[1] if mark else ""
    codes = "".join(f" {shlex.quote(f'{name}={code}')}" for name in few) if mark else ""
    options = {
        "replace it by NaN": "leave its cells empty",
        name_as_code(code): f"give --special-codes{codes} (--model rules or additive)",
        "as sample_weight and leave the column out": f"as --weights{listed}",
        "cv=list(GroupKFold(5).split(X, y, groups))": f"--groups{listed}",
        "on_invalid='skip'": "--on-invalid skip",
        "a factorization machine takes": "--model fm takes",
        "fit(..., groups=...)": f"--groups{listed}",
        "give the column to GraphClassifier or GraphRegressor": f"fit --model graphs --smiles{listed}",
    }
    if categorical := _CATEGORICAL.search(advice):
        named = shlex.join(ast.literal_eval(categorical[2]))
        advice = advice.replace(categorical[0], f"--model fm --categorical {named} {categorical[1]}")
    for named, option in options.items():
        advice = advice.replace(named, option)
    return _LEAVE_OUT.sub(rf"\1 (--drop{listed})", advice)


def _rows_to_look_at(X: Columns) -> NDArray[np.intp] | None:
    """Return rows at equal distances of a large table, None for all of a small one."""
    most = min(_ROWS_LOOKED_AT, max(_LEAST_ROWS, _CELLS_LOOKED_AT // max(1, len(X.names))))
    return None if X.n_rows <= most else np.linspace(0, X.n_rows - 1, most).astype(np.intp)


def _explained(decision: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """Return the squared correlation of decision values with the target, 0 where one is constant."""
    if np.ptp(decision) == 0 or np.ptp(target) == 0:
        return 0.0
    return float(np.corrcoef(decision, target)[0, 1] ** 2)


def note_on_model(model: Any, X: Columns, y: NDArray[Any], weights: NDArray[Any] | None) -> str | None:
    """Say of a fitted model that predicts well that a single column makes up nearly all of it.

    Parameters
    ----------
    model : estimator
        The fitted model of one output.
    X : Columns
        Its rows.
    y : ndarray of shape (n_rows,)
        Their targets: numbers, or the labels of two classes.
    weights : ndarray of shape (n_rows,) or None
        Their weights; rows of weight 0 may have categories that the model does not know.

    Returns
    -------
    str or None
        The note; None if no column does, there is one column only, the model has several outputs or leaves
        most of the target unexplained.
    """
    if len(X.names) < 2:
        return None
    if weights is not None:
        X, y = X.take(weights > 0), y[weights > 0]
    if (rows := _rows_to_look_at(X)) is not None:
        X, y = X.take(rows), y[rows]
    decision = np.asarray(getattr(model, "decision_function", model.predict)(X))
    if decision.ndim != 1:
        return None
    target = y == model.classes_[-1] if hasattr(model, "classes_") else y
    if _explained(decision, np.asarray(target, dtype=np.float64)) < _MUCH:
        return None
    fractions = [
        (fraction_of_decision(RawColumn(X.names[k], X.values[k]), decision), X.names[k])
        for k in sorted(model._used_columns())
    ]
    fraction, name = max(fractions, default=(0.0, ""))
    if fraction < _NEARLY_ALL:
        return None
    return (
        f"{name!r} alone makes up {format_percent(fraction)} of what the model says: is it known before the "
        f"prediction is made? If not, leave it out (--drop {shlex.quote(name)})"
    )
