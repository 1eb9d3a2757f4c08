"""Compiled models as JSON and pickles, in the same envelope as the rule models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..files import bad_model, parse, read_source
from ..persistence import (
    FORMAT,
    HOME_OF,
    SKIPPED,
    VERSION,
    check_envelope,
    digits_of,
    jsonable,
    library_version,
    parameter,
)

if TYPE_CHECKING:
    from .base import Saved

_E = TypeVar("_E", bound="Saved")


def _envelope(estimator: Saved, *, all_points: bool) -> dict[str, Any]:
    fitted = estimator._fitted
    digits = fitted.digits
    outputs = []
    for output, point in zip(fitted.wire["outputs"], estimator._points, strict=True):
        if all_points:
            outputs.append({**output, "selected": point})
        else:
            scores = {"cv": None} if "cv" in output else {}
            outputs.append({**output, "selected": 0, "points": [output["points"][point]], **scores})
    params = {name: jsonable(value) for name, value in estimator.get_params(deep=False).items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": library_version(),
        "estimator": type(estimator).__name__,
        "params": {name: value for name, value in params.items() if value is not SKIPPED},
        "named": fitted.schema.named,
        "flat": fitted.flat,
        "targets": fitted.targets,
        "digits": None if digits is None else [sorted(texts.items()) for texts in digits.shown],
        "model": {**fitted.wire, "outputs": outputs},
    }


def dump(estimator: Saved) -> str:
    """Write a fitted estimator as JSON.

    Parameters
    ----------
    estimator : estimator
        A fitted one.

    Returns
    -------
    str
        The chosen model and the parameters (but for objects such as splitters).
    """
    return json.dumps(_envelope(estimator, all_points=False), allow_nan=False, ensure_ascii=False)


def load_as(kind: type[_E], source: str | Path) -> _E:
    """Read a model as an estimator of one class.

    Parameters
    ----------
    kind : type
        The class.
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
    saved = envelope["estimator"]
    if saved != kind.__name__:
        known = saved in (*HOME_OF, "RuleClassifier", "RuleRegressor")
        raise bad_model(
            f"it holds a {saved}; read it with {saved}.from_json" if known else f"unknown estimator {saved!r}"
        )
    estimator = kind()
    known_params = estimator.get_params(deep=False)
    for name, value in envelope["params"].items():
        if name not in known_params:
            raise bad_model(f"unknown parameter {name!r}")
        setattr(estimator, name, parameter(value))
    _restore(estimator, envelope)
    return estimator


def _restore(estimator: Saved, envelope: dict[str, Any], classes: Any = None) -> None:
    from .fitted import Fitted

    model = estimator._read_core(json.dumps(envelope["model"]))
    wire = json.loads(model.to_json())
    outputs = len(wire["outputs"])
    if wire["task"] != estimator._task:
        raise bad_model(f"it is for {wire['task']}, a {type(estimator).__name__} is for {estimator._task}")
    if classes is None and wire["classes"] is not None:
        classes = np.asarray(wire["classes"])
    if wire["task"] == "classification" and (classes is None or len(classes) != max(2, outputs)):
        raise bad_model("its classes do not fit its outputs")
    targets = envelope["targets"]
    if targets is not None and (not isinstance(targets, list) or len(targets) != outputs):
        raise bad_model("'targets' does not fit its outputs")
    flat = bool(envelope["flat"]) and (wire["task"] == "classification" or outputs == 1)
    schema = estimator._schema(wire, bool(envelope["named"]))
    digits = None if envelope["digits"] is None else digits_of(envelope["digits"], wire["features"])
    fitted = Fitted(model, wire, schema, flat, classes, targets, digits)
    estimator._install(fitted, [output["selected"] for output in wire["outputs"]])


def state_of(estimator: Saved) -> dict[str, Any]:
    """Give what a pickle holds.

    Parameters
    ----------
    estimator : estimator
        Fitted or not.

    Returns
    -------
    dict
        Parameters as they are; for a fitted one the JSON of the whole path, and the
        labels with their dtype.
    """
    kept = ("_skl_callbacks", "_sklearn_output_config")
    state: dict[str, Any] = {
        "version": VERSION,
        "params": estimator.get_params(deep=False),
        "extra": {name: value for name, value in estimator.__dict__.items() if name in kept},
        "json": None,
    }
    if "_fitted" in estimator.__dict__:
        state["json"] = json.dumps(_envelope(estimator, all_points=True), allow_nan=False)
        state["classes"] = estimator._fitted.classes
    return state


def restore_state(estimator: Saved, state: dict[str, Any]) -> None:
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
        raise bad_model(
            f"a pickle of version {state.get('version')!r}; expected {VERSION}. Use to_json for keeps"
        )
    estimator.__dict__.update(state["params"])
    estimator.__dict__.update(state["extra"])
    if state["json"] is not None:
        _restore(estimator, parse(state["json"]), state["classes"])
