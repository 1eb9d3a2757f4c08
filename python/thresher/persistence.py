"""Models as JSON files and pickles, and back, trusting nothing that a file says."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _native
from .files import bad_model, parse, read_source
from .text import Digits

if TYPE_CHECKING:
    from .convex.base import ConvexModelBase

_E = TypeVar("_E", bound="ConvexModelBase")

FORMAT = "thresher.estimator"
VERSION = 1
_CORE_FORMAT = "thresher.rules"
_KEYS = {"format", "version", "library", "estimator", "params", "named", "flat", "targets", "digits", "model"}
_HOMES = {
    "patterns": (
        "ItemsetRegressor",
        "ItemsetClassifier",
        "SequenceRegressor",
        "SequenceClassifier",
        "GraphRegressor",
        "GraphClassifier",
    ),
    "l0": ("L0Classifier", "L0Regressor"),
    "additive": ("L0AdditiveClassifier", "L0AdditiveRegressor"),
    "fm": ("FactorizationMachineClassifier", "FactorizationMachineRegressor"),
    "hierarchy": ("HierarchicalRuleClassifier", "HierarchicalRuleRegressor"),
}
PATTERN_ESTIMATORS = _HOMES["patterns"]
# Estimators by name, with the package that they live in; the rules are not among them.
HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_TASKS = {"RuleRegressor": "regression", "RuleClassifier": "classification"}


def library_version() -> str:
    """Give the installed version of the package.

    Returns
    -------
    str
        The version, ``0+unknown`` where the package is not installed.
    """
    try:
        return version("thresher")
    except PackageNotFoundError:
        return "0+unknown"


def _envelope(estimator: ConvexModelBase, model: Any) -> dict[str, Any]:
    fitted = estimator._fitted
    params = {name: jsonable(value) for name, value in estimator.get_params(deep=False).items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": library_version(),
        "estimator": estimator._saved_as,
        "params": {name: value for name, value in params.items() if value is not SKIPPED},
        "named": fitted.named,
        "flat": fitted.flat,
        "targets": fitted.target_names,
        "model": model,
        **estimator._extras(),
    }


def dump(estimator: ConvexModelBase) -> str:
    """Write a fitted estimator as JSON.

    Parameters
    ----------
    estimator : estimator
        A fitted one.

    Returns
    -------
    str
        The chosen model, the parameters (but for objects such as splitters) and
        what is needed to show it as before.
    """
    estimator._check_savable()
    model = estimator._fitted.document.saved(estimator._points)
    return json.dumps(_envelope(estimator, model), allow_nan=False, ensure_ascii=False)


SKIPPED = object()


def jsonable(value: Any) -> Any:
    """Turn a parameter into JSON, or say that it cannot be.

    Parameters
    ----------
    value : object
        A parameter's value.

    Returns
    -------
    object
        What JSON can hold, or `SKIPPED`.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else SKIPPED
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, Mapping):
        pairs = [[jsonable(key), jsonable(entry)] for key, entry in value.items()]
        return SKIPPED if any(SKIPPED in pair for pair in pairs) else {"pairs": pairs}
    if isinstance(value, (list, tuple)):
        entries = [jsonable(entry) for entry in value]
        return SKIPPED if any(entry is SKIPPED for entry in entries) else entries
    return SKIPPED


def parameter(value: Any) -> Any:
    """Turn JSON into a parameter.

    Parameters
    ----------
    value : object
        From :func:`jsonable`.

    Returns
    -------
    object
        The parameter's value.

    Raises
    ------
    FormatError
        If it was not written by :func:`jsonable`.
    """
    if isinstance(value, dict):
        if set(value) != {"pairs"}:
            raise bad_model("a parameter is a dict without 'pairs'")
        return {_key(key): entry for key, entry in value["pairs"]}
    return value


def _key(key: Any) -> Any:
    if isinstance(key, (str, int, float, bool)):
        return key
    raise bad_model(f"{key!r} can be no key of a parameter")


