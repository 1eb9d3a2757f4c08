"""Reasons of adverse decisions: the columns that cost a row most points."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_value
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText

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
    """

    score: NDArray[Any]
    reasons: NDArray[np.object_]
    points: NDArray[np.float64]
    index: Any = field(default=None)

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
            ("row", "score", "reasons (points)"), "rrl", (Section("", tuple(lines), 0),), "", footer
        )


def _points(cost: float) -> str:
    """Write points with four digits, or to the unit."""
    return format_value(float(f"{cost:.4g}") if abs(cost) < 1e4 else round(cost))
