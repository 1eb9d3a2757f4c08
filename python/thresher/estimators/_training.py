"""The input and the result of a fit, for every family of models."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.budget import Budget
from ..data.columns import Column
from ..data.core_parameters import options_of, to_json
from ..data.folds import Fold
from ..data.targets import Target
from ..data.weights import are_different, n_of_weight
from ..threads import is_whole, resolve


class Inputs(Protocol):
    """Rows of a table, or records."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""


class GivenRows(NamedTuple):
    """The training rows as the user gave them.

    Attributes
    ----------
    X, y, sample_weight, groups : object
        The arguments of ``fit``.
    """

    X: Any
    y: Any
    sample_weight: Any = None
    groups: Any = None


class SampleRows(NamedTuple):
    """Some rows that a model is averaged over.

    Attributes
    ----------
    columns : list of column
        The columns.
    weights : ndarray of shape (n_rows,)
        Their weights, all above 0.
    """

    columns: list[Column]
    weights: NDArray[np.float64]


class PathRequest(NamedTuple):
    """A request for the models at all strengths of a path, without selection.

    Attributes
    ----------
    strengths : array-like or None
        The strengths; None for the default ones.
    """

    strengths: ArrayLike | None


@dataclass(frozen=True)
class TrainingData:
    """The checked data and parameters of a fit.

    Parameters
    ----------
    inputs : Inputs
        The table or the records.
    target : Target
        The checked target.
    target_names : list of str or None
        Names of the targets, where what the user gave has some.
    weights : ndarray of shape (n_rows,) or None
        Row weights, those of the classes included; None where all are 1.
    folds : list of (train, test) or None
        Folds, where the strength is cross-validated.
    parameters : dict
        The parameters, by the core's names.
    budget : Budget
        The limits of the fit, whose clock has run since it began.
    start : object, default=None
        The compiled model to start from, where the fit goes on from one.
    journal : Path or None, default=None
        The file of the results of searches, where the fit has a checkpoint.
    searches : DaskSearches or None, default=None
        Hands searches out to other processes, where the fit has some.
    """

    inputs: Any
    target: Target
    target_names: list[str] | None
    weights: NDArray[np.float64] | None
    folds: list[Fold] | None
    parameters: dict[str, Any]
    budget: Budget
    start: Any = None
    journal: Path | None = None
    searches: Any = None

    @property
    def payload(self) -> str:
        """The parameters as the core takes them."""
        return to_json(self.parameters)

    def facts(self) -> dict[str, Any]:
        """Return what a :class:`FitResult` keeps of them."""
        return {
            "is_1d": self.target.is_1d,
            "classes": self.target.classes,
            "target_names": self.target_names,
            "n_rows": n_of_weight(self.weights, self.inputs.n_rows),
            "is_weighted": are_different(self.weights),
        }

    @property
    def classes(self) -> list[Any] | None:
        """The labels of a classifier, as the core takes them."""
        return None if self.target.classes is None else list(self.target.classes.tolist())


