"""Scaled cards as code: functions that the card has as methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..export.build import formula_of
from ..export.formula import Column, Formula, Lookup, Output, Steps, Term
from ..formatting.docstrings import with_parts
from ..validation import check, integer
from ._reason_code import reason_costs
from ._reason_texts import texts_of_sources
from ._reasons import reference_points
from .bins import ColumnBins

if TYPE_CHECKING:
    from ._points import CardInPoints


def formula_of_card(card: CardInPoints) -> Formula:
    """Describe how a card scores a row: the formula of its model with points for contributions.

    Parameters
    ----------
    card : CardInPoints
        The card.

    Returns
    -------
    Formula
        A formula whose results are the score and the probability of the event.
    """
    formula = formula_of(card.model)
    found = {bins.feature_index: (bins, points) for bins, points in zip(card.bins, card.points, strict=True)}

    def term_of(term: Term) -> Term:
        assert isinstance(term, (Steps, Lookup))
        column = formula.columns[term.column]
        return _in_points(term, column, *found[column.position])

    terms = tuple(term_of(term) for term in formula.outputs[0].terms)
    return replace(
        formula,
        model="Score card",
        outputs=(Output(None, float(card.base_points), terms),),
        link="identity",
        scale=1.0,
        classes=None,
        result="score",
        log_odds=(card.scaling.sign * card.scaling.factor, card.scaling.even_score),
    )


def _in_points(
    term: Steps | Lookup, column: Column, bins: ColumnBins, points: tuple[float, ...]
) -> Steps | Lookup:
    missing = float(points[bins.missing_bin])
    if isinstance(term, Steps):
        points_of_code = dict(zip(bins.special, points[bins.n_known : bins.missing_bin], strict=True))
        codes = tuple((code, float(points_of_code.get(code, missing))) for code, _ in term.codes)
        return replace(term, values=tuple(map(float, points[: bins.n_known])), missing=missing, codes=codes)
    values = tuple(float(points[bins.bin_of(level)]) for level in column.levels)
    return replace(term, values=values, missing=missing)


Texts = Mapping[str | tuple[str, float | None], str]

_TEXTS = """\
reference : {"best", "mean"} or table of rows, default="best"
    The reference points of a column, as in :meth:`reasons`.
