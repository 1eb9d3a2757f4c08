"""A model as a workbook with formulas that score rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .conditions import Condition, Equals, Has, Interval, IsCode, finite_ends
from .describe import number_text, text_of
from .formula import Column, Factor, Formula, Linear, Lookup, RuleTerm, Steps, Term
from .products import products_of
from .workbook import Calculation, Content, Sheet, cell_name, write_workbook

_FIRST = 3  # the first row of the lists on the sheet of one row, below a title and a head


def check_suffix(path: str | Path, suffix: str) -> None:
    """Raise an error if a file's name ends on another suffix than that of its format.

    Parameters
    ----------
    path : str or Path
        The file.
    suffix : str
        The suffix of the format; a name without one is allowed, as that of a device.

    Raises
    ------
    ValueError
        If it has another one.

    Examples
    --------
    >>> check_suffix("card.csv", ".xlsx")
    Traceback (most recent call last):
        ...
    ValueError: path: cannot write '.csv' files; end the name on .xlsx
    """
    found = Path(path).suffix
    if found and found.lower() != suffix:
        raise ValueError(f"path: cannot write {found!r} files; end the name on {suffix}")


def write_excel(formula: Formula, path: str | Path, rows: Sequence[Mapping[str, Content]]) -> None:
    """Write a model as a workbook.

    Parameters
    ----------
    formula : Formula
        The model.
    path : str or Path
        The file.
    rows : sequence of mapping of str to Content
        The rows of the sheet "Table": values by the names of columns; those that are not there are empty.

    Raises
    ------
    ValueError
        If the model is too large for a sheet.
    """
    numbers = _Numbers(Sheet("Numbers", widths=(24.0, 60.0)))
    write_workbook(path, [_one_row(formula, numbers), *_table(formula, numbers, rows), numbers.sheet])


class _Numbers:
    """The sheet of the model's numbers, to which formulas refer: a formula itself would keep 15 digits."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._n_rows = 0
        self._known: dict[tuple[str, ...], str] = {}

    def values(self, values: Sequence[Content], meaning: str) -> str:
        """Store values below each other; return the name of their range."""
        key = (meaning, *map(repr, values))
        if key not in self._known:
            first = self._n_rows
            for value in values:
                self.sheet.put(self._n_rows, 0, value)
                self.sheet.put(self._n_rows, 1, meaning)
                self._n_rows += 1
            ends = cell_name(first, 0, fixed=True), cell_name(self._n_rows - 1, 0, fixed=True)
            self._known[key] = f"Numbers!{ends[0]}" + (f":{ends[1]}" if len(values) > 1 else "")
        return self._known[key]

    def value(self, value: Content, meaning: str) -> str:
        """Store a value; return the name of its cell."""
        return self.values([value], meaning)


@dataclass(frozen=True)
class _Place:
    """Where a row's inputs are, and where its terms and intermediate values go.

    Parameters
    ----------
    inputs : list of str
        Names of the cells of the columns.
    term, intermediate : callable
        Names the cell of a term, or of an intermediate value, by its number.
    """

    inputs: Sequence[str]
    term: Callable[[int], str]
    intermediate: Callable[[int], str]