@dataclass(frozen=True)
class FitResult:
    """The result of a fit, before a point of the path is selected.

    Parameters
    ----------
    model : object
        The compiled model.
    document : dict
        The model's JSON document.
    is_1d : bool
        Whether the target had one dimension.
    classes : ndarray or None
        The labels of a classifier.
    target_names : list of str or None
        Names of the targets.
    schema : Schema or None
        The columns; None where the model reads records.
    view : ModelView or None, default=None
        The document as rules or patterns.
    record_options : mapping of str to str or None, default=None
        Where the command line found the records in the file of the fit.
    invalid_rows : tuple of int, default=()
        Positions of the records that the fit left out.
    left_out : tuple of int, default=()
        Positions of the columns that the comparison of score cards left out.
    n_bins : int or None, default=None
        The number of bins that the comparison of score cards chose.
    training : object, default=None
        The training data in the core, for ``price`` and ``near_ties``.
    sample : SampleRows or None, default=None
        Some training rows, for dependence plots.
    n_rows : int, default=0
        Number of training rows of weight above 0; 0 where it is not known, as of batches and of some files.
    is_weighted : bool or None, default=None
        Whether their weights, those of the classes included, differed; None where it is not known.
    is_loaded : bool, default=False
        Whether the model was read from a file or a pickle, whose claims nothing has checked.
    """

    model: Any
    document: dict[str, Any]
    is_1d: bool
    classes: NDArray[Any] | None
    target_names: list[str] | None
    schema: Any
    view: Any = None
    record_options: Mapping[str, str] | None = None
    invalid_rows: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    n_bins: int | None = None
    training: Any = None
    sample: SampleRows | None = None
    n_rows: int = 0
    is_weighted: bool | None = None
    is_loaded: bool = False

    @property
    def may_be_weighted(self) -> bool:
        """Whether the weights of training rows differed, or may have."""
        return self.is_weighted is not False

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """One problem each: the targets, or the classes against the rest."""
        outputs: list[dict[str, Any]] = self.document["outputs"]
        return outputs

    def selected(self) -> list[int]:
        """Return the point of the path that the fit selected, for each output."""
        return [output["selected"] for output in self.outputs]

    def points(self, path_index: list[int]) -> list[dict[str, Any]]:
        """Return the solution of each output at a point of its path."""
        return [output["points"][k] for output, k in zip(self.outputs, path_index, strict=True)]

    def point(self, output: int, path_index: int) -> dict[str, Any]:
        """Return one solution of one output."""
        found: dict[str, Any] = self.outputs[output]["points"][path_index]
        return found

    @property
    def sorted_classes(self) -> NDArray[Any]:
        """The classes in sorted order; those of the fit have the positive one of two last."""
        assert self.classes is not None
        return self.classes[::-1].copy() if self.is_reversed else self.classes

    @property
    def is_reversed(self) -> bool:
        """Whether the positive one of two classes is the first in sorted order."""
        return self.classes is not None and len(self.classes) == 2 and bool(self.classes[0] > self.classes[1])

    def output_names(self) -> list[Any]:
        """Name each output: classes, or names or numbers of the targets; ``[None]`` for a single one."""
        if len(self.outputs) == 1:
            return [None]
        if self.classes is not None:
            return list(self.classes.tolist())
        return self.target_names or list(range(len(self.outputs)))

    @property
    def n_compared(self) -> list[int] | None:
        """How many strengths, or sizes of a subset, each output compared; None without a comparison."""
        scores = [(output.get("cv") or {}).get("mean", ()) for output in self.outputs]
        values = [(output.get("criterion") or {}).get("values", ()) for output in self.outputs]
        found = [len(mean or value) for mean, value in zip(scores, values, strict=True)]
        is_known = any(scores) or max(found) > 1  # a file has the criterion of the model alone
        return found if is_known else None

    def place_of(self, output: Any) -> int:
        """Return the position of an output given by its class or target."""
        names = self.output_names()
        classes = [None] if self.classes is None else self.classes.tolist()
        if len(names) == 1:
            if output is None or (len(classes) == 2 and output == classes[1]):
                return 0
            known = f", for the class {classes[1]!r}" if len(classes) == 2 else ""
            raise ValueError(f"output: got {output!r}; the model has one output{known}: leave output out")
        if output in names:
            return int(names.index(output))
        known = ", ".join(map(repr, names))
        raise ValueError(f"output: got {output!r}; the model has several, name one of {known}")


def one_or_all(values: list[Any]) -> Any:
    """Return the value of a single output, or an array of those of several.

    Examples
    --------
    >>> one_or_all([0.5])
    0.5
    """
    return values[0] if len(values) == 1 else np.asarray(values)


def budget_of(estimator: Any, y: Any, path: PathRequest | None) -> Budget:
    """Start the clock of a fit, with its limits and what is expected of it."""
    budget = Budget.of_fit(estimator.time_limit, estimator.memory_limit, resolve(estimator.n_jobs))
    if budget.memory_limit is not None:
        budget.n_folds, budget.n_outputs = _expected_folds(estimator, path), _expected_outputs(estimator, y)
    return budget


def _expected_folds(estimator: Any, path: PathRequest | None) -> int:
    """Return how many folds a fit will have, before the data are read."""
    if path is not None or not chooses_by_folds(estimator):
        return 0
    cv = estimator.cv
    if is_whole(cv):
        return int(cv)
    return len(cv) if isinstance(cv, Sized) else int(getattr(cv, "n_splits", 0))


def chooses_by_folds(estimator: Any) -> bool:
    """Return whether a fit chooses something by cross-validation, by its parameters."""
    choices: list[Any] = [getattr(estimator, name, None) for name in ("alpha", "lambda0", "relax")]
    is_list = any(not isinstance(choice, str) and np.ndim(choice) for choice in choices)
    return is_list or "cv" in map(str, choices)


def _expected_outputs(estimator: Any, y: Any) -> int:
    """Return how many problems a fit will solve, before the target is checked; 1 if it is invalid."""
    try:
        labels = np.asarray(y)
        if estimator._task == "regression":
            return labels.shape[1] if labels.ndim == 2 else 1
        n_classes = len(set(labels.ravel().tolist()))
    except (TypeError, ValueError):  # of lists of different lengths, or of labels that are not hashable
        return 1
    return n_classes if n_classes > 2 else 1


def is_cross_validated(parameters: dict[str, Any]) -> bool:
    """Return whether parameters, by the core's names, have something chosen by cross-validation."""
    options = options_of(parameters)
    choices = (options.get(name) for name in ("select", "alpha", "relax"))
    return any(isinstance(choice, Mapping) and choice.get("kind") == "cv" for choice in choices)
