"""Additive models as JSON files and pickles, and back, trusting nothing that a file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .. import _native
from ..files import bad_model, parse, read_source
from ..parameters import whole
from ..persistence import FORMAT, SKIPPED, VERSION, check_envelope, digits_of, jsonable, library_version, parameter
from .document import Document

if TYPE_CHECKING:
    from .base import AdditiveBase
    from .fitted import FittedAdditive

_E = TypeVar("_E", bound="FittedAdditive")


def points_limit(value: Any) -> int:
    """Check the most points of a step.

    Parameters
    ----------
    value : int
        What was given.

    Returns
    -------
    int
        The number.

    Raises
    ------
    TypeError, ValueError
        If it is no whole number >= 1.
    """
    return whole("max_points", value, 1) or 1


def _envelope(estimator: AdditiveBase, *, whole_path: bool) -> dict[str, Any]:
    fitted = estimator._fitted
    params = {name: jsonable(value) for name, value in estimator.get_params(deep=False).items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": library_version(),
        "estimator": "L0AdditiveClassifier" if estimator._task == "classification" else "L0AdditiveRegressor",
        "params": {name: value for name, value in params.items() if value is not SKIPPED},
        "named": fitted.named,
        "flat": fitted.flat,
        "targets": None,
        "digits": [sorted(texts.items()) for texts in fitted.document.digits.shown],
        "model": fitted.document.saved(estimator._points, whole=whole_path),
    }


def dump(estimator: AdditiveBase) -> str:
    """Write a fitted estimator as JSON.

    Parameters
    ----------
    estimator : estimator
        A fitted one.

    Returns
    -------
    str
        The chosen model, the parameters (but for objects such as splitters) and what
        is needed to show it as before.
    """
    return json.dumps(_envelope(estimator, whole_path=False), allow_nan=False, ensure_ascii=False)


def load_as(kind: type[_E], source: str | Path) -> _E:
    """Read a model as an estimator of one class.

    Parameters
    ----------
    kind : type
        L0AdditiveClassifier or L0AdditiveRegressor.
    source : str or Path
        Text or path.

    Returns
    -------
    estimator
        Fitted.

    Raises
    ------
    FormatError
        If it is no valid model, or one of another class.
    """
    envelope = parse(read_source(source))
    check_envelope(envelope)
    if envelope["estimator"] != kind.__name__:
        raise bad_model(f"it holds a {str(envelope['estimator'])[:60]}, not a {kind.__name__}")
    estimator = kind()
    known = estimator.get_params(deep=False)
    for name, value in envelope["params"].items():
        if name not in known:
            raise bad_model(f"unknown parameter {name!r}")
        setattr(estimator, name, parameter(value))
    _restore(estimator, envelope, None)
    return estimator


def _restore(estimator: AdditiveBase, envelope: dict[str, Any], classes: Any) -> None:
    from .base import Fitted

    document = Document(_native.AdditiveModel.from_json(json.dumps(envelope["model"])))
    if document.task != estimator._task:
        raise bad_model(f"it is for {document.task}")
    if classes is None and document.classes is not None:
        classes = np.asarray(document.classes)
    if (document.task == "classification") != (classes is not None):
        raise bad_model("its classes do not fit its loss")
    document.digits = digits_of(envelope["digits"], document.features)
    flat = bool(envelope["flat"]) and (document.task == "classification" or len(document.outputs) == 1)
    estimator._install(Fitted(document, bool(envelope["named"]), flat, classes), document.selected())


def state_of(estimator: AdditiveBase) -> dict[str, Any]:
    """Give what a pickle holds.

    Parameters
    ----------
    estimator : estimator
        Fitted or not.

    Returns
    -------
    dict
        Parameters as they are; for a fitted one its JSON with the whole path, and the
        labels with their dtype.
    """
    kept = ("_skl_callbacks", "_sklearn_output_config")
    extra = {name: value for name, value in estimator.__dict__.items() if name in kept}
    state: dict[str, Any] = {
        "version": VERSION, "params": estimator.get_params(deep=False), "extra": extra, "json": None
    }
    if "_fitted" in estimator.__dict__:
        state["json"] = json.dumps(_envelope(estimator, whole_path=True), allow_nan=False)
        state["classes"] = estimator._fitted.classes
    return state


def restore_state(estimator: AdditiveBase, state: dict[str, Any]) -> None:
    """Take what a pickle holds.

    Parameters
    ----------
    estimator : estimator
        A blank one.
    state : dict
        From :func:`state_of`.

    Raises
    ------
    FormatError
        If it is of another version or damaged.
    """
    if state.get("version") != VERSION:
        raise bad_model(f"a pickle of version {state.get('version')!r}; expected {VERSION}. Use to_json for keeps")
    estimator.__dict__.update(state["params"])
    estimator.__dict__.update(state["extra"])
    if state["json"] is not None:
        _restore(estimator, parse(state["json"]), state["classes"])
