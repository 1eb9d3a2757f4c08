"""Drawings of molecules: the patterns in the table of terms, and the records that are explained."""

from __future__ import annotations

from typing import Any

MOST_DRAWN = 300  # drawings of one kind: of 1 to 2 kB each, half a megabyte at most


def pattern_drawings(model: Any, columns: dict[str, list[Any]]) -> list[dict[str, Any] | None] | None:
    """Return the drawings of the listed terms; None where the terms are not patterns of molecules."""
    if not hasattr(model, "_draw_pattern"):
        return None
    outputs = list(map(str, model._fitted.output_names()))
    known = {(str(pattern.output), pattern.text): pattern for pattern in model.patterns_}
    places = columns.get("output", [0] * len(columns["term"]))
    drawings: list[dict[str, Any] | None] = []
    for term, place in zip(columns["term"][:MOST_DRAWN], places, strict=False):
        drawing = model._draw_pattern(known[outputs[place], term])
        if drawing is None:
            return None
        drawings.append(drawing.payload())
    return drawings + [None] * (len(columns["term"]) - len(drawings)) if drawings else None


def record_drawings(model: Any, records: Any, n_records: int) -> list[list[dict[str, Any]]]:
    """Return the drawings of records, one for each output, coloured by the contributions to it."""
    if not hasattr(model, "_draw_record"):
        return [[] for _ in range(n_records)]
    outputs = model._fitted.output_names()
    drawings: list[list[dict[str, Any]]] = []
    for k, record in enumerate(records):
        drawn = [
            model._draw_record(record, output) for output in outputs if (k + 1) * len(outputs) <= MOST_DRAWN
        ]
        drawings.append([each.payload() for each in drawn if each is not None])
    return drawings
