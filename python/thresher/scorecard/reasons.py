"""Reasons of adverse decisions: what costs a row most, of a card its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_value
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText

if TYPE_CHECKING:
    from ._reason_texts import ReasonTexts

_SHOWN = 20  # rows in the printed table
REFERENCES = {
    "mean": "its mean over the training rows",
    "best": "the best that a known value can have",
}
REFERENCE_ROWS = "its mean over the rows of the reference"


@dataclass(frozen=True, repr=False)
class Reasons(PrintedTable):
    """The reasons of each row, the costliest first.

    Prints its first 20 rows; ``to_frame()`` has all of them, with the index of a pandas frame that was given.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        The scores.
    reasons : ndarray of shape (n_rows, n) of str or None
        The texts of the reasons; None beyond the last reason of a row.
    points : ndarray of shape (n_rows, n)
        What each reason costs; NaN beyond the last one.
    index : object
        The index of the rows, of a pandas frame.
    note : str, default=""
        What score and points are.
    output : list of object, default=()
        The class or target of each line, where there are several: each row has a line for each of them.
    """

    score: NDArray[Any]
    reasons: NDArray[np.object_]
    points: NDArray[np.float64]
    index: Any = field(default=None)
    note: str = ""
    output: Sequence[Any] = ()

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.score)

    def columns(self) -> dict[str, list[Any]]:
        """Return the rows as columns.

        Returns
        -------
        dict of str to list
            ``score, reason_1, points_1, reason_2, points_2, ...``; ``output`` before them where there are
            several.
        """
        found: dict[str, list[Any]] = {"output": list(self.output)} if self.output else {}
        found["score"] = self.score.tolist()
        for k in range(self.reasons.shape[1]):
            found[f"reason_{k + 1}"] = self.reasons[:, k].tolist()
            found[f"points_{k + 1}"] = self.points[:, k].tolist()
        return found

    def to_frame(self) -> Any:
        """Return the columns as a data frame, one row for each row that was given.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The columns of :meth:`columns`; a pandas frame if pandas is installed, else polars. If the rows
            came in a pandas frame, it has their index.

        Raises
        ------
        ImportError
            If neither is installed; :meth:`columns` needs neither.
        """
        frame = super().to_frame()
        return frame if self.index is None else frame.set_axis(self.index, axis=0)

    def _layout(self) -> TableText:
        lines = []
        n_outputs = len(set(self.output)) or 1
        for row in range(min(len(self), _SHOWN)):
            pairs = zip(self.reasons[row].tolist(), self.points[row].tolist(), strict=True)
            texts = [f"{text} ({_points(cost)})" for text, cost in pairs if text is not None]
            cells = (format_value(float(self.score[row])), ", ".join(texts))
            outputs = [str(self.output[row])] if self.output else []
            label = row // n_outputs if self.index is None else self.index[row]
            lines.append(Line((str(label), *outputs, *cells)))
        more = len(self) - len(lines)
        noun = "lines" if self.output else "rows"
        footer = f"... and {more:,} more {noun}: to_frame() has all." if more else ""
        titles = ("row", *(["output"] if self.output else []), "score", "reasons (points)")
        align = "rlrl" if self.output else "rrl"
        return TableText(titles, align, (Section("", tuple(lines), 0),), self.note, footer)


def ranked_reasons(
    score: NDArray[Any],
    named: ReasonTexts,
    cost: NDArray[np.float64],
    unit: float | NDArray[np.float64],
    n: int,
    X: Any,
    note: str = "",
) -> Reasons:
    """Rank what costs each row something; of equal costs the first source comes first.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        The scores.
    named : ReasonTexts
        The text of each source in each row; the costs of those that share a text are added up.
    cost : ndarray of shape (n_rows, n_sources)
        What each source costs each row, in whole numbers of a unit.
    unit : float or ndarray of shape (n_rows, 1)
        The number of units of a point.
    n : int
        The most reasons of a row.
    X : table or records
        The rows as they were given.
    note : str, default=""
        What score and points are.

    Returns
    -------
    Reasons
        The reasons.
    """
    total = named.add_up(cost) / unit
    order = np.argsort(-total, axis=1, kind="stable")[:, :n]
    ranked = np.take_along_axis(total, order, axis=1)
    texts = np.asarray(named.texts, dtype=object)
    found = np.full((len(total), n), None, dtype=object)
    points = np.full((len(total), n), np.nan)
    rows, places = np.nonzero(ranked > 0)
    found[rows, places] = texts[order[rows, places]]
    points[rows, places] = ranked[rows, places]
    index = X.index if nw.dependencies.is_pandas_dataframe(X) else None
    return Reasons(score, found, points, index, note)


def joined_reasons(of_outputs: Sequence[Reasons], names: Sequence[Any]) -> Reasons:
    """Join the reasons of several outputs, row by row.

    Parameters
    ----------
    of_outputs : list of Reasons
        The reasons of each output, of the same rows.
    names : list
        The outputs.

    Returns
    -------
    Reasons
        A line for each row and output; as many reasons as the output with the most has.
    """
    width = max(own.reasons.shape[1] for own in of_outputs)

    def by_row(parts: Sequence[NDArray[Any]], fill: Any) -> NDArray[Any]:
        padded = [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=fill) for part in parts]
        return np.stack(padded, axis=1).reshape(-1, width)

    first = of_outputs[0]
    return Reasons(
        np.column_stack([own.score for own in of_outputs]).ravel(),
        by_row([own.reasons for own in of_outputs], None),
        by_row([own.points for own in of_outputs], np.nan),
        None if first.index is None else first.index.repeat(len(names)),
        first.note,
        list(names) * len(first),
    )


def _points(cost: float) -> str:
    """Write points with four digits, or to the unit."""
    return format_value(float(f"{cost:.4g}") if abs(cost) < 1e4 else round(cost))