class _Row:
    """The formulas of one row: terms and intermediate values in lists, and results that refer to them.

    Terms are intercepts and what follows them: those of an output add up to its decision value. Intermediate
    values are all others to which formulas refer, as the codes of categories.
    """

    def __init__(self, formula: Formula, numbers: _Numbers, place: _Place) -> None:
        self.formula = formula
        self.numbers = numbers
        self.place = place
        self.terms: list[tuple[str, str]] = []
        self.intermediates: list[tuple[str, str]] = []
        self.codes: dict[int, str] = {}
        for k, column in enumerate(formula.columns):
            if column.is_coded:
                self.codes[k] = self._keep(f"code of {column.name}", self._code(column, place.inputs[k]))
        refused = ",".join(self._refused())
        self.refused = self._keep("refused", f"OR({refused})") if refused else ""
        sums = [self._sum(k) for k in range(len(formula.outputs))]
        labels = [f"decision {text}".rstrip() for text in formula.output_texts]
        self.decisions = [self._keep(label, own) for label, own in zip(labels, sums, strict=True)]
        self.results = list(self._results())

    def _keep(self, meaning: str, text: str) -> str:
        """List an intermediate value; return the name of its cell."""
        self.intermediates.append((meaning, text))
        return self.place.intermediate(len(self.intermediates) - 1)

    def _value(self, value: Content, meaning: str) -> str:
        return self.numbers.value(value, meaning)

    # ------------------------------------------------------------------ columns

    def _code(self, column: Column, x: str) -> str:
        """Return the position of a category: -1 missing, -2 unknown."""
        unknown = -1 if column.unknown == "missing" else -2
        if not column.levels:
            return f'IF({x}="",-1,{unknown})'
        levels = self.numbers.values(column.levels, f"categories of {column.name}")
        places = self.numbers.values(range(1, len(column.levels) + 1), "positions of categories")
        kind = column.level_type
        same = f"EXACT({x},{levels})" if kind in ("text", "mixed") else f"N({x})={levels}"
        if kind == "boolean":
            same = f"N({x})={self.numbers.values([int(level) for level in column.levels], 'booleans')}"
        found = f"SUMPRODUCT(({same})*{places})"
        found = found if kind in ("text", "mixed") else f"IF(ISTEXT({x}),0,{found})"
        return f'IF({x}="",-1,IF({found}=0,{unknown},{found}-1))'

    def _refused(self) -> Iterator[str]:
        for place, column in enumerate(self.formula.columns):
            if not column.allows_missing:
                yield f"NOT(ISNUMBER({self.place.inputs[place]}))"
            elif column.is_coded and column.unknown == "refused":
                yield f"{self.codes[place]}=-2"

    # ------------------------------------------------------------------ terms

    def _sum(self, place: int) -> str:
        output = self.formula.outputs[place]
        label = self.formula.output_texts[place]
        first = len(self.terms)
        noun = "intercept" if self.formula.log_odds is None else "base points"
        start = f"{noun} {label}".rstrip()
        self.terms.append((start, self._value(output.intercept, start)))
        name = f", {label}" if label else ""
        self.terms += [(meaning + name, cell) for term in output.terms for meaning, cell in self._term(term)]
        total = f"SUM({self.place.term(first)}:{self.place.term(len(self.terms) - 1)})"
        return f"IF({self.refused},NA(),{total})" if self.refused else total

    def _term(self, term: Term) -> Iterator[tuple[str, str]]:
        columns = self.formula.columns
        meaning = text_of(term, columns)
        if isinstance(term, RuleTerm):
            tests = ",".join(test for each in term.conditions for test in self._tests(each)) or "TRUE"
            yield meaning, f"IF(AND({tests}),{self._value(term.coef, meaning)},0)"
        elif isinstance(term, Linear):
            x = self.place.inputs[term.column]
            center = (
                "0"
                if term.center is None
                else self._value(term.center, f"mean of {columns[term.column].name}")
            )
            tests = ",".join([f"ISNUMBER({x})", *self._is_no_code(x, term.codes, columns[term.column].name)])
            is_number = f"AND({tests})" if term.codes else tests
            number = f"IF({is_number},{x},{center})"
            yield meaning, f"{self._value(term.coef, meaning)}*{self._less_center(term.column, number)}"
        elif isinstance(term, Steps):
            yield meaning, self._steps(term, meaning)
        elif isinstance(term, Lookup):
            values = self.numbers.values([term.missing, *term.values], meaning)
            yield meaning, f"INDEX({values},2+MAX({self.codes[term.column]},-1))"
        elif term.order is None:
            yield from self._subsets(term)
        else:
            yield from self._products(term)

    def _tests(self, condition: Condition) -> Iterator[str]:
        x = self.place.inputs[condition.column]
        name = self.formula.columns[condition.column].name
        if isinstance(condition, Interval):
            yield f"ISNUMBER({x})"
            for end, sign in zip(finite_ends(condition), (">", "<="), strict=True):
                if end is not None:
                    yield f"{x}{sign}{self._value(end, f'cut point of {name}')}"
        elif isinstance(condition, Equals):
            yield f"{self.codes[condition.column]}{'<>' if condition.negated else '='}{condition.level}"
        elif isinstance(condition, IsCode):
            differs = list(self._is_no_code(x, condition.codes, name))
            if condition.negated:
                yield from differs
            else:  # in a comparison an empty cell is 0
                is_other = f"AND({','.join([f'ISNUMBER({x})', *differs])})"
                yield f"NOT({is_other})"
                if not condition.or_missing:
                    yield f"ISNUMBER({x})"
        elif isinstance(condition, Has):
            yield f"N({x}){'<>' if condition.present else '='}0"
        elif condition.column in self.codes:
            yield f"{self.codes[condition.column]}{'=' if condition.missing else '<>'}-1"
        else:
            yield f"NOT(ISNUMBER({x}))" if condition.missing else f"ISNUMBER({x})"

    def _is_no_code(self, x: str, codes: Sequence[float], name: str) -> Iterator[str]:
        for code in codes:
            yield f"{x}<>{self._value(code, f'special code of {name}')}"

    def _steps(self, term: Steps, meaning: str) -> str:
        x, name = self.place.inputs[term.column], self.formula.columns[term.column].name
        missing = self._value(term.missing, meaning)
        value = self._value(term.values[0], meaning)
        if term.cuts:
            cuts = self.numbers.values(term.cuts, f"cut points of {name}")
            values = self.numbers.values(term.values, meaning)
            value = f"INDEX({values},1+SUMPRODUCT(--({cuts}<{x})))"
        if term.codes:
            codes = self.numbers.values([code for code, _ in term.codes], f"special codes of {name}")
            places = self.numbers.values(range(1, len(term.codes) + 1), "positions of categories")
            found = f"SUMPRODUCT(({codes}={x})*{places})"
            values = self.numbers.values([value for _, value in term.codes], f"{meaning}, special codes")
            value = f"IF({found}=0,{value},INDEX({values},{found}))"
        return f"IF(ISNUMBER({x}),{value},{missing})"

    def _less_center(self, place: int, number: str) -> str:
        column = self.formula.columns[place]
        center = f"what is subtracted from {column.name}"
        return f"({number}-{self._value(column.center, center)})" if column.center else number

    def _products(self, term: Factor) -> Iterator[tuple[str, str]]:
        for atoms, coef in products_of(term).items():
            names = []
            parts = []
            for atom in atoms:
                place = atom.column or 0
                names.append(number_text(self.formula.columns[place]))
                if atom.level is None:
                    parts.append(self._less_center(place, f"N({self.place.inputs[place]})"))
                else:
                    names[-1] += f" = {self.formula.columns[place].levels[atom.level]}"
                    parts.append(f"({self.codes[place]}={atom.level})")
            meaning = " x ".join(names) or "constant"
            yield meaning, "*".join([self._value(coef, meaning), *parts])

    def _subsets(self, term: Factor) -> Iterator[tuple[str, str]]:
        for number, (sign, own) in enumerate(zip(term.signs, term.components, strict=True)):
            parts = [f"{sign:g}"]
            for place, weight in own:
                atom = term.atoms[place]
                cell = "1"
                if atom.column is not None:
                    cell = self._less_center(atom.column, f"N({self.place.inputs[atom.column]})")
                if atom.column is not None and atom.level is not None:
                    cell = f"({self.codes[atom.column]}={atom.level})"
                parts.append(f"(1+{self._value(weight, 'weight of a component')}*{cell})")
            yield f"component {number}", "*".join(parts)

    # ------------------------------------------------------------------ results

    def _results(self) -> Iterator[tuple[str, str]]:
        decisions, texts = self.decisions, self.formula.output_texts
        if self.formula.classes is None:
            for cell, text in zip(decisions, texts, strict=True):
                yield f"prediction of {text}" if len(texts) > 1 else self.formula.result, cell
            if self.formula.log_odds is not None:
                yield "probability", self._of_log_odds(*self.formula.log_odds)
            return
        labels = self.numbers.values(self.formula.classes, "classes")
        if len(decisions) == 1:
            yield "prediction", f"INDEX({labels},IF({decisions[0]}{self.formula.comparison}0,2,1))"
        else:
            cells = f"{decisions[0]}:{decisions[-1]}"
            yield "prediction", f"INDEX({labels},MATCH(MAX({cells}),{cells},0))"
        for label, text in zip(self.formula.classes, self._probabilities(), strict=False):
            yield f"probability of {label}", text
        for cell, text in zip(decisions, texts, strict=True):
            yield f"decision of {text}" if text else "decision", cell

    def _of_log_odds(self, unit: float, even: float) -> str:
        unit_cell, even_cell = (
            self._value(unit, "points of one unit of log-odds"),
            self._value(even, "score at even odds"),
        )
        odds = self._keep("log-odds", f"({self.decisions[0]}-{even_cell})/{unit_cell}")
        return f"IF({odds}>0,1,EXP({odds}))/(1+EXP(-ABS({odds})))"

    def _probabilities(self) -> list[str]:
        if self.formula.link == "label":
            return []
        if self.formula.link == "clipped":
            shares = self._shares(f"MAX(MIN((1+{f})/2,1),0)" for f in self.decisions)
            if len(shares) == 1:
                return [f"1-{shares[0]}", shares[0]]
            total = f"SUM({shares[0]}:{shares[-1]})"
            return [f"IF({total}>0,{own}/{total},1/{len(shares)})" for own in shares]
        scale = "" if self.formula.scale == 1 else f"{self.formula.scale:g}*"
        odds = [f"({scale}{f})" for f in self.decisions]
        if len(odds) == 1:
            f = odds[0]
            small, large = f"EXP(-ABS({f}))/(1+EXP(-ABS({f})))", f"1/(1+EXP(-ABS({f})))"
            return [f"IF({f}>0,{small},{large})", f"IF({f}>0,{large},{small})"]
        logs = self._shares((f"MIN({f},0)-LN(1+EXP(-ABS({f})))" for f in odds), "logarithm of the ")
        cells = f"{logs[0]}:{logs[-1]}"
        shares = self._shares(f"EXP({log}-MAX({cells}))" for log in logs)
        return [f"{own}/SUM({shares[0]}:{shares[-1]})" for own in shares]

    def _shares(self, formulas: Iterable[str], what: str = "") -> list[str]:
        """List a value of each output from which its probability comes."""
        texts = self.formula.output_texts
        return [
            self._keep(f"{what}share of {text}" if text else f"{what}share", own)
            for text, own in zip(texts, formulas, strict=True)
        ]


