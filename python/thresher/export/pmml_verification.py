"""Rows with their predictions in a PMML document, by which an evaluator checks itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from .pmml_xml import element, with_text

_PRECISION = 1e-9
"""The largest relative difference; that of sums in another order is far below it."""


@dataclass(frozen=True)
class Verification:
    """Rows and what the model says of them.

    Parameters
    ----------
    rows : sequence of mapping of str to value
        The values of each row by the names of columns; None is missing.
    answers : sequence of sequence
        The values of each result, in the order in which the model gives them out.
    """

    rows: Sequence[Mapping[str, Any]]
    answers: Sequence[Sequence[Any]]


def add_verification(model: ET.Element, verification: Verification) -> None:
    """Add rows to a model, after everything else.

    Parameters
    ----------
    model : Element
        The model; it, or the last one of a chain, has the output.
    verification : Verification
        The rows, and the values of the first fields of the output.
    """
    last = (model.findall("Segmentation/Segment/*[last()]") or [model])[-1]
    output = [field.attrib["name"] for field in last.findall("Output/OutputField")]
    results = output[: len(verification.answers)]
    answers = list(verification.answers)
    targets = model.findall("MiningSchema/MiningField[@usageType='target']")
    if len(targets) == 1:  # a row needs at least two cells
        results, answers = [*results, targets[0].attrib["name"]], [*answers, answers[0]]
    inputs = list(verification.rows[0]) if verification.rows else []
    columns = {name: f"c{place}" for place, name in enumerate([*inputs, *results])}
    fields = [
        element("VerificationField", field=name, column=column, precision=precision, zeroThreshold=precision)
        for name, column in columns.items()
        for precision in [_PRECISION if name in results else None]
    ]
    lines = []
    for place, row in enumerate(verification.rows):
        cells = {**row, **{name: own[place] for name, own in zip(results, answers, strict=True)}}
        lines.append(
            element("row", *(with_text(element(columns[k]), v) for k, v in cells.items() if v is not None))
        )
    model.append(
        element(
            "ModelVerification",
            element("VerificationFields", *fields),
            element("InlineTable", *lines),
            recordCount=len(lines),
            fieldCount=len(fields),
        )
    )
