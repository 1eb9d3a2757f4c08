"""The command ``thresher doctor``: checks the installation, or looks at a file of data."""

from __future__ import annotations

import argparse
import importlib
import platform
import shlex
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.table_files import read_file
from ..estimators.rules import RuleRegressor
from ..examination import Examination, examine, examine_records
from ..model_io.envelope import library_version
from ..threads import available_cores, resolve
from .messages import reworded
from .models import KINDS as MODELS
from .notes import about, as_options, notes_on_words
from .options import UsageError, note
from .outline import COMMANDS
from .record_options import KINDS, RECORDS_TITLE, add_record_options
from .record_rows import RecordColumns
from .records import read_records

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
    command = commands.add_parser("doctor", help=COMMANDS["doctor"])
    command.add_argument("data", type=Path, nargs="?", help="a file to look at; - is standard input")
    command.add_argument("--target", "-t", help="the column to predict")
    command.add_argument(
        "--model",
        choices=MODELS,
        help="the model to fit; of itemsets the file has a column of 0 and 1 for each item, of graphs it is "
        "text; other kinds of records are told by the options below",
    )
    add_record_options(command.add_argument_group(RECORDS_TITLE).add_argument)
    command.set_defaults(run=_run, parser=command)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.data is not None:
        found = _of_file(arguments)
        print(found)
        if any("--" in finding.advice for finding in found.findings):
            note("options in the advice are those of thresher fit")
        return 0
    for name in ("target", "model", "record", "smiles"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} needs a file of data")
    return _check_installation()


def _of_file(arguments: argparse.Namespace) -> Examination:
    kind = arguments.model
    if arguments.smiles is not None:
        kind = "graphs"
    elif arguments.record is not None:
        kind = kind or ("itemsets" if arguments.time is None else "sequences")
    if kind not in KINDS:
        file = read_file(arguments.data)
        table = file.table()
        found = examine(table, arguments.target)
        for text in notes_on_words(file, table, set(file.names) - {arguments.target}):
            note(text)
        if kind is None and (text := _note_on_events(found)):
            note(text)
        found = replace(found, findings=tuple(about(kind, found.findings)))
        return _in_options(found, np.arange(table.n_rows))
    records = read_records(arguments, kind, RecordColumns(arguments.target))
    for text in records.notes:
        note(text)
    noun = kind if arguments.smiles is None else "molecules"
    return _in_options(examine_records(noun, records.X, records.y), records.rows)


def _note_on_events(found: Examination) -> str:
    """Say how a log of events is read as such: a table with names that repeat and with times."""
    names, times = (
        [own.column for own in found.findings if own.kind == kind] for kind in ("levels", "dates")
    )
    if not names or not times:
        return ""
    options = f"--record {shlex.quote(names[0])} --time {shlex.quote(times[0])} --event COLUMN"
    return (
        f"if each row is an event of {names[0]!r}, at the time {times[0]!r}: {options} looks at its records"
    )


def _in_options(found: Examination, rows: NDArray[np.intp]) -> Examination:
    """Count rows from 1 below the header, and name options of the command line."""
    findings = [
        replace(
            own,
            found=reworded(own.found, rows),
            advice=reworded(as_options(own.advice, found=own.found), rows, of_fit=True),
        )
        for own in found.findings
    ]
    codes = (f"{name}={','.join(map(str, own))}" for name, own in found.special_codes.items())
    return replace(found, findings=tuple(findings), given_codes=f"--special-codes {shlex.join(codes)}")


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
