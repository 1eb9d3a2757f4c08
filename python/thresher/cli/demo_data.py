"""The data sets of the demonstration."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.frames import Columns

DATA = ("breast-cancer", "diabetes", "tictactoe")
"""The names of the data sets."""

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_SQUARES = tuple(
    f"{row} {column}" for row in ("top", "middle", "bottom") for column in ("left", "centre", "right")
)


@dataclass(frozen=True)
class Case:
    """One demonstration.

    Parameters
    ----------
    title : str
        A description of the data.
    X : Columns
        The table.
    y : ndarray of shape (n_rows,)
        The target.
    positive : str or None
        The class whose probability is scored; None for a regression.
    dependence : str
        The column of the partial dependence plot.
    params : dict
        Parameters that give a short table.
    """

    title: str
    X: Columns
    y: NDArray[Any]
    positive: str | None
    dependence: str
    params: dict[str, Any]


def tictactoe_boards() -> tuple[Columns, NDArray[Any]]:
    """Generate all final boards of tic-tac-toe, x moving first.

    Returns
    -------
    boards : Columns
        958 rows, nine squares with ``x``, ``o`` or ``blank``.
    winner : ndarray of shape (958,)
        "x wins" or "x does not".
    """
    boards = list(_final_boards())
    columns = []
    for square in range(9):
        column = np.empty(len(boards), dtype=object)
        column[:] = [board[square] for board in boards]
        columns.append(column)
    winner = np.asarray(["x wins" if _wins(board, "x") else "x does not" for board in boards])
    return Columns(_SQUARES, columns), winner


def _wins(board: tuple[str, ...], player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _final_boards() -> Iterator[tuple[str, ...]]:
    for board in itertools.product(("x", "o", "blank"), repeat=9):
        crosses, noughts = board.count("x"), board.count("o")
        x_wins, o_wins = _wins(board, "x"), _wins(board, "o")
        won_by_x = x_wins and not o_wins and crosses == noughts + 1
        won_by_o = o_wins and not x_wins and crosses == noughts
        drawn = not x_wins and not o_wins and crosses == 5 and noughts == 4
        if won_by_x or won_by_o or drawn:
            yield board


def _numbers(data: Any, names: list[str]) -> Columns:
    return Columns(names, [np.ascontiguousarray(column) for column in np.asarray(data).T])


def load_case(name: str) -> Case:
    """Load a demonstration's data.

    Parameters
    ----------
    name : {"breast-cancer", "diabetes", "tictactoe"}
        The name of the data set.

    Returns
    -------
    Case
        The data.

    Raises
    ------
    ValueError
        If there is no such data.
    """
    from sklearn.datasets import load_breast_cancer, load_diabetes

    if name == "breast-cancer":
        bunch = load_breast_cancer()
        y = np.where(bunch.target == 0, "malignant", "benign")
        X = _numbers(bunch.data, [str(feature) for feature in bunch.feature_names])
        return Case(
            "breast cancer: is a tumour malignant, from 30 measures of its cells",
            X,
            y,
            "malignant",
            "worst radius",
            {"one_standard_error": True},
        )
    if name == "diabetes":
        bunch = load_diabetes(scaled=False)
        X = _numbers(bunch.data, list(bunch.feature_names))
        title = "diabetes: the disease's progress in a year, from 10 measures"
        return Case(title, X, bunch.target, None, "bmi", {"max_features": 2})
    if name == "tictactoe":
        X, y = tictactoe_boards()
        return Case("tic-tac-toe: has x won, from the final board", X, y, "x wins", "middle centre", {})
    raise ValueError(f"data: got {name!r}; give one of {', '.join(DATA)}")
