"""The model's patterns as a table that a person reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .pattern import Pattern
from .rule_table import RuleTable, TableRow


class PatternTable(RuleTable):
    """The patterns of a model, the most important first.

    Parameters
    ----------
    patterns : list of Pattern
        The patterns.
    intercepts : list of (output, float)
        The intercept of each output.
    note : str, default=""
        What an effect means; shown above the table.
    footer : str, default=""
        Shown below, the certificate for instance.

    Examples
    --------
    >>> print(PatternTable([Pattern("milk", 1, 0.5, 25, 0.25)], [(None, 1.0)]))
      effect  pattern      records
      +1.000  (intercept)
      +0.500  milk         25 (25%)
    """

    headings = ("pattern", "records")

    def __init__(
        self,
        patterns: Sequence[Pattern],
        intercepts: Sequence[tuple[Any, float]],
        note: str = "",
        footer: str = "",
    ) -> None:
        rows = [
            TableRow(p.text, "pattern", p.coef, p.support, p.importance, p.n_rows, p.output) for p in patterns
        ]
        super().__init__(rows, intercepts, note, footer)
        self.patterns = sorted(patterns, key=lambda pattern: -pattern.importance)

    def columns(self) -> dict[str, list[Any]]:
        """Give the table column by column.

        Returns
        -------
        dict of str to list
            ``pattern, size, coef, support, n_rows``, a ``n_rows_<class>`` for each class,
            ``importance``, and ``output`` first where there are several.
        """
        columns: dict[str, list[Any]] = {}
        if len(self.intercepts) > 1:
            columns["output"] = [p.output for p in self.patterns]
        columns["pattern"] = [p.text for p in self.patterns]
        for name in ("size", "coef", "support", "n_rows"):
            columns[name] = [getattr(p, name) for p in self.patterns]
        for label in self.patterns[0].n_rows_per_class if self.patterns else ():
            columns[f"n_rows_{label}"] = [p.n_rows_per_class[label] for p in self.patterns]
        columns["importance"] = [p.importance for p in self.patterns]
        return columns
