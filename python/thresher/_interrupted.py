"""Ctrl-C while the command line is imported, which takes seconds: one line, as later on."""

from __future__ import annotations

import sys
from pathlib import PurePath
from types import TracebackType


def is_command(arguments: list[str]) -> bool:
    """Return whether this process was started as ``thresher`` or ``python -m thresher``.

    Parameters
    ----------
    arguments : list of str
        ``sys.orig_argv``: the interpreter, its options, and what it runs.

    Returns
    -------
    bool
        False for scripts and sessions that import the package.

    Examples
    --------
    >>> is_command(["python", "/usr/bin/thresher", "fit"]), is_command(["python", "-m", "thresher"])
    (True, True)
    >>> is_command(["python", "study.py", "thresher"])
    False
    """
    first = next((k for k, each in enumerate(arguments) if k and not each.startswith("-")), 0)
    is_module = arguments[first - 1] == "-m" and arguments[first] == "thresher"
    return is_module or (first > 0 and PurePath(arguments[first]).stem in ("thresher", "thresher-script"))


def _show(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("thresher: interrupted", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)


if is_command(sys.orig_argv):
    sys.excepthook = _show