def check_envelope(envelope: dict[str, Any]) -> None:
    """Refuse what is not a whole envelope of this version.

    Parameters
    ----------
    envelope : dict
        What a file says.

    Raises
    ------
    FormatError
        If something is missing, unknown or of another type.
    """
    if envelope.get("format") != FORMAT:
        raise bad_model(f"format is {envelope.get('format')!r}, expected {FORMAT!r}")
    if envelope.get("version") != VERSION:
        raise bad_model(f"version {envelope.get('version')!r}, expected {VERSION}")
    keys = _KEYS | {"matrix"} if envelope.get("estimator") in PATTERN_ESTIMATORS else _KEYS
    if set(envelope) != keys:
        odd = ", ".join(sorted(set(envelope) ^ keys))
        raise bad_model(f"missing or unknown entries: {odd}")
    if not isinstance(envelope["params"], dict) or not isinstance(envelope["model"], dict):
        raise bad_model("'params' and 'model' must be objects")
    if not isinstance(envelope["named"], bool) or not isinstance(envelope["flat"], bool):
        raise bad_model("'named' and 'flat' must be true or false")


def digits_of(entries: Any, features: Sequence[Any]) -> Digits:
    """Read the cuts' texts; a text must be a number that lies between its cut's neighbours.

    Parameters
    ----------
    entries : list of list of (cut, text)
        For each feature its cuts' texts.
    features : list of mapping
        The features with their ``cuts``.

    Returns
    -------
    Digits
        The texts.

    Raises
    ------
    FormatError
        If a text does not stand for its cut.
    """
    try:
        shown = [{float(cut): str(text) for cut, text in texts} for texts in entries]
        if len(shown) > len(features):
            raise ValueError("there are more columns than features")
        for texts, feature in zip(shown, features, strict=False):
            cuts = [-math.inf, *feature.get("cuts", []), math.inf]
            neighbours = dict(zip(cuts[1:-1], zip(cuts, cuts[2:], strict=False), strict=False))
            for cut, text in texts.items():
                low, high = neighbours.get(cut, (cut, cut))
                if not low < float(text) < high:
                    raise ValueError(f"{text!r} does not stand for the cut {cut!r}")
    except (TypeError, ValueError) as error:
        raise bad_model(f"'digits': {error}") from None
    return Digits(shown)


def _task_of(envelope: dict[str, Any]) -> str:
    task = envelope.get("task")
    if envelope.get("format") != _CORE_FORMAT:
        task = _TASKS.get(str(envelope.get("estimator")))
    if task not in _TASKS.values():
        raise bad_model("it does not say what it predicts")
    return str(task)


def load_as(kind: type[_E], source: str | Path) -> _E:
    """Read a model as an estimator of one class.

    Parameters
    ----------
    kind : type
        RuleRegressor or RuleClassifier.
    source : str or Path
        Text or path; the core's own documents are read too, with default parameters.

    Returns
    -------
    estimator
        Fitted.

    Raises
    ------
    FormatError
        If it is no valid model, or one for another task.
    """
    return _load(kind, parse(read_source(source)))


def _load(cls: type[_E], envelope: dict[str, Any]) -> _E:
    if envelope.get("format") == _CORE_FORMAT:
        envelope = _bare(envelope)
    check_envelope(envelope)
    name = envelope["estimator"]
    if name != cls._saved_as and name in (*_TASKS, *PATTERN_ESTIMATORS):
        raise bad_model(f"it holds a {name}; read it with {name}.from_json")
    if name != cls._saved_as:
        raise bad_model(f"unknown estimator {name!r}")
    estimator = cls()
    known = estimator.get_params(deep=False)
    for name, value in envelope["params"].items():
        if name not in known:
            raise bad_model(f"unknown parameter {name!r}")
        setattr(estimator, name, parameter(value))
    _restore(estimator, envelope)
    return estimator


