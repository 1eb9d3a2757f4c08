"""The examination of records: molecules, sets of items, sequences of events, graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.molecules import chem, molecule_or_none
from ..formatting.composition import composed_alike, told_apart
from ..formatting.numbers import format_number
from ..formatting.text import format_list, pluralize
from ._column import RawColumn
from ._examine import target_of
from ._findings import ORDER, Examination, Finding
from ._leaks import leaks
from ._relations import ROWS, of_target

_Look = Callable[[Sequence[Any]], tuple[list[Finding], list[str]]]
_SHOWN = 5  # rows that a finding lists
# Items that most records have, of which leaks are looked for.
_MOST_ITEMS = 1_000


def examine_records(kind: str, records: Sequence[Any], y: Any = None) -> Examination:
    """Look at records before a fit for what would mislead a model, or be refused.

    Parameters
    ----------
    kind : {"itemsets", "sequences", "molecules", "graphs"}
        What the records are: lists of items, lists of events (or of sets of them), SMILES, or graphs with
        ``nodes`` and ``edges``.
    records : sequence
        The records.
    y : array-like of shape (n_records,), optional
        Their targets.

    Returns
    -------
    Examination
        The findings, the gravest first.

    Examples
    --------
    >>> found = examine_records("sequences", [["home", "pay"], ["home"], []])
    >>> sorted(finding.found for finding in found.findings)
    ["'home' is in every record that is not empty", '1 record is empty']
    """
    findings, facts = _OF_KIND[kind](records)
    target = None if y is None else target_of(y)
    if target is not None:
        column, is_classes = target
        findings += of_target(column, is_classes)
        if kind in ("itemsets", "sequences"):
            findings += leaks(_flags(records), column, is_classes)
    findings.sort(key=lambda finding: ORDER.index(finding.kind))
    return Examination(tuple(findings), len(records), None, tuple(facts))


def _molecules(records: Sequence[Any]) -> tuple[list[Finding], list[str]]:
    Chem: Any = chem()
    molecules = [molecule_or_none(record) if isinstance(record, str) else None for record in records]
    invalid = [row for row, molecule in enumerate(molecules) if molecule is None]
    findings = []
    if invalid:
        found = f"rdkit does not read {pluralize(len(invalid), 'row')}: {_rows(invalid)}"
        findings.append(Finding(ROWS, "refused", found, "correct them, or leave them out: on_invalid='skip'"))
    names = [None if molecule is None else Chem.MolToSmiles(molecule) for molecule in molecules]
    first: dict[str, int] = {}
    copied = [
        row for row, name in enumerate(names) if name is not None and first.setdefault(name, row) != row
    ]
    if copied:
        pair = f"row {copied[0]} of row {first[names[copied[0]] or '']}"
        found = f"{pluralize(len(copied), 'molecule')} stood in an earlier row, such as {pair}"
        advice = "keep one of each, or keep them together in the cross-validation: fit(..., groups=...)"
        findings.append(Finding(ROWS, "rows", found, advice))
    parts = [row for row, name in enumerate(names) if name is not None and "." in name]
    if parts:
        found = f"{pluralize(len(parts), 'row')} of several molecules, such as salts: {_rows(parts)}"
        findings.append(Finding(ROWS, "records", found, "leave ions and solvents out if only one matters"))
    sizes = [molecule.GetNumAtoms() for molecule in molecules if molecule is not None]
    if bare := [row for row, own in enumerate(molecules) if own is not None and own.GetNumBonds() == 0]:
        found = f"{pluralize(len(bare), 'molecule')} without a bond, with no pattern: {_rows(bare)}"
        findings.append(Finding(ROWS, "records", found, "leave them out?"))
    return findings, [_spread(sizes, "atoms but hydrogen")]


def _graphs(records: Sequence[Any]) -> tuple[list[Finding], list[str]]:
    findings = []
    if bare := [row for row, graph in enumerate(records) if not graph.edges]:
        found = f"{pluralize(len(bare), 'graph')} without an edge, with no pattern: {_rows(bare)}"
        findings.append(Finding(ROWS, "records", found, "leave them out?"))
    labels = {label for graph in records for label in graph.nodes}
    if len(labels) > 1 and len(labels) == sum(len(graph.nodes) for graph in records):
        found = "every vertex has a label of its own"
        findings.append(Finding(ROWS, "records", found, "label vertices by their kind"))
    sizes = [_spread([len(graph.nodes) for graph in records], "vertices")]
    return findings, [*sizes, f"{pluralize(len(labels), 'label')} of vertices"]


def _lists(records: Sequence[Any], noun: str) -> tuple[list[Finding], list[str]]:
    counts = Counter(item for record in records for item in _items(record))
    findings = []
    n_empty = sum(not len(record) for record in records)
    if n_empty:
        found = "1 record is empty" if n_empty == 1 else f"{n_empty} records are empty"
        findings.append(Finding(ROWS, "missing", found, "is nothing known of them, or did nothing happen?"))
    n_held = len(records) - n_empty
    always = [item for item, count in counts.items() if count == n_held and n_held > 1]
    findings += [
        Finding(
            str(item),
            "constant",
            f"{item!r} is in every record that is not empty",
            "it says nothing of the target",
        )
        for item in always
    ]
    if alike := composed_alike(counts):
        listed = ", ".join(" and ".join(told_apart(same)) for same in alike[:_SHOWN])
        found = f"{noun} that look the same differ in Unicode composition: {listed}"
        findings.append(Finding(ROWS, "categories", found, "write them alike"))
    once = sum(count == 1 for count in counts.values())
    if once > len(counts) / 2 and len(counts) > _MANY_KINDS:
        found = f"{once} of {len(counts)} {noun} are in a single record"
        findings.append(Finding(ROWS, "levels", found, "are they names? Merge them into kinds"))
    return findings, [_spread([len(record) for record in records], noun), f"{len(counts)} different {noun}"]


_MANY_KINDS = 50
_OF_KIND: Mapping[str, _Look] = {
    "molecules": _molecules,
    "graphs": _graphs,
    "itemsets": lambda records: _lists(records, "items"),
    "sequences": lambda records: _lists(records, "events"),
}


def _items(record: Any) -> set[Any]:
    """Return the different items of a record, whose events may be sets."""
    found: set[Any] = set()
    for event in record:
        found |= set(event) if isinstance(event, (set, frozenset)) else {event}
    return found


def _flags(records: Sequence[Any]) -> list[RawColumn]:
    """Return whether each record has each of the most frequent items."""
    owned = [_items(record) for record in records]
    counts = Counter(item for own in owned for item in own)
    return [
        RawColumn(str(item), _flag(owned, item))
        for item, count in counts.most_common(_MOST_ITEMS)
        if count < len(owned)
    ]


def _flag(owned: Sequence[set[Any]], item: Any) -> NDArray[np.bool_]:
    return np.asarray([item in own for own in owned], dtype=bool)


def _rows(rows: Sequence[int]) -> str:
    return f"row {rows[0]}" if len(rows) == 1 else format_list([f"row {row}" for row in rows], _SHOWN)


def _spread(sizes: Sequence[int], noun: str) -> str:
    if not sizes:
        return f"no {noun}"
    low, middle, high = (format_number(float(value)) for value in np.quantile(sizes, [0.0, 0.5, 1.0]))
    return f"{low} {noun}" if low == high else f"{low} to {high} {noun}, in the middle {middle}"
