"""Fitted models as code: functions that the base class has as methods."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def to_javascript(self: Any) -> str:
    """Write the model as one JavaScript function, without dependencies.

    ``score(row)`` takes an object with the value of each column that the model uses, by name; null and NaN
    are missing. It returns an object with ``decision`` (a number, or an array of those of several outputs),
    ``prediction``, and ``probabilities`` (an array in the order of ``score.classes``) where
    the model has probabilities. Where ``predict`` raises an error, for example for an unknown category with
    ``handle_unknown="error"``, it throws an ``Error``. For item-sets a row is an array or a Set of items, or
    an object of flags; for sequences it is an array of events (of several items: an array or a Set),
    or a text of letters.

    Returns
    -------
    str
        A script that defines ``score``, and exports it where there are modules.

    Raises
    ------
    TypeError
        If it is a model of graphs.
    ValueError
        If two columns that the model uses share a name.
    """
    from ..export.build import formula_of
    from ..export.javascript import javascript_of

    return javascript_of(formula_of(self, sequences=True))


def to_sql(
    self: Any, table: str | Sequence[str] = "data", *, dialect: str = "ansi", keep: str | Sequence[str] = ()
) -> str:
    """Write the model as one SELECT that scores the rows of a table.

    The table has a column for each column that the model uses, of the same name. The result has the
    columns in `keep`, then ``prediction`` (several targets: ``prediction of <target>``), for classes
    ``probability of <class>`` where the model has probabilities, and ``decision``. NULL, NaN and infinite
    numbers are missing values. A row that ``predict`` refuses has NULL: an unknown category with
    ``handle_unknown="error"``, a missing number where the model needs one, or terms that are too large to be
    added up. For item-sets each item is a column of booleans, or of 1 and 0.

    Parameters
    ----------
    table : str or sequence of str, default="data"
        The table's name; a sequence such as ``("schema", "data")`` qualifies it.
    dialect : {"ansi", "duckdb", "postgresql", "sqlite"}, default="ansi"
        The database. "ansi" is plain SQL with common table expressions, ``EXP`` and ``LN``; the others
        evaluate every layer once, and SQLite's has numbers that it reads to the last bit.
    keep : str or sequence of str, default=()
        Further columns of the table that the result has, such as a key.

    Returns
    -------
    str
        The statement, without a semicolon.

    Raises
    ------
    TypeError
        If it is a model of sequences or graphs.
    ValueError
        If the dialect is unknown, a name cannot be expressed in SQL, two columns that the model uses share
        a name, or a factorization machine has more than 100,000 products of columns.
    """
    from ..export.build import formula_of
    from ..export.sql import sql_of

    return sql_of(formula_of(self), table, dialect, [keep] if isinstance(keep, str) else keep)


def to_python(self: Any) -> str:
    """Write the model as one Python function that needs the standard library alone.

    ``score(row)`` takes a mapping with the value of each column that the model uses; None and NaN are
    missing. It returns a dictionary with ``decision``, ``prediction`` and, where the model has them,
    ``probabilities`` in the order of ``CLASSES``. Where ``predict`` raises an error, or the row lacks a
    column, it raises a ValueError. For item-sets a row is a collection of items, or a mapping of flags;
    for sequences it is a list of events (of several items: a list or a set), or a text of letters.

    Returns
    -------
    str
        A module that defines ``score``, ``COLUMNS`` and ``CLASSES``.

    Raises
    ------
    TypeError
        If it is a model of graphs.
    ValueError
        If two columns that the model uses share a name.
    """
    from ..export.build import formula_of
    from ..export.python import python_of

    return python_of(formula_of(self, sequences=True))


def to_c(self: Any) -> str:
    """Write the model as one C99 function.

    ``score(row, decision, probability)`` reads a structure with a field for each column that the model uses:
    a ``double`` for numbers (NaN is missing; booleans are 1 and 0), a text for categories that are texts
    (NULL is missing). It writes decision values and probabilities and returns the position of the predicted
    class, 0 for a regression. For a row that ``predict`` refuses it returns -1 and
    writes NaN.

    Returns
    -------
    str
        A file without dependencies beside the C library.

    Raises
    ------
    TypeError
        If it is a model of sequences or graphs.
    ValueError
        If two columns that the model uses share a name, or a category holds the character NUL.
    """
    from ..export.build import formula_of
    from ..export.c import c_of

    return c_of(formula_of(self))


def to_onnx(self: Any) -> Any:
    """Write the model as an ONNX graph of double precision, for example for onnxruntime.

    The inputs are tensors of shape (n_rows, 1), one for each column that the model uses, by name: doubles for
    numbers and booleans (NaN is missing), texts for categories that are texts (the empty text is missing;
    where it is a category itself, the text in ``metadata_props``). A model of a matrix without names has one
    input ``X`` of shape (n_rows, n_features). The outputs are ``prediction``, for a classifier
    ``probabilities`` where the model has them, and ``decision``. A row that ``predict`` refuses has NaN, and
    as its label the empty text, or the smallest whole number.

    Returns
    -------
    onnx.ModelProto
        The model; ``SerializeToString()`` gives the bytes of a file.

    Raises
    ------
    ImportError
        If the package onnx is not installed.
    TypeError
        If it is a model of sequences or graphs.
    ValueError
        If two columns that the model uses share a name, or the name of one is the empty text.
    """
    from ..export.build import formula_of
    from ..export.onnx_graph import onnx_of

    return onnx_of(formula_of(self))


def to_excel(self: Any, path: str | Path, X: Any = None, *, n_rows: int = 100) -> None:
    """Write the model as a workbook with formulas that score rows.

    The sheet "Score" scores one row, with what each term adds; "Table" scores rows below each other, with
    the terms on "Terms"; "Numbers" has the model's numbers with all their digits. An empty cell is a missing
    value, so that an empty text can be no category. A row that ``predict`` refuses has the error #N/A.
    Spreadsheets compare numbers by their first 15 digits: a value that differs from a cut point by less
    counts as equal to it.

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
    TypeError
        If it is a model of sequences or graphs, or `X` is given for one of item-sets.
    ValueError
        If the model is too large for a sheet, two columns that it uses share a name, or the file's name ends
        on another suffix than .xlsx.
    """
    from ..export.build import formula_of, sheet_rows
    from ..export.excel import check_suffix, write_excel

    formula = formula_of(self)
    check_suffix(path, ".xlsx")
    write_excel(formula, path, sheet_rows(self, formula, X, n_rows))


def to_pmml(self: Any, X: Any = None) -> str:
    """Write the model as a PMML 4.4 document, for example for JPMML-Evaluator.

    Rules and linear terms are a ``RegressionModel``: each condition is a derived field of 1 and 0, and a rule
    of several conditions a ``PredictorTerm``. Score cards are a ``Scorecard``, with one ``Characteristic`` a
    column. Classifiers and several targets are a ``MiningModel`` that chains one such model for each decision
    value with the model of the classes. The results are the target, ``prediction`` (several targets:
    ``prediction of <target>``), for classes ``probability of <class>`` where the model has probabilities, and
    ``decision``. A row that ``predict`` refuses has an invalid or missing value by the mining schema. For
    item-sets each item is a boolean field, false where it is missing.

    Parameters
    ----------
    X : array or frame of shape (n_rows, n_features), optional
        Rows that the document holds with their predictions (``ModelVerification``), so that an evaluator can
        check itself: to a relative 1e-9.

    Returns
    -------
    str
        The document.

    Raises
    ------
    TypeError
        If it is a model of sequences or graphs, or `X` is given for one of item-sets.
    ValueError
        If ``predict`` refuses `X`, two columns that the model uses share a name, a name or category holds a
        character that XML cannot hold, or a factorization machine has more than 100,000 products of columns.
    """
    from ..export.build import formula_of
    from ..export.pmml import pmml_of

    formula, targets = formula_of(self), self._fitted.target_names
    verification = None if X is None else _verification(self, formula, X)
    return pmml_of(formula, targets[0] if targets else None, verification=verification)


def _verification(model: Any, formula: Any, X: Any) -> Any:
    """Return rows and predictions in the order of the results of a PMML document."""
    from ..export.build import sheet_rows
    from ..export.pmml_verification import Verification

    if any(column.kind == "item" for column in formula.columns):
        raise TypeError("X: rows of item-sets are not part of the document; leave it out")
    answers = [model.predict(X)]
    if formula.classes is not None:
        decision = model._finite_decision(X)
        answers += [model._probabilities(decision)] if formula.has_probabilities else []
        answers.append(decision)
    columns = [part[:, None] if part.ndim == 1 else part for part in answers]
    rows = sheet_rows(model, formula, X, 0)
    return Verification(rows, [own.tolist() for part in columns for own in part.T])