def _one_row(formula: Formula, numbers: _Numbers) -> Sheet:
    """Write the sheet that scores one row: its values, the results, what each term adds, and the rest."""
    sheet = Sheet("Score", widths=(24.0, 16.0, 40.0, 4.0, 24.0, 16.0, 4.0, 60.0, 16.0, 4.0, 24.0, 16.0))
    sheet.put(0, 0, f"{formula.model}: fill in the yellow cells; an empty one is missing.", "head")
    heads: list[str | None] = ["column", "value", "what it may be", None, "result", "value"]
    heads += [None, "term", "adds", None, "intermediate", "value"]
    for k, head in enumerate(heads):
        sheet.put(_FIRST - 1, k, head, "head")
    for k, column in enumerate(formula.columns):
        sheet.put(_FIRST + k, 0, column.name)
        sheet.put(_FIRST + k, 1, None, "input")
        sheet.put(_FIRST + k, 2, _allowed(column))
    inputs = [cell_name(_FIRST + k, 1) for k in range(len(formula.columns))]
    place = _Place(inputs, lambda k: cell_name(_FIRST + k, 8), lambda k: cell_name(_FIRST + k, 11))
    row = _Row(formula, numbers, place)
    for left, lines in ((4, row.results), (7, row.terms), (10, row.intermediates)):
        for k, (meaning, text) in enumerate(lines):
            sheet.put(_FIRST + k, left, meaning)
            sheet.put(_FIRST + k, left + 1, Calculation(text))
    return sheet


