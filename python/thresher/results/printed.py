"""What every table of results can do: print, show in a notebook, become a frame, Markdown or LaTeX."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from ..data.frames import as_frame
from .table_text import TableText


def frame_or_error(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Make a data frame with what is installed.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        From pandas where it is installed, else polars.

    Raises
    ------
    ImportError
        If neither is installed.
    """
    frame = as_frame(columns, None)
    if frame is None:
        raise ImportError("data frames need pandas or polars: pip install 'thresher[frame]'")
    return frame


class PrintedTable(ABC):
    """A table that prints as text and shows as HTML in a notebook."""

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """Return the table column by column.

        Returns
        -------
        dict of str to list
            The columns, all of one length.
        """

    @abstractmethod
    def _layout(self) -> TableText:
        """Write every cell as it is shown."""

    def text(self, max_rows: int | None = None) -> str:
        """Lay the table out for a terminal.

        Parameters
        ----------
        max_rows : int or None, default=None
            The most lines to show for each output; None: all.

        Returns
        -------
        str
            The lines.
        """
        return self._layout().plain(max_rows)

    def to_frame(self) -> Any:
        """Return the columns as a data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The columns of :meth:`columns`; from pandas where it is installed, else polars.

        Raises
        ------
        ImportError
            If neither is installed; :meth:`columns` needs neither.
        """
        return frame_or_error(self.columns())

    def to_markdown(self) -> str:
        """Write the table in GitHub's Markdown.

        Returns
        -------
        str
            The same lines as in print.
        """
        return self._layout().markdown()

    def to_latex(self) -> str:
        """Write the table for LaTeX, with the rules of the package ``booktabs``.

        Returns
        -------
        str
            The same lines as in print.
        """
        return self._layout().latex()

    def __str__(self) -> str:
        """Lay the table out for a terminal."""
        return self.text()

    def __repr__(self) -> str:
        """Show the table."""
        return str(self)

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return self._layout().html()
