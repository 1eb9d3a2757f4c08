"""Terms with coefficients as a table: columns, products of columns."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..data.frames import as_frame


@dataclass(frozen=True)
class Terms:
    """The terms of one output.

    Parameters
    ----------
    output : object
        The class or target, None where there is one.
    start : float
        The intercept.
    coef : tuple of (str, float)
        Columns, or products of columns, and their coefficients.
    """

    output: Any
    start: float
    coef: tuple[tuple[str, float], ...]


class CoefTable:
    """A model with few coefficients as a table to read and to add up.

    Parameters
    ----------
    outputs : sequence of Terms
        One for each output.
    note : str
        What the sum means.

    Examples
    --------
    >>> print(CoefTable([Terms(None, 0.25, (("age", -1.5),))], "Their sum is the prediction."))
    Their sum is the prediction.
      +0.25  (start)
       -1.5  * age
    """

    def __init__(self, outputs: Sequence[Terms], note: str) -> None:
        self.outputs = list(outputs)
        self._note = note

    def __len__(self) -> int:
        """Count the coefficients."""
        return sum(len(terms.coef) for terms in self.outputs)

    def columns(self) -> dict[str, list[Any]]:
        """Give the lines column by column.

        Returns
        -------
        dict of str to list
            ``feature, coef``, and ``output`` first where there are several; the first
            line of each is ``(start)``.
        """
        lines = [
            (terms.output, name, value)
            for terms in self.outputs
            for name, value in (("(start)", terms.start), *terms.coef)
        ]
        outputs, names, values = map(list, zip(*lines, strict=True))
        found = {"output": outputs, "feature": names, "coef": values}
        if len(self.outputs) == 1:
            found.pop("output")
        return found

    def to_frame(self) -> Any:
        """Give a data frame: pandas if it is there, else polars, else this table.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or CoefTable
            The columns of :meth:`columns`.
        """
        return as_frame(self.columns(), self)

    def __str__(self) -> str:
        """Lay the table out for a terminal."""
        lines = [self._note]
        for terms in self.outputs:
            if len(self.outputs) > 1:
                lines.append(f"[{terms.output}]")
            # Columns have units of their own: each number has its own digits.
            values = [f"{value:+.4g}" for value in (terms.start, *(value for _, value in terms.coef))]
            width = max(map(len, values))
            names = ["(start)", *(f"* {name}" for name, _ in terms.coef)]
            lines += [f"  {value:>{width}}  {name}" for value, name in zip(values, names, strict=True)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Show the table."""
        return str(self)

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return f"<pre>{html.escape(str(self))}</pre>"