def _allowed(column: Column) -> str:
    if column.kind in ("boolean", "item"):
        return "TRUE or FALSE"
    if column.kind == "number":
        return "a number" if column.allows_missing else "a number, needed"
    return "one of " + ", ".join(str(level) for level in column.levels)


def _table(formula: Formula, numbers: _Numbers, rows: Sequence[Mapping[str, Content]]) -> list[Sheet]:
    """Write the sheet that scores rows, and those with their terms and intermediate values."""
    table, terms, intermediates = Sheet("Table"), Sheet("Terms"), Sheet("Intermediate")
    width, taken = len(formula.columns), {column.name.casefold() for column in formula.columns}
    for k, column in enumerate(formula.columns):
        table.put(0, k, column.name, "head")
    for number, values in enumerate(rows, start=1):
        inputs = [f"Table!{cell_name(number, k)}" for k in range(width)]
        place = _Place(
            inputs,
            lambda k, number=number: f"Terms!{cell_name(number, k)}",  # type: ignore[misc]
            lambda k, number=number: f"Intermediate!{cell_name(number, k)}",  # type: ignore[misc]
        )
        row = _Row(formula, numbers, place)
        for k, column in enumerate(formula.columns):
            table.put(number, k, values.get(column.name), "input")
        blank = f"COUNTA({inputs[0]}:{inputs[-1]})=0" if inputs else "FALSE"
        for k, (meaning, text) in enumerate(row.results):
            head = f"{meaning} (thresher)" if meaning.casefold() in taken else meaning
            table.put(0, width + k, head, "head")
            table.put(number, width + k, Calculation(f'IF({blank},"",{text})'))
        for sheet, lines in ((terms, row.terms), (intermediates, row.intermediates)):
            for k, (meaning, text) in enumerate(lines):
                sheet.put(0, k, meaning, "head")
                sheet.put(number, k, Calculation(text))
    return [table, terms, intermediates]
