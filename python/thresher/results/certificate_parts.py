"""What the certificates of all families do alike: totals over several outputs, a table for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

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


def fields_html(certificate: Any, names: Sequence[str], sentence: str) -> str:
    """Return fields of a certificate below a sentence, as HTML.

    Parameters
    ----------
    certificate : certificate
        The certificate.
    names : sequence of str
        The fields.
    sentence : str
        What it says, without a capital letter at its beginning and the full stop.

    Returns
    -------
    str
        The table.
    """
    values = [getattr(certificate, name) for name in names]
    texts = [format_count(v) if isinstance(v, int) else f"{v:.6g}" for v in values]
    lines = tuple(Line(cells) for cells in zip(names, texts, strict=True))
    return TableText(
        ("field", "value"), "lr", (Section("", lines),), f"{sentence[0].upper()}{sentence[1:]}."
    ).html()
