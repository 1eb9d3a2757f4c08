"""The patterns of a model beside what is observed in given records."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.weights import effective_rows
from ..formatting.numbers import format_count, format_effects, format_percent
from ..formatting.text import pluralize
from .association import Association
from .intervals import mean_interval, rate_interval
from .pattern import Pattern
from .printed import PrintedTable
from .table_text import Line, Section, TableText

_STYLE = (
    "<style>:root{color-scheme:light dark}"
    "body{font-family:sans-serif;margin:1.5em;overflow-wrap:anywhere}.thresher th{white-space:nowrap}"
    "@media(max-width:75em){.thresher thead{display:none}.thresher table,.thresher tbody{display:block}"
    ".thresher tr{display:flex;flex-wrap:wrap;gap:.3em 1.5em;padding:.6em 0;border-bottom:1px solid #8884}"
    ".thresher td,.thresher td.n{border:0;padding:0;text-align:left;max-width:100%%}"
    ".thresher svg{max-width:100%%;height:auto}"
    ".thresher td::before{display:block;font-size:80%%;opacity:.7}%s}</style>"
)
"""Where a line of the table is too wide, each pattern is a block of cells with their headings."""


@dataclass(frozen=True)
class Observed:
    """The rate of a class, or the mean of a target, in some records.

    Parameters
    ----------
    n_rows : int
        The number of records, without those of weight 0.
    value : float or None
        The rate or the mean; None without records.
    interval : (float, float) or None
        Its interval of 95 %: Wilson's for a rate, Student's for a mean; None where there are too few records.
    """

    n_rows: int
    value: float | None
    interval: tuple[float, float] | None

    @classmethod
    def of_rate(
        cls, events: NDArray[np.bool_], weights: NDArray[np.float64] | None = None, counts_rows: bool = False
    ) -> Observed:
        """Observe the rate of a class.

        Parameters
        ----------
        events : ndarray of bool
            Whether each record is of the class.
        weights : ndarray, optional
            The weights of the records.
        counts_rows : bool, default=False
            Whether these are numbers of equal records.

        Returns
        -------
        Observed
            Number, rate and interval.
        """
        if not events.size or (weights is not None and not weights.any()):
            return cls(0, None, None)
        rate = float(np.average(events, weights=weights))
        n_rows = events.size if weights is None else effective_rows(weights, counts_rows)
        return cls(_count(events, weights), rate, rate_interval(min(rate, 1.0), n_rows))

    @classmethod
    def of_mean(
        cls,
        values: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        counts_rows: bool = False,
    ) -> Observed:
        """Observe the mean of a target.

        Parameters
        ----------
        values : ndarray of float
            The targets of the records.
        weights : ndarray, optional
            The weights of the records.
        counts_rows : bool, default=False
            Whether these are numbers of equal records.

        Returns
        -------
        Observed
            Number, mean and interval.
        """
        if not values.size or (weights is not None and not weights.any()):
            return cls(0, None, None)
        mean = float(np.average(values, weights=weights))
        return cls(_count(values, weights), mean, mean_interval(values, weights, counts_rows))


@dataclass(frozen=True)
class PatternRow:
    """A pattern beside what is observed.

    Parameters
    ----------
    pattern : Pattern
        The pattern.
    n_rows_per_class : dict of label to int
        The number of given records of each class in which it occurs; empty for a regression.
    present, absent : Observed
        The records in which it occurs, and all others.
    association : Association or None
        Recall, odds ratio and p-value of the class; None for a regression.
    support : float or None, default=None
        The fraction of the weight of the given records in which it occurs, where weights differ.
    whole : Pattern or None, default=None
        The largest pattern around it that occurs in the same records of training, where it has a drawing.
    drawings : tuple of str, default=()
        SVG: the pattern, with the rest of `whole` in grey, and a record in which it occurs.
    """

    pattern: Pattern
    n_rows_per_class: dict[Any, int]
    present: Observed
    absent: Observed
    association: Association | None = None
    support: float | None = None
    whole: Pattern | None = None
    drawings: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class PatternTable(PrintedTable):
    """The patterns of a model with the rate of a class, or the mean of the target, where they occur.

    It prints as text, shows as HTML in a notebook (with drawings, where the records are molecules and rdkit
    is installed), and exported as a page by :meth:`to_html`.

    Parameters
    ----------
    rows : tuple of PatternRow
        The patterns, the most important first.
    outputs : tuple of object
        The classes or targets that the patterns belong to; ``(None,)`` where there is one.
    quantity : {"rate", "mean"}
        What is observed.
    note : str, default=""
        A sentence on the records, shown above the table.
    footer : str, default=""
        A sentence below the table: on intervals and p-values where the records look like those of training,
        and why there are no patterns where there are none.
    """

    rows: tuple[PatternRow, ...]
    outputs: tuple[Any, ...]
    quantity: str
    note: str = ""
    footer: str = ""

    def __len__(self) -> int:
        """Return the number of patterns."""
        return len(self.rows)

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as columns.

        Returns
        -------
        dict of str to list
            ``output`` where there are several, ``pattern``, ``smarts`` for molecules, ``coef``, ``n_rows``
            (the given records in which it occurs), ``support`` (the fraction of their weight, where weights
            differ), an ``n_rows_<class>`` for each class, ``rate`` or ``mean``
            with ``lower`` and ``upper`` (its interval of 95 %), and ``rate_without`` or ``mean_without`` of
            the records without the pattern. Of classes also ``recall`` (the fraction of the records of the
            class that have the pattern; its precision is the rate), ``odds_ratio``, and ``p_value``, Fisher's
            exact test of one pattern (None for records with weights).
        """
        rows = self.rows
        found: dict[str, list[Any]] = {}
        if len(self.outputs) > 1:
            found["output"] = [row.pattern.output for row in rows]
        found["pattern"] = [row.pattern.text for row in rows]
        if any(row.pattern.smarts is not None for row in rows):
            found["smarts"] = [row.pattern.smarts for row in rows]
        found["coef"] = [row.pattern.coef for row in rows]
        found["n_rows"] = [row.present.n_rows for row in rows]
        if self._is_weighted():
            found["support"] = [row.support for row in rows]
        for label in rows[0].n_rows_per_class if rows else ():
            found[f"n_rows_{label}"] = [row.n_rows_per_class[label] for row in rows]
        found[self.quantity] = [row.present.value for row in rows]
        for place, name in enumerate(("lower", "upper")):
            found[name] = [
                None if row.present.interval is None else row.present.interval[place] for row in rows
            ]
        found[f"{self.quantity}_without"] = [row.absent.value for row in rows]
        if self.quantity == "rate":
            for name in ("recall", "odds_ratio", "p_value"):
                found[name] = [getattr(row.association, name) for row in rows]
        return found

    def to_html(self, title: str = "Patterns") -> str:
        """Return the table as a page of HTML that needs no network.

        Parameters
        ----------
        title : str, default="Patterns"
            The title of the page.

        Returns
        -------
        str
            The page, with the drawings of molecules.
        """
        head = (
            "<meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'>"
            f"<meta name='color-scheme' content='light dark'><title>{html.escape(title)}</title>"
        )
        layout = self._layout()
        headings = "".join(
            f".thresher td:nth-child({place})::before{{content:'{heading}'}}"
            for place, heading in enumerate((*layout.headings, *layout.pictures), start=1)
        )
        body = f"<h1>{html.escape(title)}</h1>{layout.html()}"
        style = _STYLE % headings
        return f"<!DOCTYPE html>\n<html lang='en'><head>{head}</head><body>{body}{style}</body></html>\n"

    def _layout(self) -> TableText:
        if not self.rows:
            return TableText((), "", (), self.note, self.footer)
        several = len(self.outputs) > 1
        sections = []
        for output in self.outputs:
            rows = [row for row in self.rows if not several or row.pattern.output == output]
            sections.append(Section(str(output) if several else "", self._lines(rows), 0))
        drawing = "drawing" + ", grey: always with it" * any(row.whole is not None for row in self.rows)
        smarts = ("SMARTS",) if self._has_other_smarts() else ()
        support = ("support",) if self._is_weighted() else ()
        return TableText(
            ("effect", "pattern", *smarts, "records", *support, self.quantity, "95 % interval", "without"),
            "rl" + "l" * len(smarts) + "r" * len(support) + "rrrr",
            tuple(sections),
            self.note,
            self.footer,
            pictures=(drawing, "example") if any(row.drawings for row in self.rows) else (),
        )

    def _has_other_smarts(self) -> bool:
        """Return whether the text of some pattern differs from its SMARTS, which tells charges of 0."""
        return any(row.pattern.smarts not in (None, row.pattern.text) for row in self.rows)

    def _is_weighted(self) -> bool:
        return any(row.support is not None for row in self.rows)

    def _lines(self, rows: Sequence[PatternRow]) -> tuple[Line, ...]:
        effects = format_effects([row.pattern.coef for row in rows])
        write = format_percent if self.quantity == "rate" else "{:.4g}".format
        lines = []
        for effect, row in zip(effects, rows, strict=True):
            present, absent = row.present, row.absent
            ends = "" if present.interval is None else " to ".join(map(write, present.interval))
            values = ["" if value is None else write(value) for value in (present.value, absent.value)]
            texts = (row.pattern.text, *((row.pattern.smarts or "",) if self._has_other_smarts() else ()))
            counts = [format_count(present.n_rows)]
            if row.support is not None:
                counts.append(format_percent(row.support))
            cells = (effect, *texts, *counts, values[0], ends, values[1])
            lines.append(Line(cells, pictures=row.drawings))
        return tuple(lines)


def _count(values: NDArray[Any], weights: NDArray[np.float64] | None) -> int:
    return values.size if weights is None else int(np.count_nonzero(weights))


def note_of(quantity: str, named: str, overall: Observed | None, *, is_weighted: bool = False) -> str:
    """Write the sentence above a table.

    Parameters
    ----------
    quantity : {"rate", "mean"}
        What is observed.
    named : str
        Whose rate or mean it is: ``class 'yes'``; empty where that is clear.
    overall : Observed or None
        All records; None where there are several outputs.
    is_weighted : bool, default=False
        Whether the weights of the records differ.

    Returns
    -------
    str
        The sentence.

    Examples
    --------
    >>> note_of("mean", "", Observed(3, 0.5, None))
    'The mean in the records with each pattern; in all 3 records it is 0.5.'
    """
    of = f" of {named}" if named else ""
    quantity_of = f"The weighted {quantity}" if is_weighted else f"The {quantity}"
    sentence = f"{quantity_of}{of} in the records with each pattern"
    if overall is not None and overall.value is not None:
        shown = format_percent(overall.value) if quantity == "rate" else f"{overall.value:.4g}"
        sentence += f"; in all {pluralize(overall.n_rows, 'record')} it is {shown}"
    return f"{sentence}."
