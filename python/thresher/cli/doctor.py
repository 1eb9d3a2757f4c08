"""The command ``thresher doctor``: checks the installation, or looks at a file of data."""

from __future__ import annotations

import argparse
import importlib
import platform
import time
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.frames import Columns
from ..data.table_files import read_file
from ..estimators.rules import RuleRegressor
from ..examination import RawColumn, examine, merged, share_of_decision
from ..formatting.numbers import format_percent
from ..formatting.text import format_names, pluralize
from ..model_io.envelope import library_version
from ..threads import available_cores, resolve

_ROWS_LOOKED_AT, _CELLS_LOOKED_AT, _LEAST_ROWS = 10_000, 300_000, 1_000
"""What a fit looks at beforehand: a million cells take a second, which is part of no time limit."""
_MOST_NOTES = 5
_NEARLY_ALL = 0.9
"""The share of the variance of a model's decision values from which one column is nearly all of it: a flag
that 97 % of the events have, beside columns that explain a tenth of the entropy, has more."""

_OPTIONAL = {
    "pandas": "data frames",
    "polars": "data frames",
    "pyarrow": "Parquet files",
    "matplotlib": "plots",
    "rich": "progress bars",
    "jinja2": "reports",
    "networkx": "drawings of graphs",
    "rdkit": "molecules",
    "onnx": "models as ONNX",
    "distributed": "fits on a cluster",
}
"""What packages that a user may install are for: those of the extras."""


def _version(module: str) -> str | None:
    try:
        importlib.import_module(module)
        return version({"sklearn": "scikit-learn"}.get(module, module))
    except ImportError:
        return None


def add_doctor(commands: Any) -> None:
    """Declare the command and its options.

    Parameters
    ----------
    commands : object
        The subparsers of the command line.
    """
    command = commands.add_parser(
        "doctor", help="check this installation; of a file, what would mislead a model or be refused"
    )
    command.add_argument("data", type=Path, nargs="?", help="a file to look at; - is standard input")
    command.add_argument("--target", "-t", help="the column to predict")
    command.set_defaults(run=_run, parser=command)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.data is not None:
        print(examine(read_file(arguments.data).table(), arguments.target))
        return 0
    if arguments.target is not None:
        raise ValueError("--target needs a file of data")
    return _check_installation()


def notes_on(X: Columns, y: NDArray[Any], known: Collection[str] = ()) -> list[str]:
    """Say of a table what would mislead a fit of it: columns that give the target away, marks, row numbers.

    Parameters
    ----------
    X : Columns
        The columns.
    y : ndarray of shape (n_rows,)
        The target.
    known : collection of str
        Columns of whose marks nothing is said.

    Returns
    -------
    list of str
        A note for each of the gravest findings; of a large table those of rows at equal distances.
    """
    place = ""
    if (rows := _rows_to_look_at(X)) is not None:
        X, y, place = X.take(rows), y[rows], f" (of {len(rows):,} that were looked at)"
    graves = [f for f in examine(X, y).findings if f.kind in ("leak", "mark", "identifier")]
    graves = [f for f in graves if f.code is None or f.column not in known]
    texts = merged(graves)
    notes = [
        f"{format_names(columns)} {found}{place}: {advice}" for columns, found, advice in texts[:_MOST_NOTES]
    ]
    if len(texts) > len(notes):
        notes.append(f"{pluralize(len(texts) - len(notes), 'further finding')}: thresher doctor lists all")
    return notes


def _rows_to_look_at(X: Columns) -> NDArray[np.intp] | None:
    """Return rows at equal distances of a large table, None for all of a small one."""
    most = min(_ROWS_LOOKED_AT, max(_LEAST_ROWS, _CELLS_LOOKED_AT // max(1, len(X.names))))
    return None if X.n_rows <= most else np.linspace(0, X.n_rows - 1, most).astype(np.intp)


def note_on_model(model: Any, X: Columns) -> str | None:
    """Say of a fitted model that a single column makes up nearly all of it.

    Parameters
    ----------
    model : estimator
        The fitted model of one output.
    X : Columns
        Its rows.

    Returns
    -------
    str or None
        The note; None if no column does, there is one column only, or the model has several outputs.
    """
    if len(X.names) < 2:
        return None
    if (rows := _rows_to_look_at(X)) is not None:
        X = X.take(rows)
    decision = np.asarray(getattr(model, "decision_function", model.predict)(X))
    if decision.ndim != 1:
        return None
    shares = [
        (share_of_decision(RawColumn(X.names[k], X.values[k]), decision), X.names[k])
        for k in sorted(model._used_columns())
    ]
    share, name = max(shares, default=(0.0, ""))
    if share < _NEARLY_ALL:
        return None
    return (
        f"{name!r} alone makes up {format_percent(share)} of what the model says: is it known before the "
        "prediction is made? If not, leave it out"
    )


def _check_installation() -> int:
    """Print the versions and the result of a small fit; return 0 if that was verified, else 1."""
    print(f"thresher     {library_version()}")
    print(f"core         {', '.join(f'{key} {value}' for key, value in _native.info().items())}")
    print(f"python       {platform.python_version()} on {platform.platform()}")
    print(f"cores        {available_cores()} (threads by default: {resolve(None)})")
    for module in ("numpy", "scipy", "sklearn", "narwhals"):
        print(f"{module:12s} {_version(module) or 'MISSING'}")
    for module, purpose in _OPTIONAL.items():
        print(f"{module:12s} {_version(module) or f'not installed ({purpose})'}")
    return _check_fit()


def _check_fit() -> int:
    x = np.random.default_rng(0).uniform(size=(200, 4))
    y = 2.0 * ((x[:, 0] > 0.5) & (x[:, 1] <= 0.3)) + x[:, 2]
    started = time.perf_counter()
    model = RuleRegressor(alpha=0.01).fit(x, y)
    seconds = time.perf_counter() - started
    certificate = model.verify(x, y)
    if not certificate.complete:
        print(f"trial fit    FAILED: {certificate}")
        return 1
    print(f"trial fit    {len(model.rules_)} rules in {seconds:.2f} s; verified: {certificate}")
    return 0
