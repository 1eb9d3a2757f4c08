"""The command line: ``thresher fit``, ``predict``, ``rules``, ``verify``, ``demo``, ``doctor``."""

from .commands import main

__all__ = ["main"]