def _bare(document: dict[str, Any]) -> dict[str, Any]:
    """Wrap a document that was written by the core alone."""
    params = {"loss": document["loss"]} if isinstance(document.get("loss"), str) else {}
    features = document.get("features")
    n = len(features) if isinstance(features, list) else 0
    outputs = document.get("outputs")
    flat = isinstance(outputs, list) and (len(outputs) == 1 or document.get("task") == "classification")
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": str(document.get("library")),
        "estimator": "RuleClassifier" if document.get("task") == "classification" else "RuleRegressor",
        "params": params,
        "named": [f.get("name") for f in features or [] if isinstance(f, dict)]
        != [f"x{j}" for j in range(n)],
        "flat": flat,
        "targets": None,
        "digits": None,
        "model": document,
    }


def _restore(
    estimator: ConvexModelBase, envelope: dict[str, Any], classes: Any = None, labels: Any = None
) -> None:
    document = estimator._open(envelope, labels)
    if document.task != estimator._task:
        raise _native.FormatError(
            f"not a valid thresher model for a {type(estimator).__name__}: it is for {document.task}"
        )
    if classes is None and document.classes is not None:
        classes = np.asarray(document.classes)
    if document.task == "classification" and (
        classes is None or len(classes) != max(2, len(document.outputs))
    ):
        raise bad_model("its classes do not fit its outputs")
    targets = envelope["targets"]
    if targets is not None and (not isinstance(targets, list) or len(targets) != len(document.outputs)):
        raise bad_model("'targets' does not fit its outputs")
    flat = bool(envelope["flat"]) and (document.task == "classification" or len(document.outputs) == 1)
    fitted = estimator._rebuild(document, envelope, flat, classes, targets)
    estimator._install(fitted, document.selected())


def load_model(source: str | Path) -> Any:
    """Read a model of any kind.

    Parameters
    ----------
    source : str or Path
        Text or path.

    Returns
    -------
    estimator
        Fitted, of the class that was saved.

    Raises
    ------
    FormatError
        If it is no valid model.
    FileNotFoundError
        If there is no such file.
    """
    from .rules import RuleClassifier, RuleRegressor

    envelope = parse(read_source(source))
    name = envelope.get("estimator")
    if isinstance(name, str) and name in HOME_OF:
        cls = getattr(import_module(f".{HOME_OF[name]}", __package__), name)
        if name in PATTERN_ESTIMATORS:
            return _load(cls, envelope)
        return cls.from_json(json.dumps(envelope))
    return _load(RuleClassifier if _task_of(envelope) == "classification" else RuleRegressor, envelope)


def state_of(estimator: ConvexModelBase) -> dict[str, Any]:
    """Give what a pickle holds.

    Parameters
    ----------
    estimator : estimator
        Fitted or not.

    Returns
    -------
    dict
        Parameters as they are; for a fitted one the same JSON as :func:`dump`, with
        the whole path, and the labels with their dtype.
    """
    params = estimator.get_params(deep=False)
    extra = {
        name: value
        for name, value in estimator.__dict__.items()
        if name in ("_skl_callbacks", "_sklearn_output_config")
    }
    state: dict[str, Any] = {"version": VERSION, "params": params, "extra": extra, "json": None}
    if "_fitted" in estimator.__dict__:
        fitted = estimator._fitted
        model = json.loads(fitted.document.model.to_json(all_points=True))
        for output, point in zip(model["outputs"], estimator._points, strict=True):
            output["selected"] = point
        state["json"] = json.dumps(_envelope(estimator, model), allow_nan=False)
        state["classes"] = fitted.classes
        state["labels"] = estimator._own_labels()
    return state


def restore_state(estimator: ConvexModelBase, state: dict[str, Any]) -> None:
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
        _restore(estimator, parse(state["json"]), state["classes"], state.get("labels"))