codes : dict, optional
    The text or code of a reason, by column, by ``(column, special code)``, or by ``(column, None)`` for
    missing values."""
_REASONS = f"""\
reasons : int, default=0
    The most reasons of a row in the result, ranked as :meth:`reasons` ranks them.
{_TEXTS}"""
_with_reasons = with_parts(reasons=_REASONS, texts=_TEXTS)


@_with_reasons
def to_sql(
    self: CardInPoints,
    table: str | Sequence[str] = "data",
    *,
    dialect: str = "ansi",
    keep: str | Sequence[str] = (),
    reasons: int = 0,
    reference: Any = "best",
    codes: Texts | None = None,
) -> str:
    """Write the card as one SELECT with the columns ``score`` and ``probability`` (of the event).

    Parameters
    ----------
    table : str or sequence of str, default="data"
        The table's name; a sequence such as ``("schema", "data")`` qualifies it.
    dialect : {"ansi", "duckdb", "postgresql", "sqlite"}, default="ansi"
        The database.
    keep : str or sequence of str, default=()
        Further columns of the table that the result has, such as a key.
    {reasons}

    Returns
    -------
    str
        The statement, in the form of the model's ``to_sql``. A row that :meth:`score` refuses has NULL. With
        `reasons` the result has ``reason_1``, ``points_1``, ... too, which are NULL beyond the last reason of
        a row.

    Raises
    ------
    TypeError, ValueError
        If the dialect is unknown, a name cannot be expressed in SQL, or `reasons`, `reference` or `codes` is
        not allowed.
    """
    from ..export.sql import sql_of

    formula = formula_of_card(self)
    costs = reason_costs(self, formula, reasons, reference, codes)
    return sql_of(formula, table, dialect, [keep] if isinstance(keep, str) else keep, costs)


@_with_reasons
def to_python(
    self: CardInPoints, *, reasons: int = 0, reference: Any = "best", codes: Texts | None = None
) -> str:
    """Write the card as one Python function that needs the standard library alone.

    Parameters
    ----------
    {reasons}

    Returns
    -------
    str
        A module that defines ``score(row)``, which returns a dictionary with the entries ``score`` and
        ``probability`` (of the event), in the form of the model's ``to_python``. Where :meth:`score` raises
        an error, or the row lacks a column, it raises a ValueError. With
        `reasons` the entry ``reasons`` is a list of dictionaries with ``reason`` and ``points``, the
        costliest first.

    Raises
    ------
    TypeError, ValueError
        If `reasons`, `reference` or `codes` is not allowed.
    """
    from ..export.python import python_of

    formula = formula_of_card(self)
    return python_of(formula, reason_costs(self, formula, reasons, reference, codes))


@_with_reasons
def to_javascript(
    self: CardInPoints, *, reasons: int = 0, reference: Any = "best", codes: Texts | None = None
) -> str:
    """Write the card as one JavaScript function, without dependencies.

    Parameters
    ----------
    {reasons}

    Returns
    -------
    str
        A script that defines ``score(row)``, which returns an object with the entries ``score`` and
        ``probability`` (of the event), in the form of the model's ``to_javascript``. Where :meth:`score`
        raises an error, or the row lacks a column, it throws an ``Error``. With `reasons` the entry
        ``reasons`` is an array of objects with ``reason`` and ``points``, the costliest first.

    Raises
    ------
    TypeError, ValueError
        If `reasons`, `reference` or `codes` is not allowed.
    """
    from ..export.javascript import javascript_of

    formula = formula_of_card(self)
    return javascript_of(formula, reason_costs(self, formula, reasons, reference, codes))


def to_c(self: CardInPoints) -> str:
    """Write the card as one C99 function.

    Returns
    -------
    str
        A file that defines ``score(row, decision, probability)``, as the model's ``to_c`` writes it: it sets
        ``decision[0]`` to the score and ``probability[0]`` to the probability of the event, and returns 0.
        For a row that :meth:`score` refuses it returns -1 and writes NaN.

    Raises
    ------
    ValueError
        If a category holds the character NUL.
    """
    from ..export.c import c_of

    return c_of(formula_of_card(self))


def to_onnx(self: CardInPoints) -> Any:
    """Write the card as an ONNX graph of double precision, for example for onnxruntime.

    Returns
    -------
    onnx.ModelProto
        A graph with the inputs of the model's ``to_onnx``, and the outputs ``score`` and ``probability`` (of
        the event), of shape (n_rows, 1). A row that :meth:`score` refuses has NaN.

    Raises
    ------
    ImportError
        If the package onnx is not installed.
    """
    from ..export.onnx_graph import onnx_of

    return onnx_of(formula_of_card(self))


def to_excel(self: CardInPoints, path: str | Path, X: Any = None, *, n_rows: int = 100) -> None:
    """Write the card as a workbook with formulas that score rows.

    Parameters
    ----------
    path : str or Path
        The file, .xlsx.
    X : array or frame of shape (n_rows, n_features), optional
        Rows to fill the sheet "Table" with.
    n_rows : int, default=100
        The number of rows of the sheet "Table", without `X`.

    Raises
    ------
    ValueError
        If the card is too large for a sheet, or the file's name ends on another suffix than .xlsx.
    """
    from ..export.build import sheet_rows
    from ..export.excel import check_suffix, write_excel

    check_suffix(path, ".xlsx")
    formula = formula_of_card(self)
    write_excel(formula, path, sheet_rows(self.model, formula, self._aligned(X), n_rows))


@_with_reasons
def to_pmml(
    self: CardInPoints,
    X: Any = None,
    *,
    n: int = 4,
    reference: Any = "best",
    codes: Texts | None = None,
) -> str:
    """Write the card as a PMML 4.4 ``Scorecard`` with reason codes.

    The results are ``score``, ``probability`` (of the event), and ``reason_1``, ``reason_2``, ...: the
    columns that cost a row most points, as :meth:`reasons` ranks them with the same parameters. PMML has no
    empty reason: an evaluator may go on with columns that cost nothing, which come last.

    Parameters
    ----------
    X : array or frame of shape (n_rows, n_features), optional
        Rows that the document holds with their scores (``ModelVerification``), so that an evaluator can check
        itself.
    n : int, default=4
        The number of reasons in the result; 0: none.
    {texts}

    Returns
    -------
    str
        The document.

    Raises
    ------
    TypeError, ValueError
        If `n`, `reference` or `codes` is not allowed, or a name or category holds a character that XML cannot
        hold.
    """
    from ..export.build import sheet_rows
    from ..export.pmml import pmml_of
    from ..export.pmml_terms import Reason, Reasons
    from ..export.pmml_verification import Verification

    check("n", n, integer(0))
    named = texts_of_sources(self._reason_sources, codes)
    formula, columns = formula_of_card(self), {}
    place = {column.position: k for k, column in enumerate(formula.columns)}
    for bins, texts, points in zip(self.bins, named, reference_points(self, reference), strict=True):
        missing = texts.apart.get(None)
        special = dict.fromkeys(bins.as_missing, missing) if missing else {}
        special |= {code: text for code, text in texts.apart.items() if code is not None}
        columns[place[bins.feature_index]] = Reason(texts.text, float(points), missing, special)
    targets = self.model._fitted.target_names
    reasons = Reasons(columns, n, self.scaling.sign > 0) if n and columns else None
    verification = None
    if X is not None:
        rows, scores = sheet_rows(self.model, formula, self._aligned(X), 0), self.score(X)
        verification = Verification(rows, [scores.tolist(), self.probability(scores).tolist()])
    return pmml_of(formula, targets[0] if targets else None, reasons, verification)
