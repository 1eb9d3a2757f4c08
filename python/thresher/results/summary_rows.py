"""The terms of each kind of model as rows of a summary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..formatting.quoting import quote_name
from .printed import frame_or_error
from .summary import Summary, SummaryRow

if TYPE_CHECKING:  # the classes of terms of which each family needs its own
    from .pattern import Pattern
    from .payloads import LinearPayload
    from .rule import Rule
    from .shape_function import ShapeFunction


def rule_rows(rules: Iterable[Rule], *, grouped: bool = False) -> list[SummaryRow]:
    """List rules.

    Parameters
    ----------
    rules : iterable of Rule
        The rules of a model.
    grouped : bool, default=False
        Whether to add the columns of each rule as ``group``.

    Returns
    -------
    list of SummaryRow
        One for each rule.
    """
    return [
        SummaryRow(
            rule.text,
            "rule",
            rule.coef,
            rule.support,
            rule.n_rows,
            rule.importance,
            rule.output,
            {"group": ", ".join(rule.feature_names)} if grouped else {},
        )
        for rule in rules
    ]


def linear_rows(
    terms: Iterable[LinearPayload], names: Sequence[str], output: Any, *, grouped: bool = False
) -> list[SummaryRow]:
    """List the linear terms of a rule model.

    Parameters
    ----------
    terms : iterable of LinearPayload
        The terms of an output in the document.
    names : list of str
        The columns' names.
    output : object
        The class or target.
    grouped : bool, default=False
        Whether the rules have a ``group``.

    Returns
    -------
    list of SummaryRow
        One for each term that is not 0.
    """
    return [
        SummaryRow(
            quote_name(names[term["feature"]]),
            "linear",
            term["coef"],
            1.0,
            importance=abs(term["coef"]) * term["scale"],
            output=output,
            extras={"group": None} if grouped else {},
        )
        for term in terms
        if term["coef"] != 0
    ]


def pattern_rows(patterns: Iterable[Pattern]) -> list[SummaryRow]:
    """List patterns.

    Parameters
    ----------
    patterns : iterable of Pattern
        The patterns of a model.

    Returns
    -------
    list of SummaryRow
        One for each, with its ``size`` and its number of rows in each class.
    """
    return [
        SummaryRow(
            p.text,
            "pattern",
            p.coef,
            p.support,
            p.n_rows,
            p.importance,
            p.output,
            {"size": p.size, **{f"n_rows_{label}": n for label, n in p.n_rows_per_class.items()}},
        )
        for p in patterns
    ]


def coefficient_rows(coef: Iterable[tuple[str, float]], output: Any) -> list[SummaryRow]:
    """List coefficients of columns.

    Parameters
    ----------
    coef : iterable of (str, float)
        Columns and coefficients.
    output : object
        The class or target.

    Returns
    -------
    list of SummaryRow
        One for each.
    """
    return [SummaryRow(quote_name(name), "linear", value, output=output) for name, value in coef]


def step_rows(shapes: Iterable[ShapeFunction]) -> list[SummaryRow]:
    """List the steps of step functions.

    Parameters
    ----------
    shapes : iterable of ShapeFunction
        The functions of a model.

    Returns
    -------
    list of SummaryRow
        One for each step, with its ``feature``, column by column.
    """
    return [
        SummaryRow(
            step.text,
            "step",
            step.value,
            step.support,
            importance=math.sqrt(step.support) * abs(step.value),
            output=shape.output,
            extras={"feature": shape.feature_name},
        )
        for shape in shapes
        for step in shape.steps
    ]


def by_importance(rows: Iterable[SummaryRow]) -> list[SummaryRow]:
    """Sort terms by decreasing importance; the sort is stable.

    Parameters
    ----------
    rows : iterable of SummaryRow
        Rows with an importance.

    Returns
    -------
    list of SummaryRow
        The sorted rows.
    """
    return sorted(rows, key=lambda row: -(row.importance or 0.0))


def frame_of_rules(rows: Sequence[SummaryRow], *, several_outputs: bool) -> Any:
    """Return rules and linear terms as a data frame.

    Parameters
    ----------
    rows : sequence of SummaryRow
        The terms, the most important first.
    several_outputs : bool
        Whether the first column is ``output``.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        ``rule, type, coef, support, n_rows, importance``, and ``group`` where rules have one.
    """
    table = Summary(tuple(rows), ((None, 0.0),))
    columns = table.columns()
    empty: list[Any] = []
    named = {"rule": columns["term"], "type": columns["kind"], "coef": columns["coef"]}
    named |= {name: columns.get(name, empty) for name in ("support", "n_rows", "importance")}
    if "n_rows" not in columns:
        named["n_rows"] = [None] * len(rows)
    if several_outputs:
        named = {"output": [row.output for row in rows], **named}
    return frame_or_error(named | ({"group": columns["group"]} if "group" in columns else {}))


def frame_of_patterns(patterns: Sequence[Pattern], *, several_outputs: bool) -> Any:
    """Return patterns as a data frame.

    Parameters
    ----------
    patterns : sequence of Pattern
        The patterns of a model.
    several_outputs : bool
        Whether the first column is ``output``.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        ``pattern, size, coef, support, n_rows``, an ``n_rows_<class>`` for each class, and
        ``importance``, the most important first; of molecules also ``smarts``.
    """
    ordered = sorted(patterns, key=lambda pattern: -pattern.importance)
    columns: dict[str, list[Any]] = {}
    if several_outputs:
        columns["output"] = [p.output for p in ordered]
    columns["pattern"] = [p.text for p in ordered]
    for name in ("size", "coef", "support", "n_rows"):
        columns[name] = [getattr(p, name) for p in ordered]
    for label in ordered[0].n_rows_per_class if ordered else ():
        columns[f"n_rows_{label}"] = [p.n_rows_per_class[label] for p in ordered]
    columns["importance"] = [p.importance for p in ordered]
    if any(p.smarts is not None for p in ordered):
        columns["smarts"] = [p.smarts for p in ordered]
    return frame_or_error(columns)
