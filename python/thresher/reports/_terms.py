"""The table of terms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..results.summary import Summary
from ._overview import summary_noun
from ._reasons import Reasons

FRACTION_DIGITS = 12  # sums of weights differ in the last digits: 0.26249999999999996 is 105 of 400 rows
MOST_TERMS = 2_000  # rows of the table: some 300 kB of the page, and 0.2 s of a browser


def terms_of(summary: Summary, reasons: Reasons | None) -> dict[str, Any]:
    """Return the terms as columns, the most important first.

    Coefficients of columns and products have no importance from training; the given rows tell one.
    """
    rows, is_here = list(summary.rows), False
    if reasons is not None and rows and all(row.importance is None for row in rows):
        deviations, is_here = reasons.deviations(), True
        rows = [
            replace(row, importance=deviations.get((row.output, row.kind, row.term), 0.0)) for row in rows
        ]
    rows.sort(key=lambda row: -(abs(row.coef) if row.importance is None else row.importance))
    shown = rows[:MOST_TERMS]
    outputs = {str(label): place for place, (label, _) in enumerate(summary.intercepts)}
    found: dict[str, list[Any]] = {
        "term": [row.term for row in shown],
        "kind": [row.kind for row in shown],
        "coef": [row.coef for row in shown],
    }
    if len(outputs) > 1:
        found["output"] = [outputs[str(row.output)] for row in shown]
    for name in ("importance", "support", "n_rows"):
        values = [getattr(row, name) for row in shown]
        if name == "support":
            values = [None if value is None else round(value, FRACTION_DIGITS) for value in values]
        if any(value is not None for value in values):
            found[name] = values
    if reasons is not None:
        fractions = reasons.fractions_of_rows()
        values = [fractions.get((row.output, row.kind, row.term)) for row in shown]
        if any(value is not None for value in values):
            found["fraction"] = values
    for name in dict.fromkeys(name for row in shown for name in row.extras):
        found[f"extra:{name}"] = [_plain(row.extras.get(name)) for row in shown]
    return {
        "columns": found,
        "omitted": len(rows) - len(shown),
        "noun": summary_noun(summary),
        "row_noun": summary.row_noun,
        "is_here": is_here,
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
