"""Finished fits, and finished searches of others, in the files of a folder.

Each task of a batch has a file, named after it. A fit and a path by themselves have one that is named after
their fingerprint as well, so that other fits may have the same folder. A file has two lines of JSON:
fingerprints of the data and parameters with a digest of the model, and the model as in a file of its own. It
is written beside its place and renamed once the disk has it, so that it is complete whenever the process or
the machine ends, and two processes may write the same task.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._native import FormatError
from ..data.datasets import is_dataset
from ..data.streams import open_output
from ..threads import is_whole
from . import fingerprint as fingerprints
from . import persistence
from .envelope import check_envelope, library_version
from .files import bad_model, decoded, parse

FORMAT = "thresher.checkpoint"
VERSION = 1
_ENTRIES = {"format", "version", "fingerprint", "labels", "digest"}
_SEARCHES = b"thresher.searches "  # what the core's files of searches begin with
_LEGIBLE = 40  # characters of a name in the name of a file, which may have 255 bytes
_NOUNS = ("data", "parameters", "version of thresher")  # of the fields of a fingerprint


class Fingerprint(NamedTuple):
    """What a finished task must agree in.

    Parameters
    ----------
    data : str
        Of `X`, `y` and the weights.
    parameters : str
        Of the estimator.
    library : str
        The version of the package.
    """

    data: str
    parameters: str
    library: str


@dataclass(frozen=True)
class Single:
    """The name of what a folder has beside the tasks of a batch.

    Parameters
    ----------
    kind : {"fit", "path"}
        Which one.
    """

    kind: str


FIT, PATH = Single("fit"), Single("path")


def is_whole_fit(model: Any, is_path: bool = False) -> bool:
    """Return whether a model may be kept: no time limit cut its fit short.

    Parameters
    ----------
    model : estimator
        The fitted model.
    is_path : bool, default=False
        Whether all points of its path count.

    Returns
    -------
    bool
        Whether it is what a fit without a time limit gives.
    """
    if model.get_params(deep=False).get("time_limit") is None:
        return True
    points = [point for output in model._fitted.outputs for point in output["points"]]
    if not is_path:
        points = model._fitted.points(model._path_index)
    return all(point["complete"] for point in points)


def label_of(name: Hashable) -> str:
    """Return what messages call a task.

    Parameters
    ----------
    name : hashable
        The name of the task, or its position, or a :class:`Single`.

    Returns
    -------
    str
        Texts in quotes.

    Examples
    --------
    >>> label_of(3), label_of("north"), label_of(("north", 2)), label_of(FIT)
    ('task 3', "task 'north'", "task ('north', 2)", 'the fit')
    """
    if isinstance(name, Single):
        return f"the {name.kind}"
    return f"task {str(name)!r}" if isinstance(name, str) else f"task {name}"


def _stem(name: Hashable) -> str:
    """Return what files call a task: a name may hold slashes, or differ from another in case alone."""
    if isinstance(name, Single):
        return name.kind
    if is_whole(name):
        return f"task-{name}"
    legible = re.sub(r"[^\w.-]+", "-", str(name), flags=re.ASCII)[:_LEGIBLE]
    return f"task-{legible}-{_digest(label_of(name))[:12]}"


class _File(NamedTuple):
    """The first line of a file, and the second."""

    entries: dict[str, Any]
    model: str


class Checkpoint:
    """The folder of a batch, of a fit, or of both.

    Parameters
    ----------
    folder : str or Path
        The folder, created if needed.
    estimator : estimator
        The parameters of all fits.

    Raises
    ------
    OSError
        If it cannot be created.
    TypeError, ValueError
        If it is no name of a folder.
    """

    def __init__(self, folder: str | Path, estimator: Any) -> None:
        self._folder = _created(folder)
        self._estimator = estimator
        kind = type(estimator)
        params = {**estimator.get_params(deep=False), "": f"{kind.__module__}.{kind.__qualname__}"}
        self._parameters = fingerprints.of_parameters(params)
        self._latest: tuple[Any, str] = (None, "")

    def fingerprint(self, data: tuple[Any, ...]) -> Fingerprint:
        """Return the fingerprint of a task.

        Parameters
        ----------
        data : (X, y, sample_weight, ...)
            Its data, and what else tells it from other tasks.

        Returns
        -------
        Fingerprint
            Of the data and parameters.
        """
        X, *others = data
        if X is not self._latest[0]:  # several targets of one table
            if is_dataset(X) and not isinstance(X, (list, tuple)):
                raise TypeError(
                    "checkpoint: X is read from elsewhere, which may change without notice; give data in "
                    "memory, such as a list of batches, or no checkpoint"
                )
            self._latest = (X, fingerprints.of_data(X))
        parts = [self._latest[1], *map(fingerprints.of_data, others)]
        return Fingerprint(fingerprints.of_data(parts), self._parameters, library_version())

    def load(self, name: Hashable, fingerprint: Fingerprint) -> Any:
        """Return the model of a finished task.

        Parameters
        ----------
        name : hashable
            The name of the task, or its position.
        fingerprint : Fingerprint
            Of its data and parameters.

        Returns
        -------
        estimator or None
            None if the task is not done, or its file is damaged.

        Raises
        ------
        ValueError
            If the file is of other data or parameters.
        OSError
            If it cannot be read.

        Warns
        -----
        UserWarning
            If the file is damaged.
        """
        path = self._path(name, fingerprint)
        try:
            found = self._found(path, name, fingerprint)
            return None if found is None else self._model(found)
        except FormatError as error:
            warnings.warn(f"{path} is damaged and {label_of(name)} is fitted again: {error}", stacklevel=2)
            return None

    def save(self, name: Hashable, fingerprint: Fingerprint, model: Any) -> Any:
        """Write the model of a task.

        Parameters
        ----------
        name : hashable
            The name of the task, or its position.
        fingerprint : Fingerprint
            Of its data and parameters.
        model : estimator
            The fitted model.

        Returns
        -------
        estimator
            The model as the file has it.

        Raises
        ------
        TypeError
            If JSON cannot represent the model.
        ValueError
            If another process has written a model of other data or parameters under this name meanwhile.
        OSError
            If the file cannot be written.
        """
        path = self._path(name, fingerprint)
        with suppress(FormatError):
            self._found(path, name, fingerprint)
        try:
            # As it will be read: the digest is of this text.
            text = decoded(persistence.dump(model, all_points=True).encode(), path)
        except TypeError as error:
            raise TypeError(f"{label_of(name)}: {error}") from error
        classes = model._fitted.classes
        entries = {
            "format": FORMAT,
            "version": VERSION,
            "fingerprint": fingerprint._asdict(),
            "labels": None if classes is None else classes.dtype.str,
            "digest": _digest(text),
        }
        content = f"{json.dumps(entries)}\n{text}\n"
        try:
            with open_output(path) as file:
                file.write(content.encode())
                file.flush()
                os.fsync(file.fileno())  # before it takes its name: a name without content is a damaged file
        except OSError as error:
            raise type(error)(f"{label_of(name)}: {error}") from error
        return self._model(_read(content))

    def journal(self, name: Hashable, fingerprint: Fingerprint) -> Path:
        """Return the file in which the core writes the results of the searches of a task.

        Parameters
        ----------
        name : hashable
            The name of the task, or its position.
        fingerprint : Fingerprint
            Of its data and parameters.

        Returns
        -------
        Path
            The file, which need not exist.

        Warns
        -----
        UserWarning
            If the file is damaged at its start; the task is run again.
        """
        path = self._folder / f"searches-{_stem(name)}-{_short(fingerprint)}.bin"
        if path.exists() and not _begins_as_searches(path):
            warnings.warn(f"{path} is damaged and {label_of(name)} begins again", stacklevel=2)
            path.unlink()
        return path

    def _path(self, name: Hashable, fingerprint: Fingerprint) -> Path:
        own = f"-{_short(fingerprint)}" if isinstance(name, Single) else ""
        return self._folder / f"{_stem(name)}{own}.jsonl"

    @staticmethod
    def _found(path: Path, name: Hashable, wanted: Fingerprint) -> _File | None:
        """Read a file, if there is one; raise an error if it is of other data or parameters."""
        try:
            found = _read(decoded(path.read_bytes(), path))
        except FileNotFoundError:
            return None
        pairs = zip(_NOUNS, wanted, Fingerprint(**found.entries["fingerprint"]), strict=True)
        if other := " and ".join(noun for noun, own, others in pairs if own != others):
            raise ValueError(
                f"checkpoint: {path} has {label_of(name)} with other {other}; give another folder, or remove "
                "this one to fit all tasks again"
            )
        return found

    def _model(self, found: _File) -> Any:
        """Restore a model with the parameters of the batch, of which JSON has no splitters and the like."""
        envelope = parse(found.model)
        model = clone(self._estimator)
        check_envelope(envelope, model._extra_entries)
        model._restore(envelope, _labels(found.entries["labels"], envelope))
        return model


def _created(given: str | Path) -> Path:
    """Return a folder that exists now."""
    advice = "give the name of a folder, which holds a file for each task and is created if needed"
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"checkpoint: got {given!r}; {advice}")
    folder = Path(given).expanduser()
    if not str(given) or "\0" in str(given):
        raise ValueError(f"checkpoint: got {given!r}; {advice}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        file = next(path for path in (folder, *folder.parents) if path.exists())
        raise type(error)(
            f"checkpoint: {folder} cannot be a folder, because {file} is a file; {advice}"
        ) from None
    except OSError as error:
        raise type(error)(
            f"checkpoint: the folder {str(folder)!r:.200} cannot be created ({error.strerror}); {advice}, in "
            "a place where this process may write"
        ) from None
    return folder


def _labels(dtype: str | None, envelope: dict[str, Any]) -> NDArray[Any] | None:
    """Return the classes with the type that they have after a fit."""
    if dtype is None:
        return None
    classes = json.loads(envelope["model"]).get("classes")
    try:
        return np.asarray(classes, dtype=np.dtype(dtype))
    except (TypeError, ValueError, OverflowError) as error:
        raise bad_model(f"its labels are not of the type {str(dtype)[:20]} ({error})") from None


def _short(fingerprint: Fingerprint) -> str:
    return _digest("|".join(fingerprint))[:16]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read(content: str) -> _File:
    """Split a file into its lines and check everything except the model."""
    line, _, text = content.partition("\n")
    text = text.removesuffix("\n")
    entries = parse(line)
    if set(entries) != _ENTRIES or entries["format"] != FORMAT or entries["version"] != VERSION:
        raise bad_model(f"it is no checkpoint of version {VERSION}")
    fingerprint = entries["fingerprint"]
    if not isinstance(fingerprint, dict) or set(fingerprint) != set(Fingerprint._fields):
        raise bad_model("'fingerprint' is not of a task")
    if _digest(text) != entries["digest"]:
        raise bad_model("its digest is that of another model")
    if not (entries["labels"] is None or isinstance(entries["labels"], str)):
        raise bad_model("'labels' must be a type of an array, or null")
    return _File(entries, text)


def _begins_as_searches(path: Path) -> bool:
    """Return whether a file begins as the core's files of searches do, however short it is."""
    with path.open("rb") as file:
        found = file.read(len(_SEARCHES))
    return _SEARCHES.startswith(found)
