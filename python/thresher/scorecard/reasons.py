"""Reasons of adverse decisions: what costs a row most, of a card its columns."""

from __future__ import annotations

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
        What score and points are, where they are not those of a card.
    """

    score: NDArray[Any]
    reasons: NDArray[np.object_]
    points: NDArray[np.float64]
    index: Any = field(default=None)
    note: str = ""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.score)

    def columns(self) -> dict[str, list[Any]]:
        """Return the rows as columns.

        Returns
        -------
        dict of str to list
            ``score, reason_1, points_1, reason_2, points_2, ...``.
        """
        found: dict[str, list[Any]] = {"score": self.score.tolist()}
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
        for row in range(min(len(self), _SHOWN)):
            pairs = zip(self.reasons[row].tolist(), self.points[row].tolist(), strict=True)
            texts = [f"{text} ({_points(cost)})" for text, cost in pairs if text is not None]
            label = row if self.index is None else self.index[row]
            lines.append(Line((str(label), format_value(float(self.score[row])), ", ".join(texts))))
        more = len(self) - len(lines)
        footer = f"... and {more:,} more rows: to_frame() has all." if more else ""
        return TableText(
            ("row", "score", "reasons (points)"), "rrl", (Section("", tuple(lines), 0),), self.note, footer
        )


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


def _points(cost: float) -> str:
    """Write points with four digits, or to the unit."""
    return format_value(float(f"{cost:.4g}") if abs(cost) < 1e4 else round(cost))
