"""The base class of tables of results: text, HTML, data frame, Markdown and LaTeX."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from ..data.frames import as_frame
from .table_text import TableText


def frame_or_error(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Create a data frame with pandas or polars.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        A pandas frame if pandas is installed, else polars.

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
        """Return the table as columns.

        Returns
        -------
        dict of str to list
            The columns, all of equal length.
        """

    @abstractmethod
    def _layout(self) -> TableText:
        """Return the table with formatted cells."""

    def text(self, max_rows: int | None = None) -> str:
        """Format the table for a terminal.

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
            The columns of :meth:`columns`; a pandas frame if pandas is installed, else polars.

        Raises
        ------
        ImportError
            If neither is installed; :meth:`columns` needs neither.
        """
        return frame_or_error(self.columns())

    def to_markdown(self) -> str:
        """Return the table in GitHub's Markdown.

        Returns
        -------
        str
            The same lines as in the printed text.
        """
        return self._layout().markdown()

    def to_latex(self, *, with_sentences: bool = True) -> str:
        """Return the table for LaTeX, with the rules of the package ``booktabs``.

        Parameters
        ----------
        with_sentences : bool, default=True
            Whether to add the sentences before and after the table, such as that of the certificate.

        Returns
        -------
        str
            The same lines as in the printed text.
        """
        return self._layout().latex(with_sentences=with_sentences)

    def __str__(self) -> str:
        """Format the table for a terminal."""
        return self.text()

    def __repr__(self) -> str:
        """Return the table as text."""
        return str(self)

    def _repr_html_(self) -> str:
        """Return the table as HTML for notebooks."""
        return self._layout().html()
