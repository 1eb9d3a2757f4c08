"""Loading of models of any class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..public_names import load
from .files import bad_model, parse, read_source
from .persistence import estimator_of, restored
from .registry import CARD_FORMAT, find


def load_model(source: str | Path) -> Any:
    """Load a model of any class, or a score card in points.

    Parameters
    ----------
    source : str or Path
        Text or path; the core's own documents of rules are read too, with default
        parameters.

    Returns
    -------
    estimator
        A fitted estimator of the class that was saved; a :class:`ScaledCard` where that was saved.

    Raises
    ------
    FormatError
        If it is not a valid model.
    FileNotFoundError
        If the file does not exist.

    Examples
    --------
    >>> from thresher import load_model
    >>> from thresher import L0Regressor
    >>> text = L0Regressor(lambda0=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 10.0]).to_json()
    >>> load_model(text).predict([[3.0]]).round(6).tolist()
    [15.0]
    """
    return model_of(read_source(source))


def model_of(text: str) -> Any:
    """Create the estimator of any class that a text holds.

    Parameters
    ----------
    text : str
        The content of a model file.

    Returns
    -------
    estimator
        A fitted estimator of the class that was saved.

    Raises
    ------
    FormatError
        If it is not a valid model.
    """
    envelope = parse(text)
    if envelope.get("format") == CARD_FORMAT:
        return load("ScaledCard")._restored(envelope)
    name = estimator_of(envelope)
    kind = find(name)
    if kind is None:
        raise bad_model(f"unknown estimator {name!r}")
    return restored(kind, envelope)
