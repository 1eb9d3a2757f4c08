"""The compiled core. Private: use :mod:`thresher`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FACTOR_RIDGE",
    "N_HIERARCHY_STRENGTHS",
    "N_MACHINE_STRENGTHS",
    "AdditiveModel",
    "CertificateError",
    "CodedColumn",
    "ColumnCoder",
    "FmData",
    "FmModel",
    "FormatError",
    "HierarchyModel",
    "LinearModel",
    "Model",
    "PatternModel",
    "PatternProblem",
    "PatternTraining",
    "Problem",
    "Records",
    "SearchJob",
    "SearchQuery",
    "SearchSpace",
    "SparseProblem",
    "Training",
    "fit",
    "fit_additive",
    "fit_fm",
    "fit_hierarchy",
    "fit_linear",
    "fit_linear_sparse",
    "fit_patterns",
    "info",
    "pattern_of_graph",
    "pattern_text",
    "read_graphs",
    "split_model",
    "verify",
    "verify_additive",
    "verify_hierarchy",
    "verify_linear",
    "verify_linear_sparse",
    "verify_patterns",
    "write_graphs",
]

FACTOR_RIDGE: float
N_HIERARCHY_STRENGTHS: int
N_MACHINE_STRENGTHS: int

_GraphText = tuple[str, list[str], list[str], list[tuple[int, int, str]]]
_Level = bool | int | float | str
_Column = NDArray[np.float64] | tuple[NDArray[np.int32], list[bool | int | float | str]]
_Fold = NDArray[np.int64] | tuple[NDArray[np.int64], NDArray[np.int64]]

class FormatError(ValueError): ...
class CertificateError(RuntimeError): ...

@final
class ColumnCoder:
    def __new__(cls, cuts: Sequence[float], n_uniform: int | None = None) -> ColumnCoder: ...
    def observe(self, values: NDArray[np.float64]) -> None: ...
    def is_exact(self) -> bool: ...
    def n_bytes(self) -> int: ...
    def begin(self, n_rows: int) -> None: ...
    def encode(self, values: NDArray[np.float64]) -> None: ...
    def finish(self) -> CodedColumn: ...

@final
class CodedColumn:
    def is_exact(self) -> bool: ...
    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float64]: ...
    def __len__(self) -> int: ...

_CodedColumn = CodedColumn | tuple[NDArray[np.int32], list[_Level]]

@final
class Problem:
    def __new__(
        cls,
        columns: list[_Column] | list[_CodedColumn],
        names: Sequence[str],
        y: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None = None,
        folds: list[NDArray[np.int64]] | list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None = None,
    ) -> Problem: ...
    @property
    def shape(self) -> tuple[int, int]: ...

@final
class SparseProblem:
    def __new__(
        cls,
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        values: NDArray[np.float64],
        names: Sequence[str],
        y: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None = None,
        folds: list[NDArray[np.int64]] | list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None = None,
    ) -> SparseProblem: ...

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
        self,
        model: Model,
        output: int,
        point: int,
        within: float,
        limit: int,
        n_jobs: int,
        seconds: float | None,
    ) -> str: ...

@final
class LinearModel:
    @staticmethod
    def from_json(text: str) -> LinearModel: ...
    def to_json(self) -> str: ...
    def decision(self, columns: list[_Column], points: Sequence[int]) -> NDArray[np.float64]: ...
    def decision_sparse(
        self,
        n_rows: int,
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        values: NDArray[np.float64],
        points: Sequence[int],
    ) -> NDArray[np.float64]: ...

def fit_linear(
    problem: Problem,
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[..., None] | None = None,
    journal: Path | None = None,
) -> LinearModel: ...
def fit_linear_sparse(
    problem: SparseProblem,
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[..., None] | None = None,
    journal: Path | None = None,
) -> LinearModel: ...
def fit(
    problem: Problem,
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[..., None] | None = None,
    journal: Path | None = None,
    searches: Any = None,
) -> tuple[Model, Training]: ...

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
    progress: Callable[..., None] | None = None,
    journal: Path | None = None,
) -> AdditiveModel: ...
def verify_additive(
    model: AdditiveModel, problem: Problem, points: Sequence[int], params: str, n_jobs: int = 0
) -> str: ...
def verify_linear(
    model: LinearModel, problem: Problem, points: Sequence[int], params: str, n_jobs: int = 0
) -> str: ...
def verify_linear_sparse(
    model: LinearModel, problem: SparseProblem, points: Sequence[int], params: str, n_jobs: int = 0
) -> str: ...

@final
class FmData:
    @staticmethod
    def of_table(columns: list[_Column], names: Sequence[str], n_rows: int) -> FmData: ...
    @staticmethod
    def of_sparse(
        n_rows: int,
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        values: NDArray[np.float64],
        names: Sequence[str],
    ) -> FmData: ...
    @property
    def n_rows(self) -> int: ...

@final
class FmModel:
    @staticmethod
    def from_json(text: str) -> FmModel: ...
    def to_json(self) -> str: ...
    def decision(self, columns: list[_Column], points: Sequence[int]) -> NDArray[np.float64]: ...
    def decision_sparse(
        self,
        n_rows: int,
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        values: NDArray[np.float64],
        points: Sequence[int],
    ) -> NDArray[np.float64]: ...
    def interactions(
        self, output: int, point: int, limit: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint64], list[list[int]]]: ...
    def count(self, output: int, point: int, limit: int) -> int: ...

def fit_fm(
    data: FmData,
    y: NDArray[np.float64],
    params: str,
    sample_weight: NDArray[np.float64] | None = None,
    folds: list[Any] | None = None,
    start: FmModel | None = None,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[..., None] | None = None,
    journal: Path | None = None,
) -> FmModel: ...
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
        self,
        model: PatternModel,
        output: int,
        point: int,
        within: float,
        limit: int,
        n_jobs: int,
        seconds: float | None,
    ) -> str: ...

def fit_patterns(
    problem: PatternProblem,
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[..., None] | None = None,
    journal: Path | None = None,
    searches: Any = None,
) -> tuple[PatternModel, PatternTraining]: ...
def verify_patterns(
    model: PatternModel, problem: PatternProblem, points: Sequence[int], params: str, n_jobs: int = 0
) -> str: ...
def pattern_of_graph(vertices: Sequence[int | None], edges: Sequence[tuple[int, int, int | None]]) -> str: ...
def pattern_text(pattern: str, vertices: Sequence[str], edges: Sequence[str], ring: str) -> str: ...
def read_graphs(text: str) -> list[_GraphText]: ...
def split_model(text: str) -> tuple[str, str | None]: ...
def write_graphs(graphs: Sequence[_GraphText]) -> str: ...
def info() -> dict[str, Any]: ...

@final
class SearchSpace:
    def __new__(cls, data: bytes) -> SearchSpace: ...
    def search(self, query: SearchQuery, first: int, last: int, seconds: float | None = None) -> bytes: ...

@final
class SearchQuery:
    def __new__(cls, data: bytes) -> SearchQuery: ...

@final
class SearchJob:
    @property
    def scope(self) -> int: ...
    @property
    def parts(self) -> list[tuple[int, int]]: ...
    @property
    def seconds(self) -> float | None: ...
    def space(self) -> SearchSpace: ...
    def query(self) -> SearchQuery: ...
    def take(self, part: int, answer: bytes) -> None: ...
    def goes_on(self) -> bool: ...

@final
class HierarchyModel:
    @staticmethod
    def from_json(text: str) -> HierarchyModel: ...
    def to_json(self) -> str: ...
    def decision(self, columns: list[_Column], points: Sequence[int]) -> NDArray[np.float64]: ...
    def activations(self, columns: list[_Column], points: Sequence[int]) -> NDArray[np.bool_]: ...

def fit_hierarchy(
    problem: Problem,
    params: str,
    n_jobs: int = 0,
    classes: list[Any] | None = None,
    progress: Callable[..., None] | None = None,
    journal: Path | None = None,
) -> HierarchyModel: ...
def verify_hierarchy(
    model: HierarchyModel, problem: Problem, points: Sequence[int], params: str, n_jobs: int = 0
) -> str: ...
