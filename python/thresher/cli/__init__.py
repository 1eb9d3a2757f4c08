"""The command line: ``thresher fit``, ``predict``, ``summary``, ``verify``, ``demo``, ``doctor``."""

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
