"""The formula of a fitted estimator."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..data.columns import Level
from ..formatting.numbers import format_number
from ..formatting.text import with_article
from ..results.shape_function import cell
from .conditions import Condition, Equals, Has, Interval, IsCode, Missing
from .event_pattern import EventPattern
from .formula import (
    Atom,
    Column,
    Factor,
    Formula,
    Linear,
    Link,
    Lookup,
    Output,
    RuleTerm,
    Steps,
    Term,
    Unknown,
)

Document = Mapping[str, Any]


def formula_of(estimator: Any, *, sequences: bool = False) -> Formula:
    """Describe how a fitted model scores a row.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator.
    sequences : bool, default=False
        Whether a row may be a sequence of events.

    Returns
    -------
    Formula
        The columns in use, and the terms of each output.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted.
    TypeError
        If it is a model of graphs, or of sequences where rows are those of a table.
    ValueError
        If two columns that the model uses share a name.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> model = RuleRegressor(alpha=0.01, linear=False).fit(X, X[:, 0] > 9)
    >>> formula_of(model).columns[0].name
    'x0'
    """
    check_is_fitted(estimator)
    fitted, name = estimator._fitted, type(estimator).__name__
    document = fitted.document
    of_sequences = document["format"] == "thresher.sequences"
    if document["format"] not in _READERS or (of_sequences and not sequences):
        noun = document["format"].removeprefix("thresher.")
        instead = "to_python or to_javascript, or " if of_sequences else ""
        raise TypeError(
            f"{with_article(name)} reads {noun}, which are no columns of a table; models of tables and of "
            f"item-sets can be exported. Use {instead}to_json with thresher.load_model, or fit a model of "
            "tables to transform(X), whose columns are the patterns"
        )
    estimator._check_savable()  # labels of items that are text, numbers or booleans
    columns = (
        _Patterns(document, []) if of_sequences else _Columns(document, sorted(estimator._used_columns()))
    )
    read, labels = _READERS[document["format"]], fitted.output_names()
    outputs = tuple(
        Output(label, float(point["intercept"]), tuple(read(columns, output, point)))
        for label, output, point in zip(
            labels, document["outputs"], fitted.points(estimator._path_index), strict=True
        )
    )
    link, scale = _link(estimator, document)
    return Formula(
        model=name,
        columns=columns.described(outputs, getattr(estimator, "handle_unknown", "error")),
        n_columns=len(document["features"]),
        training=columns.training(),
        is_named=fitted.schema is None or fitted.schema.named,  # items of sets have names
        outputs=outputs,
        link=link,
        scale=scale,
        classes=None if fitted.classes is None else tuple(fitted.classes.tolist()),
        targets=None if len(outputs) == 1 or fitted.classes is not None else tuple(map(str, labels)),
    )


def sheet_rows(estimator: Any, formula: Formula, X: Any, n_rows: int) -> list[dict[str, Any]]:
    """Return the rows of a sheet as cells, by the names of columns; a missing value is an empty cell.

    A category that training did not see stands there as it is given, unless a spreadsheet takes it for
    another one, as 1 for the text 1.

    Parameters
    ----------
    estimator : estimator
        The model of the formula, which reads the rows.
    formula : Formula
        The formula.
    X : array or frame of shape (n_rows, n_features), or None
        The rows; None: empty ones.
    n_rows : int
        The number of empty rows.

    Returns
    -------
    list of dict of str to value
        A mapping for each row.

    Raises
    ------
    TypeError
        If the model is one of item-sets, and rows are given.
    """
    if X is None:
        return [{}] * n_rows
    if any(column.kind == "item" for column in formula.columns):
        raise TypeError("X: rows of item-sets are not filled in; leave it out, and give n_rows")
    X = estimator._as_rows(X)
    table, given = estimator._table(X), estimator._table_as_given(X)
    found: list[dict[str, Any]] = [{} for _ in range(table.n_rows)]
    for column in formula.columns:
        place, known = column.position, set(map(_text, column.levels))
        for row, cells in enumerate(found):
            value = cell(given.columns[place], row)
            is_other = cell(table.columns[place], row) is None and _text(value) in known
            cells[column.name] = None if value != value or is_other else value
    return found


def _text(level: Level | None) -> str | None:
    """Return a category as a spreadsheet compares it."""
    return level if isinstance(level, str) or level is None else format_number(float(level))


def _link(estimator: Any, document: Document) -> tuple[Link, float]:
    """Return how decision values become predictions, and the multiple of them that is log-odds."""
    if document["task"] == "regression":
        return "identity", 1.0
    loss, scales = str(document["loss"]), type(estimator)._log_odds_scale
    if loss not in scales:
        return "label", 1.0
    is_log_odds = document["format"] != "thresher.fm" or loss == "logistic"
    return ("logistic" if is_log_odds else "clipped"), float(scales[loss])


class _Columns:
    """The columns in use, by their positions in the document and in the formula.

    Parameters
    ----------
    document : mapping
        The model's document.
    used : list of int
        Positions in the document, ascending.
    """

    def __init__(self, document: Document, used: list[int]) -> None:
        self.document = document
        self.features = document["features"]
        self.used = used
        self.place = {feature: place for place, feature in enumerate(used)}

    def levels(self, feature: int) -> list[Level] | None:
        """Return the known levels of a categorical column, None for numbers."""
        found = self.features[feature]
        return found.get("levels") if isinstance(found, Mapping) else None

    def special(self, feature: int) -> list[Document]:
        """Return the special codes of a column, ascending, and whether training saw each."""
        found = self.features[feature]
        return list(found.get("special", ())) if isinstance(found, Mapping) else []

    def _center(self, feature: int) -> float:
        """Return what a factorization machine subtracts from a column of numbers."""
        centers = (
            self.document["language"].get("centers") if self.document["format"] == "thresher.fm" else None
        )
        if not centers:
            return 0.0
        widths = (1 if (levels := self.levels(before)) is None else len(levels) for before in range(feature))
        return float(centers[sum(widths)])

    def described(self, outputs: tuple[Output, ...], handle_unknown: str) -> tuple[Column, ...]:
        """Describe the columns in use."""
        compared = _compared(outputs)
        found = tuple(self._column(feature, handle_unknown, compared) for feature in self.used)
        twice = [name for name, count in Counter(column.name for column in found).items() if count > 1]
        if twice:
            raise ValueError(
                f"two columns that the model uses share the name {twice[0]!r}; exported code finds columns "
                "by name: rename one and fit again"
            )
        return found

    def training(self) -> tuple[str, ...]:
        """Return the names of all columns; those of item-sets are items, which a table may lack."""
        is_items = self.document["format"] == "thresher.itemsets"
        return () if is_items else tuple(map(self._name, range(len(self.features))))

    def _name(self, feature: int) -> str:
        found = self.features[feature]
        return str(found["name"] if isinstance(found, Mapping) else found)

    def _column(self, feature: int, handle_unknown: str, compared: set[int]) -> Column:
        found, family = self.features[feature], self.document["format"]
        name = self._name(feature)
        if family == "thresher.itemsets":
            return Column(name, "item", feature, (found,))
        levels = self.levels(feature)
        if levels is None:
            allows_missing = family not in ("thresher.linear", "thresher.fm")
            return Column(name, "number", feature, (), allows_missing, center=self._center(feature))
        is_boolean = bool(levels) and all(isinstance(level, bool) for level in levels)
        unknown: Unknown = "missing"
        if handle_unknown == "error":
            is_compared = family == "thresher.fm" or self.place[feature] in compared
            unknown = "refused" if is_compared else "known"
        return Column(name, "boolean" if is_boolean else "category", feature, tuple(levels), True, unknown)


class _Patterns(_Columns):
    """The sequences in use, each of which is present in a record or absent."""

    def place_of(self, pattern: Any) -> int:
        """Return the position of a sequence, which is new or known."""
        key: Any = tuple(map(tuple, pattern))
        return self.place.setdefault(key, len(self.place))

    def described(self, outputs: tuple[Output, ...], handle_unknown: str) -> tuple[Column, ...]:  # noqa: ARG002
        """Describe the sequences."""
        labels, max_gap = self.features, self.document["language"]["max_gap"]
        found: list[Column] = []
        for pattern, place in self.place.items():
            events = tuple(tuple(labels[item] for item in event) for event in pattern)  # type: ignore[attr-defined]
            found.append(Column(str(place), "sequence", place, sequence=EventPattern(events, max_gap)))
        return tuple(found)

    def training(self) -> tuple[str, ...]:
        """Return no names: a record has no columns."""
        return ()


def _compared(outputs: tuple[Output, ...]) -> set[int]:
    """Find the columns whose categories some term compares; the core refuses others only there."""
    found: set[int] = set()
    for output in outputs:
        for term in output.terms:
            if isinstance(term, Lookup):
                found.add(term.column)
            elif isinstance(term, RuleTerm):
                found.update(each.column for each in term.conditions if isinstance(each, Equals))
    return found


def _conditions(columns: _Columns, payload: Document) -> Iterator[Condition]:
    """Read a condition; special codes may need one more."""
    feature = payload["feature"]
    place, levels, special = columns.place[feature], columns.levels(feature), columns.special(feature)
    if payload.get("category") is not None:
        if levels is None:
            yield IsCode(place, (float(payload["category"]),))
        else:
            yield Equals(place, levels.index(payload["category"]), bool(payload["negated"]))
    elif payload.get("missing") is not None:
        unseen = tuple(code["value"] for code in special if not code["seen"])
        yield IsCode(place, unseen, or_missing=True) if unseen else Missing(place, bool(payload["missing"]))
    else:
        lower = -math.inf if payload["lower"] is None else payload["lower"]
        upper = math.inf if payload["upper"] is None else payload["upper"]
        is_bounded = math.isfinite(lower) or math.isfinite(upper)
        yield Interval(place, lower, upper) if is_bounded else Missing(place, False)
        inside = tuple(code["value"] for code in special if lower < code["value"] <= upper)
        if inside:
            yield IsCode(place, inside, negated=True)


def _rules(columns: _Columns, output: Document, point: Document) -> list[Term]:
    """Read linear terms and rules, in this order, as the core adds them."""
    terms: list[Term] = [
        Linear(
            columns.place[term["feature"]],
            term["coef"],
            term["center"],
            tuple(code["value"] for code in columns.special(term["feature"])),
        )
        for term in point.get("linear", ())
        if term["coef"] != 0 and columns.levels(term["feature"]) is None
    ]
    for index, coef in point["terms"]:
        pattern = output["terms"][index]["pattern"]
        conditions = tuple(own for each in pattern for own in _conditions(columns, each))
        terms.append(RuleTerm(conditions, coef))
    return terms


def _itemsets(columns: _Columns, output: Document, point: Document) -> list[Term]:
    terms: list[Term] = []
    for index, coef in point["terms"]:
        pattern = output["terms"][index]["pattern"]
        present = tuple(Has(columns.place[item], True) for item in pattern["present"])
        absent = tuple(Has(columns.place[item], False) for item in pattern["absent"])
        terms.append(RuleTerm((*present, *absent), coef))
    return terms


def _sequences(columns: _Columns, output: Document, point: Document) -> list[Term]:
    assert isinstance(columns, _Patterns)
    terms: list[Term] = []
    for index, coef in point["terms"]:
        place = columns.place_of(output["terms"][index]["pattern"])
        terms.append(RuleTerm((Has(place, True),), coef))
    return terms


def _coefficients(columns: _Columns, output: Document, point: Document) -> list[Term]:  # noqa: ARG001
    return [Linear(columns.place[feature], coef, None) for feature, coef in point["coef"] if coef != 0]


def _shapes(columns: _Columns, output: Document, point: Document) -> list[Term]:  # noqa: ARG001
    terms: list[Term] = []
    for shape in point["shapes"]:
        place, values = columns.place[shape["feature"]], shape["values"]
        missing = 0.0 if shape["missing"] is None else float(shape["missing"]["value"])
        if columns.levels(shape["feature"]) is None:
            own = {piece["code"]: float(piece["value"]) for piece in shape.get("special", ())}
            special = columns.special(shape["feature"])
            codes = tuple((code["value"], own.get(code["value"], missing)) for code in special)
            terms.append(Steps(place, tuple(shape["cuts"]), tuple(values), missing, codes))
        else:
            terms.append(Lookup(place, tuple(values[group] for group in shape["groups"]), missing))
    return terms


def _machine(columns: _Columns, output: Document, point: Document) -> list[Term]:  # noqa: ARG001
    """Read a factorization machine; its columns are the numbers, a column a level, and constants."""
    atoms: list[Atom | None] = []
    terms: list[Term] = []
    coef = dict(point["coef"])
    for feature in range(len(columns.features)):
        levels, place, start = columns.levels(feature), columns.place.get(feature), len(atoms)
        width = 1 if levels is None else len(levels)
        own = [coef.get(start + k, 0.0) for k in range(width)]
        if place is not None and any(own):
            terms.append(Linear(place, own[0], None) if levels is None else Lookup(place, tuple(own), 0.0))
        atoms += [None if place is None else Atom(place, None if levels is None else k) for k in range(width)]
    atoms += [Atom(None)] * columns.document["language"]["ones"]
    signs = tuple(map(float, point["signs"]))
    for order, entries in zip(columns.document["language"]["orders"], point["factors"], strict=True):
        terms.append(_factor(order, atoms, signs, entries))
    return terms


def _factor(
    order: int | None,
    atoms: list[Atom | None],
    signs: tuple[float, ...],
    entries: list[tuple[int, int, float]],
) -> Factor:
    used = sorted({row for row, _, value in entries if value != 0})
    place = {row: position for position, row in enumerate(used)}
    components: list[list[tuple[int, float]]] = [[] for _ in signs]
    for row, component, value in entries:
        if value != 0:
            components[component].append((place[row], float(value)))
    chosen = tuple(atom for row in used if (atom := atoms[row]) is not None)
    return Factor(order, chosen, signs, tuple(map(tuple, components)))


_READERS: dict[str, Callable[[_Columns, Document, Document], list[Term]]] = {
    "thresher.rules": _rules,
    "thresher.hierarchy": _rules,
    "thresher.itemsets": _itemsets,
    "thresher.sequences": _sequences,
    "thresher.linear": _coefficients,
    "thresher.additive": _shapes,
    "thresher.fm": _machine,
}
"""How the selected point of an output is read, by the format of the document."""
