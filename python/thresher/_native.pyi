"""The compiled core. Private: use :mod:`thresher`."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AdditiveModel",
    "CertificateError",
    "FormatError",
    "LinearModel",
    "Model",
    "PatternModel",
    "PatternProblem",
    "PatternTraining",
    "Problem",
    "Records",
    "Training",
    "fit",
    "fit_additive",
    "fit_linear",
    "fit_patterns",
    "info",
    "pattern_of_graph",
    "pattern_text",
    "read_graphs",
    "verify",
    "verify_patterns",
    "write_graphs",
]

_GraphText = tuple[str, list[str], list[str], list[tuple[int, int, str]]]
_Level = bool | int | float | str
_Column = NDArray[np.float64] | tuple[NDArray[np.int32], list[bool | int | float | str]]
_Fold = NDArray[np.int64] | tuple[NDArray[np.int64], NDArray[np.int64]]

class FormatError(ValueError): ...
class CertificateError(RuntimeError): ...

@final
class Problem:
    def __new__(
        cls,
        columns: list[_Column],
        names: Sequence[str],
        y: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None = None,
        folds: list[NDArray[np.int64]] | list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None = None,
    ) -> Problem: ...
    @property
    def shape(self) -> tuple[int, int]: ...

@final
class Model:
    @staticmethod
    def from_json(text: str) -> Model: ...
    def to_json(self, all_points: bool = False) -> str: ...
    @property
    def n_outputs(self) -> int: ...
    def decision(self, columns: list[_Column], points: Sequence[int]) -> NDArray[np.float64]: ...
    def activations(self, columns: list[_Column], points: Sequence[int]) -> NDArray[np.bool_]: ...

@final
class Training:
    def price(self, model: Model, output: int, point: int, conditions: str) -> str: ...
    def near_ties(
        self, model: Model, output: int, point: int, within: float, limit: int, n_jobs: int = 0
    ) -> str: ...

@final
class LinearModel:
    @staticmethod
    def from_json(text: str) -> LinearModel: ...
    def to_json(self) -> str: ...
    def decision(self, columns: list[_Column], points: Sequence[int]) -> NDArray[np.float64]: ...

def fit_linear(
    problem: Problem,
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[[str, int, int, str], None] | None = None,
) -> LinearModel: ...
def fit(
    problems: list[Problem],
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[[str, int, int, str], None] | None = None,
) -> list[tuple[Model, Training]]: ...

@final
class AdditiveModel:
    @staticmethod
    def from_json(text: str) -> AdditiveModel: ...
    def to_json(self) -> str: ...
    def decision(self, columns: list[_Column], points: Sequence[int]) -> NDArray[np.float64]: ...
    def contributions(self, columns: list[_Column], points: Sequence[int]) -> list[NDArray[np.float64]]: ...

def fit_additive(
    problem: Problem,
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[[str, int, int, str], None] | None = None,
) -> AdditiveModel: ...
def verify(model: Model, problem: Problem, points: Sequence[int], params: str, n_jobs: int = 0) -> str: ...

@final
class Records:
    @staticmethod
    def itemsets(alphabet: str, starts: NDArray[np.int64], items: NDArray[np.int64]) -> Records: ...
    @staticmethod
    def sequences(
        alphabet: str, records: NDArray[np.int64], events: NDArray[np.int64], items: NDArray[np.int64]
    ) -> Records: ...
    @staticmethod
    def graphs(
        alphabet: str,
        vertices: tuple[NDArray[np.int64], NDArray[np.int64]],
        edges: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    ) -> Records: ...
    def occurrences(self, pattern: str, limit: int) -> list[list[list[int]]]: ...
    def __len__(self) -> int: ...

@final
class PatternProblem:
    def __new__(
        cls,
        records: Records,
        y: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None = None,
        folds: list[NDArray[np.int64]] | list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None = None,
    ) -> PatternProblem: ...

@final
class PatternModel:
    @staticmethod
    def from_json(family: str, text: str) -> PatternModel: ...
    def to_json(self, all_points: bool = False) -> str: ...
    def decision(self, records: Records, points: Sequence[int]) -> NDArray[np.float64]: ...
    def activations(self, records: Records, points: Sequence[int]) -> list[NDArray[np.uint32]]: ...

@final
class PatternTraining:
    def price(self, model: PatternModel, output: int, point: int, pattern: str) -> str: ...
    def near_ties(
        self, model: PatternModel, output: int, point: int, within: float, limit: int, n_jobs: int = 0
    ) -> str: ...

def fit_patterns(
    problem: PatternProblem,
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[[str, int, int, str], None] | None = None,
) -> tuple[PatternModel, PatternTraining]: ...
def verify_patterns(
    model: PatternModel, problem: PatternProblem, points: Sequence[int], params: str, n_jobs: int = 0
) -> str: ...
def pattern_of_graph(vertices: Sequence[int], edges: Sequence[tuple[int, int, int]]) -> str: ...
def pattern_text(pattern: str, vertices: Sequence[str], edges: Sequence[str], ring: str) -> str: ...
def read_graphs(text: str) -> list[_GraphText]: ...
def write_graphs(graphs: Sequence[_GraphText]) -> str: ...
def info() -> dict[str, Any]: ...
