"""What the certificates of all families do alike: totals over several outputs, a table for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ..formatting.numbers import format_count
from .table_text import Line, Section, TableText

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    _C = TypeVar("_C", bound=DataclassInstance)


def combined(
    parts: Sequence[_C],
    *,
    sums: Iterable[str],
    largest: Iterable[str],
    every: Iterable[str],
    **others: Any,
) -> _C:
    """Return the certificate of separate problems: that of a single one, or totals over several.

    Parameters
    ----------
    parts : sequence of certificate
        The certificate of each output.
    sums, largest, every : iterable of str
        The fields to be summed, of which the largest counts, and that must hold of every output.
    **others : object
        Further fields with their values; the rest is that of the first output.

    Returns
    -------
    certificate
        With the parts as its ``outputs`` where there are several.
    """
    if len(parts) == 1:
        return parts[0]
    rules = ((sum, sums), (max, largest), (all, every))
    totals = {name: total(getattr(part, name) for part in parts) for total, names in rules for name in names}
    return replace(parts[0], outputs=tuple(parts), **totals, **others)


class PrintedCertificate:
    """Base class of certificates: a sentence, and in notebooks their numbers below it."""

    _fields: ClassVar[tuple[str, ...]]
    nodes: int
    searches: int
    seconds: float

    def _repr_html_(self) -> str:
        """Return the sentence and the numbers as HTML for notebooks."""
        values = [getattr(self, name) for name in self._fields]
        texts = [format_count(v) if isinstance(v, int) else f"{v:.6g}" for v in values]
        lines = tuple(Line(cells) for cells in zip(self._fields, texts, strict=True))
        sentence = str(self)
        note = f"{sentence[0].upper()}{sentence[1:]}."
        return TableText(("field", "value"), "lr", (Section("", lines),), note).html()

    def _work(self) -> str:
        """Return what the searches took."""
        searches = "1 search" if self.searches == 1 else f"{format_count(self.searches)} searches"
        return f"{searches} over {format_count(self.nodes)} nodes in {self.seconds:.2f} s"
