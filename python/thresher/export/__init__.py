"""Fitted models as code: SQL, Python, JavaScript, C, ONNX, spreadsheets."""

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name != "pipelines":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.pipelines")
