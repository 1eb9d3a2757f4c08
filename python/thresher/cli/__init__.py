"""The command line: ``thresher fit``, ``predict``, ``summary``, ``verify``, ``demo``, ``doctor``.

=================================================== ==========================================================
all commands; ``summary``, ``verify``               ``outline.py``, ``commands.py``
``fit``                                             ``fit.py``, ``models.py``, ``parameters.py``, ``task.py``,
                                                    ``notes.py``
``predict``                                         ``predictions.py``
``monitor``                                         ``monitor.py``
``scorecard``, ``bands``, ``bins``, ``importances`` ``scorecards.py``, ``card_tables.py``,
                                                    ``reason_options.py``
``export``, ``report``, ``patterns``, ``compare``   ``export.py``, ``reports.py``, ``patterns.py``,
                                                    ``comparison.py``
``demo``, ``doctor``                                ``demo.py``, ``demo_data.py``, ``doctor.py``
model files, and the columns that they need         ``fitted_models.py``, ``unknown.py``, ``weights.py``
columns of a file, rows in batches                  ``columns.py``, ``targets.py``, ``from_disk.py``
records in files: items, events, graphs             ``records.py``, ``record_options.py``, ``record_rows.py``,
                                                    ``long_tables.py``
options, messages, printed tables                   ``options.py``, ``messages.py``, ``printing.py``
=================================================== ==========================================================
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .outline import outline

__all__ = ["main"]

_OF_THE_PROGRAM = ("-h", "--help", "--version")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command-line interface; help and version of the program load nothing more.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        The exit status, as of :func:`thresher.cli.commands.main`.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    if not arguments or arguments[0] in _OF_THE_PROGRAM:
        outline().parse_args(arguments[:1])
    from . import commands

    return commands.main(argv)
