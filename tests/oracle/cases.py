"""Named small problems as data: reads `tests/cases/*.toml`, and writes them.

`python -m oracle.cases` (from `tests/`) solves every problem of `named()` by the oracle
and writes its file; the format is described in `tests/cases/README.md`.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oracle import solver
from oracle.certificate import alpha_max
from oracle.design import Design, Floats, build, normalised
from oracle.rules import Categorical, Feature, Language, Numeric, is_missing

FOLDER = Path(__file__).parent.parent / "cases"


@dataclass
class Case:
    """One problem: what is given, and (once read) what is expected."""

    name: str
    description: str
    loss: str
    alpha: float
    y: list[float]
    columns: list[dict[str, Any]]
    weights: list[float] | None = None
    language: Language = field(default_factory=lambda: Language(linear=False))
    expected: dict[str, Any] = field(default_factory=dict)

    @property
    def arrays(self) -> list[npt.NDArray[Any]]:
        """The raw columns; categories as objects, None where missing."""
        out: list[npt.NDArray[Any]] = []
        for column in self.columns:
            if column["kind"] == "numeric":
                out.append(np.array(column["values"], dtype=float))
            else:
                values = [None if c < 0 else column["levels"][c] for c in column["codes"]]
                out.append(np.array([*values, None], dtype=object)[:-1])
        return out

    @property
    def rows(self) -> npt.NDArray[np.bool_]:
        """Rows of positive weight."""
        n = len(self.y)
        return np.ones(n, bool) if self.weights is None else np.array(self.weights) > 0

    def problem(self) -> tuple[Design, Floats, Floats]:
        """The oracle's matrix, y and normalised weights, of the rows that count."""
        rows = self.rows
        columns, y = [c[rows] for c in self.arrays], np.array(self.y, dtype=float)[rows]
        v = normalised(None if self.weights is None else np.array(self.weights)[rows], len(y))
        features: list[Feature] = []
        for column, values in zip(self.columns, columns, strict=True):
            missing = bool(is_missing(values).any())
            if column["kind"] == "numeric":
                features.append(Numeric(tuple(column["cuts"]), missing))
            else:
                seen = [level for level in column["levels"] if level in list(values)]
                features.append(Categorical(tuple(seen), missing))
        return build(features, columns, v, self.language), y, v


def load(path: Path) -> Case:
    """Reads a case."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    language = raw.pop("language", {})
    if "monotonic_cst" in language:
        language["monotonic_cst"] = tuple(language["monotonic_cst"])
    return Case(path.stem, language=Language(**language), **raw)


def load_all() -> list[Case]:
    """Every case, by name."""
    return [load(path) for path in sorted(FOLDER.glob("*.toml"))]


def solve(case: Case) -> dict[str, Any]:
    """The oracle's answer, as the file has it."""
    task, y, v = case.problem()
    found = solver.solve(task, y, v, case.loss, case.alpha)
    assert found.primal - found.dual <= 1e-12 * found.primal, (case.name, found.relative_gap)
    top = alpha_max(task, y, v, case.loss)
    unique = _unique(task, y, case.loss, found)
    predictions = np.full(len(case.y), math.nan)
    predictions[case.rows] = found.predictions
    out: dict[str, Any] = {
        "objective": found.primal,
        "alpha_max": top,
        "n_candidates": str(task.n_candidates),
        "unique": unique,
    }
    if unique or case.loss != "squared_hinge":
        out["predictions"] = predictions.tolist()
    if unique:
        out["intercept"] = found.intercept
        numbers = np.flatnonzero(case.rows)
        used = np.flatnonzero(np.abs(found.weights) > 1e-10)
        rules = [k for k in used if k < len(task.first)]
        out["rules"] = [
            {"rows": numbers[task.matrix[:, k] > 0].tolist(), "coef": float(found.weights[k])} for k in rules
        ]
        out["linear"] = [
            {"column": task.linear[k - len(task.first)], "coef": float(found.weights[k])}
            for k in used
            if k >= len(task.first)
        ]
    return out


def _unique(task: Design, y: Floats, loss: str, found: solver.Solution) -> bool:
    """Whether the optimum is the only one.

    It is if the columns whose bound is tight, and the constant, are linearly independent
    on the rows where the loss is curved.
    """
    tight = found.slack <= 1e-7
    curved = y * found.predictions < 1.0 - 1e-9 if loss == "squared_hinge" else np.ones(len(y), bool)
    columns = np.column_stack([np.ones(len(y)), task.matrix[:, tight]])[curved]
    return bool(np.linalg.matrix_rank(columns, tol=1e-8) == columns.shape[1])


def write(case: Case) -> None:
    """Writes a case with the oracle's answer."""
    text = [
        f'description = "{case.description}"',
        f'loss = "{case.loss}"',
        f"alpha = {case.alpha!r}",
        f"y = {_list([float(v) for v in case.y])}",
    ]
    if case.weights is not None:
        text.append(f"weights = {_list([float(v) for v in case.weights])}")
    text += ["", "[language]"]
    for key, entry in case.language.__dict__.items():
        if entry is not None:
            text.append(f"{key} = {_list(entry) if isinstance(entry, tuple) else _value(entry)}")
    for column in case.columns:
        text += ["", "[[columns]]"]
        text += [f"{k} = {_list(x) if isinstance(x, list) else _value(x)}" for k, x in column.items()]
    answer = solve(case)
    text += ["", "[expected]"]
    for key, entry in answer.items():
        if key in ("rules", "linear"):
            continue
        text.append(f"{key} = {_list(entry, 12) if isinstance(entry, list) else _value(entry, 13)}")
    for key in ("rules", "linear"):
        for entry in answer.get(key, []):
            text += ["", f"[[expected.{key}]]"]
            text += [f"{k} = {_list(x) if isinstance(x, list) else _value(x, 12)}" for k, x in entry.items()]
    (FOLDER / f"{case.name}.toml").write_text("\n".join(text) + "\n", encoding="utf-8")


def _value(x: Any, digits: int = 17) -> str:
    if isinstance(x, bool):
        return str(x).lower()
    if isinstance(x, str):
        return '"' + x + '"'
    if isinstance(x, float):
        text = f"{x:.{digits}g}" if digits < 17 else repr(x)
        return text if any(c in text for c in ".en") else text + ".0"
    return str(x)


def _list(values: Any, digits: int = 17) -> str:
    return "[" + ", ".join(_value(x, digits) for x in values) + "]"


def named() -> Iterator[Case]:
    """The problems themselves."""
    from oracle.named_cases import CASES

    yield from CASES


def main() -> None:
    """Writes every case anew."""
    FOLDER.mkdir(exist_ok=True)
    for case in named():
        write(case)
        answer = load(FOLDER / f"{case.name}.toml").expected
        rules = len(answer.get("rules", [])) if answer["unique"] else "not unique"
        print(f"{case.name:32} {answer['objective']:.12g}  rules: {rules}")


if __name__ == "__main__":
    main()
