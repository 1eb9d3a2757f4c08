"""The command line: ``thresher fit``, ``predict``, ``summary``, ``verify``, ``export`` and others."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import InvalidParameterError

from .. import _native
from ..estimators._optimality import timed
from ..formatting.text import with_article
from ..scorecard.card import ScaledCard
from .card_tables import add_bins, add_importances
from .columns import Training, labels_for
from .comparison import add_compare
from .demo_data import DATA
from .doctor import add_doctor
from .export import add_export
from .fit import add_fit
from .fitted_models import estimator_of, kind_of, load_any
from .from_disk import add_from_disk, rows_of_fit
from .messages import in_file, without_options
from .monitor import add_monitor
from .options import UsageError, number, whole_number
from .outline import COMMANDS, bare_parser
from .patterns import add_patterns
from .predictions import add_predict
from .printing import FORMATS, show
from .record_options import KINDS as RECORD_KINDS
from .record_options import RECORDS_TITLE, add_record_options, check_record_options
from .record_rows import Records
from .records import records_of_model
from .reports import add_report
from .scorecards import add_bands, add_scorecard

_REFUSED = (ValueError, TypeError, OSError, MemoryError, ImportError, _native.CertificateError)

_NO_SPACE = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", None))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command-line interface.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        The exit status: 0 success, 1 an error with a message on standard error, 2 a wrong command line,
        130 interrupted.
    """
    _prepare_streams()
    arguments = _parsed(argv)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            warnings.simplefilter("always", ConvergenceWarning)
            status: int = arguments.run(arguments)
            if sys.stdout is not None:
                sys.stdout.flush()
            return status
    except KeyboardInterrupt:
        print("thresher: interrupted", file=sys.stderr)
        if argv is None:
            _leave(130)
        return 130
    except BrokenPipeError:
        _drop_output()
        return 0
    except _REFUSED as error:
        if isinstance(error, OSError) and sys.stdout is not None and not sys.stdout.closed:
            _drop_output()
        print(f"thresher: error: {' '.join(_said(error).splitlines())}", file=sys.stderr)
        return 2 if isinstance(error, (UsageError, InvalidParameterError)) else 1


def _prepare_streams() -> None:
    """Let standard output replace characters that it lacks, as standard error does, which may be closed."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stderr is None:  # print would write messages to standard output instead
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115


def _leave(status: int) -> None:
    """End the process at once: the tables of an interrupted command take long to be freed one by one."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _said(error: Exception) -> str:
    """Return the message of an error; of one of the system its file and its reason."""
    if isinstance(error, OSError) and error.strerror:
        reason = f"{error.strerror[:1].lower()}{error.strerror[1:]}"
        if error.filename is not None:
            return f"{error.filename}: {reason}"
        if error.errno in _NO_SPACE:  # errors of all other files have their names
            return f"cannot write standard output: {reason}"
    return str(error)


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; an unknown one ends the program with the name that is closest to it."""
    arguments, unknown = _parser().parse_known_args(argv)
    if unknown:
        command: argparse.ArgumentParser = arguments.parser
        name = unknown[0].partition("=")[0]
        known = sorted(set(re.findall(r"--[a-z0-9-]+", command.format_help())))
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]}? " if close else ""
        if name[:1] != "-" and "--compare" in known:
            hint = "further models follow --compare; "
        command.exit(
            2, f"{command.prog}: error: unknown argument {name}; {hint}{command.prog} --help lists all\n"
        )
    return arguments


def _drop_output() -> None:
    """Send what standard output still holds nowhere: it failed once, and would again at the exit."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"thresher: warning: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = bare_parser()
    commands = parser.add_subparsers(required=True, metavar="command")
    _add_demo(commands)
    add_fit(commands)
    add_predict(commands)
    _add_summary(commands)
    add_patterns(commands)
    add_report(commands)
    add_compare(commands)
    _add_verify(commands)
    add_export(commands)
    add_bins(commands)
    add_importances(commands)
    add_scorecard(commands)
    add_bands(commands)
    add_monitor(commands)
    add_doctor(commands)
    return parser


def _add_demo(commands: Any) -> None:
    demo = commands.add_parser("demo", help=COMMANDS["demo"])
    demo.add_argument("--data", choices=DATA, default=DATA[0], help="the data set (default: %(default)s)")
    demo.add_argument(
        "--out", type=Path, default=Path("thresher-demo"), help="folder for plots (%(default)s)"
    )
    demo.add_argument("--n-jobs", type=whole_number, default=None, help="threads (default: all cores)")
    demo.set_defaults(run=_demo, parser=demo)


def _add_summary(commands: Any) -> None:
    summary = commands.add_parser("summary", help=COMMANDS["summary"])
    summary.add_argument(
        "model", type=Path, help="a model saved by fit, or a card by scorecard; - is standard input"
    )
    summary.add_argument("--format", choices=("csv", *FORMATS), default="text")
    summary.set_defaults(run=_summary, parser=summary)


def _add_verify(commands: Any) -> None:
    verify = commands.add_parser("verify", help=COMMANDS["verify"])
    verify.add_argument(
        "model", type=Path, help="a model saved by fit, or a card by scorecard; - is standard input"
    )
    verify.add_argument("data", type=Path, help="the file it was fitted on; - is standard input")
    verify.add_argument(
        "--target",
        "-t",
        help="the column it predicts (default: the one of the fit, which the model keeps)",
    )
    verify.add_argument(
        "--weights",
        help="the column of the weights of the fit (default: the one the model keeps)",
    )
    verify.add_argument(
        "--time-limit",
        type=number,
        help="seconds after which it ends with an error, with the reading of the files (default: no limit)",
    )
    verify.add_argument("--verbose", "-v", action="count", default=0, help="print progress")
    add_from_disk(verify)
    add_record_options(verify.add_argument_group(RECORDS_TITLE).add_argument)
    verify.set_defaults(run=_verify, parser=verify)


def _demo(arguments: argparse.Namespace) -> int:
    from .demo import run_demo  # and the models of scikit-learn that it compares with

    return run_demo(arguments.data, arguments.out, arguments.n_jobs)


def _summary(arguments: argparse.Namespace) -> int:
    model = load_any(arguments.model)
    show(model if isinstance(model, ScaledCard) else model.summary(), arguments.format)
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    with in_file(np.arange(0)), timed(arguments.time_limit):
        return _verified(arguments)


def _verified(arguments: argparse.Namespace) -> int:
    model = load_any(arguments.model, arguments.data)
    if not hasattr(model, "verify"):
        raise ValueError(
            f"{with_article(type(model).__name__)} has no certificate; all models but these machines have one"
        )
    kind = kind_of(model)
    data: Training | Records
    if kind in RECORD_KINDS:
        data = records_of_model(arguments, model, every=True, weights_required=True)
    else:
        check_record_options(arguments, kind)
        data = rows_of_fit(arguments, model, kind, weights_required=True)
    try:
        with in_file(data.rows):
            labels = labels_for(data.y, estimator_of(model)._task)
            estimator_of(model).set_params(verbose=arguments.verbose)
            certificate = model.verify(data.X, labels, sample_weight=data.weights)
    except _native.CertificateError as error:
        raise _native.CertificateError(without_options(str(error), arguments, kind)) from error
    print(f"the certificate is verified: {certificate}")
    if isinstance(model, ScaledCard):
        print(f"the points are those of the model, up to {model.max_error:.2f} points of rounding")
    return 0
