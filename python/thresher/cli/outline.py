"""The outline of the command line: its name and its commands, known without loading what they need."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from ..model_io.envelope import library_version

COMMANDS = {
    "demo": "fit a real data set and print the results",
    "fit": "fit a model to a CSV or Parquet file",
    "predict": "predict the rows of a file",
    "summary": "print a model: its terms and its certificate",
    "patterns": "compare records with and without each pattern: rates or means, with intervals",
    "report": "write a page of HTML about a model, and rows if given",
    "compare": "compare models of rules, patterns or subsets, and their predictions, on the same rows",
    "verify": "verify a model's certificate on its training data",
    "export": "write a model as SQL, Python, JavaScript, C, ONNX, PMML or a workbook",
    "bins": "print the bins of a model of step functions: counts, rates, WoE, IV; or change bins",
    "importances": "say how much worse the best model of step functions without each column is",
    "scorecard": "scale a score card to points, and print it",
    "bands": "divide rows into bands of the score: counts, event rates, cumulative shares",
    "monitor": "compare new rows with those of training: PSI, CSI, AUC",
    "doctor": "check this installation; of a file, what would mislead a model or be refused",
}
"""The commands, and what they do."""


class _Parser(argparse.ArgumentParser):
    """A parser, also of each command, that says how to give a value which looks like an option."""

    def error(self, message: str) -> NoReturn:
        """End the program with a message."""
        if found := re.match(r"argument (--[^/:]+)\S*: expected (at least )?one argument", message):
            message += f"; a value that begins with a hyphen follows an equals sign: {found[1]}=--name"
        super().error(message)


def bare_parser() -> argparse.ArgumentParser:
    """Create the parser of the command line without its commands.

    Returns
    -------
    ArgumentParser
        It knows ``--help`` and ``--version``.

    Examples
    --------
    >>> bare_parser().prog
    'thresher'
    """
    parser = _Parser(
        prog="thresher",
        description="Fit sparse models to read: rules that are provably the best of their kind, score "
        "cards, patterns in sets, sequences and molecules.",
    )
    parser.add_argument("--version", action="version", version=f"thresher {library_version()}")
    return parser


def outline() -> argparse.ArgumentParser:
    """Create the parser of the command line with its commands, but not their options.

    Returns
    -------
    ArgumentParser
        It prints the help of the program, its version, or that a command is missing.

    Examples
    --------
    >>> "fit a model to" in outline().format_help()
    True
    """
    parser = bare_parser()
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, text in COMMANDS.items():
        commands.add_parser(name, help=text)
    return parser
