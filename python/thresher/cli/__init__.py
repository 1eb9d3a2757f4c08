"""The command line: ``thresher fit``, ``predict``, ``summary``, ``verify``, ``demo``, ``doctor``."""

from .commands import main

__all__ = ["main"]
