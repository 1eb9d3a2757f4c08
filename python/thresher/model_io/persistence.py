"""Serialisation of models as JSON files and pickles, with validation on loading."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import InvalidParameterError

from .. import _native
from ..formatting.text import with_article
from ..results.documents import to_plain
from ..validation import Parameter
from .envelope import FORMAT, SKIPPED, VERSION, check_envelope, jsonable, library_version, parameter
from .files import bad_model, parse, read_source
from .registry import name_of

_E = TypeVar("_E", bound="SavableEstimator")

_CORE_FORMAT = "thresher.rules"
_KEPT = ("_skl_callbacks", "_sklearn_output_config")  # scikit-learn's own state in a pickle


class SavableEstimator(Protocol):
    """The interface of an estimator that can be saved and loaded."""

    _extra_entries: ClassVar[frozenset[str]]
    _parameters: ClassVar[Mapping[str, Parameter]]
    _fitted: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters."""

    def _saved_parts(self, *, all_points: bool) -> dict[str, Any]: ...

    def _check_restored(self) -> None: ...

    def _restore(
        self, envelope: Mapping[str, Any], classes: NDArray[Any] | None = None, vocabulary: Any = None
    ) -> None: ...

    def _check_savable(self) -> None: ...

    def _pickled_vocabulary(self) -> Any: ...

    def __sklearn_is_fitted__(self) -> bool: ...


def _envelope(estimator: SavableEstimator, *, all_points: bool) -> dict[str, Any]:
    params = {name: jsonable(value) for name, value in estimator.get_params(deep=False).items()}
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": library_version(),
        "estimator": name_of(type(estimator)),
        "params": {name: value for name, value in params.items() if value is not SKIPPED},
        **estimator._saved_parts(all_points=all_points),
    }


def dump(estimator: SavableEstimator, *, all_points: bool = False) -> str:
    """Serialise a fitted estimator as JSON.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    all_points : bool, default=False
        Whether the text has the whole path rather than the selected model.

    Returns
    -------
    str
        The model, the parameters (except objects such as splitters) and what
        is needed to display it.
    """
    estimator._check_savable()
    envelope = _envelope(estimator, all_points=all_points)
    return json.dumps(envelope, allow_nan=False, ensure_ascii=False, default=to_plain)


def estimator_of(envelope: dict[str, Any]) -> str:
    """Return the name of a model's class.

    Parameters
    ----------
    envelope : dict
        The contents of a file.

    Returns
    -------
    str
        The name, which may be unknown.

    Raises
    ------
    FormatError
        If the file has no such entry.
    """
    if envelope.get("format") == _CORE_FORMAT:
        return "RuleClassifier" if envelope.get("task") == "classification" else "RuleRegressor"
    name = envelope.get("estimator")
    if not isinstance(name, str):
        raise bad_model("it does not say which estimator it holds")
    return name


def load_as(kind: type[_E], source: str | Path) -> _E:
    """Load a model as an estimator of a given class.

    Parameters
    ----------
    kind : type
        The class.
    source : str or Path
        Text or path; the core's own documents of rules are read too, with default
        parameters.

    Returns
    -------
    estimator
        The fitted estimator.

    Raises
    ------
    FormatError
        If it is not a valid model, or one of another class.
    """
    return restored(kind, parse(read_source(source)))


def restored(kind: type[_E], envelope: dict[str, Any]) -> _E:
    """Create the estimator of a file.

    Parameters
    ----------
    kind : type
        Its class.
    envelope : dict
        The contents of the file.

    Returns
    -------
    estimator
        The fitted estimator.

    Raises
    ------
    FormatError
        If it is not a valid model, or one of another class.
    """
    if envelope.get("format") == _CORE_FORMAT:
        envelope = _envelope_of(envelope)
    name = estimator_of(envelope)
    if name != name_of(kind):
        raise bad_model(f"it holds {with_article(name)}; read it with {name}.from_json, or with load_model")
    check_envelope(envelope, kind._extra_entries)
    estimator = kind()
    params = estimator.get_params(deep=False)
    for name, value in envelope["params"].items():
        if name not in params:
            raise bad_model(f"unknown parameter {name!r}")
        read = parameter(value, name)
        try:
            kind._parameters[name].check(name, read)
        except InvalidParameterError as error:
            raise bad_model(f"parameter {error}") from None
        setattr(estimator, name, read)
    estimator._restore(envelope)
    estimator._check_restored()
    return estimator


def _envelope_of(document: dict[str, Any]) -> dict[str, Any]:
    """Create the envelope of a bare document of the core."""
    params = {"loss": document["loss"]} if isinstance(document.get("loss"), str) else {}
    features = document.get("features")
    features = features if isinstance(features, list) else []
    outputs = document.get("outputs")
    is_1d = isinstance(outputs, list) and (len(outputs) == 1 or document.get("task") == "classification")
    return {
        "format": FORMAT,
        "version": VERSION,
        "library": str(document.get("library")),
        "estimator": estimator_of(document),
        "params": params,
        "named": [f.get("name") for f in features if isinstance(f, dict)]
        != [f"x{j}" for j in range(len(features))],
        "is_1d": is_1d,
        "targets": None,
        "model": json.dumps(document),
    }


def state_of(estimator: SavableEstimator) -> dict[str, Any]:
    """Return the state for a pickle.

    Parameters
    ----------
    estimator : estimator
        An estimator, fitted or not.

    Returns
    -------
    dict
        The parameters; for a fitted estimator also the JSON of :func:`dump`, with the
        whole path, and the labels with their dtype.
    """
    state: dict[str, Any] = {
        "version": VERSION,
        "params": estimator.get_params(deep=False),
        "extra": {name: value for name, value in estimator.__dict__.items() if name in _KEPT},
        "json": None,
    }
    if estimator.__sklearn_is_fitted__():
        envelope = _envelope(estimator, all_points=True)
        state["json"] = json.dumps(envelope, allow_nan=False, default=to_plain)
        state["classes"] = estimator._fitted.classes
        state["vocabulary"] = estimator._pickled_vocabulary()
    return state


def restore_state(estimator: SavableEstimator, state: dict[str, Any]) -> None:
    """Restore the state from a pickle.

    Parameters
    ----------
    estimator : estimator
        An unfitted estimator.
    state : dict
        From :func:`state_of`.

    Raises
    ------
    FormatError
        If it has another version or is damaged.
    """
    version = state.get("version") if isinstance(state, dict) else None
    if version != VERSION:
        raise bad_model(f"a pickle of version {version!r}; expected {VERSION}. Use to_json for long storage")
    fresh = type(estimator)()
    try:
        params, extra, text = state["params"], state["extra"], state["json"]
        if set(params) != set(fresh.get_params(deep=False)) or not set(extra) <= set(_KEPT):
            raise ValueError("its parameters are not those of the class")
        fresh.__dict__.update({**params, **extra})
        if text is not None:
            envelope = parse(text)
            check_envelope(envelope, estimator._extra_entries)
            fresh._restore(envelope, _labels(state["classes"]), state.get("vocabulary"))
    except _native.FormatError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise bad_model(f"the pickle is damaged ({type(error).__name__}: {error}); write it again") from None
    estimator.__dict__.update(fresh.__dict__)


def _labels(classes: Any) -> NDArray[Any] | None:
    if classes is None or (isinstance(classes, np.ndarray) and classes.ndim == 1):
        return classes
    raise TypeError("the labels are no array")
