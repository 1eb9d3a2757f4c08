"""Fits of rules and patterns, whose searches other processes can share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from ..cluster import searches_on
from ..progress import with_callbacks
from . import _fitting
from ._resumed import fit_resumable
from ._training import GivenRows, PathRequest

_T = TypeVar("_T")
_Estimator = TypeVar("_Estimator")

_PARAMETER = """
client : dask.distributed.Client, optional
    Its workers share the searches of the fit, which take most of the time of a long one. The model is the
    same, bit for bit. Within a task of Dask it is not used.

Returns
"""
_ERRORS = """
Raises
------
RuntimeError
    If workers of `client` ended more often than Dask allows, or if it was closed. Without workers it is a
    TimeoutError.
"""


def _documented_as(plain: Any) -> Callable[[_T], _T]:
    """Take the docstring of the same method without `client`."""

    def complete(method: Any) -> Any:
        text = inspect.cleandoc(plain.__doc__ or "")
        text = text.replace("\n\nReturns\n", _PARAMETER)
        method.__doc__ = text.replace("\nRaises\n------\n", _ERRORS)
        return method

    return complete


@_documented_as(_fitting.fit)
@with_callbacks
def fit(
    self: _Estimator,
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    checkpoint: str | Path | None = None,
    client: Any = None,
) -> _Estimator:
    """Fit the model."""
    fit_resumable(self, GivenRows(X, y, sample_weight, groups), None, checkpoint, searches_on(client))
    return self


@_documented_as(_fitting.fit_path)
@with_callbacks
def fit_path(
    self: _Estimator,
    X: Any,
    y: ArrayLike,
    *,
    alphas: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    checkpoint: str | Path | None = None,
    client: Any = None,
) -> _Estimator:
    """Fit the whole regularisation path."""
    fit_resumable(self, GivenRows(X, y, sample_weight), PathRequest(alphas), checkpoint, searches_on(client))
    return self
