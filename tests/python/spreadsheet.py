"""Evaluates the formulas of an exported workbook as a spreadsheet does: the part that is written."""

from __future__ import annotations

import math
import re

import numpy as np
from openpyxl.utils import range_boundaries

TOKEN = re.compile(
    r"""(?P<text>"(?:[^"]|"")*")|(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?)|(?P<name>[A-Z]+(?=\())"""
    r"""|(?P<ref>(?:\w+!)?\$?[A-Z]+\$?\d+(?::(?:\w+!)?\$?[A-Z]+\$?\d+)?)|(?P<word>TRUE|FALSE)"""
    r"""|(?P<sign><>|<=|>=|[-+*/=<>(),])"""
)
COMPARED = {
    "=": np.equal,
    "<>": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class CellError(ArithmeticError):
    """A cell with an error such as #N/A."""


def key(value, other):
    """The place of a value in the order of a spreadsheet: numbers, texts in any case, booleans."""
    if value is None:
        value = "" if isinstance(other, str) else 0.0
    kind = 2 if isinstance(value, bool) else 1 if isinstance(value, str) else 0
    return kind, value.casefold() if isinstance(value, str) else value


def number(value):
    """A value in arithmetic."""
    if isinstance(value, str):
        raise CellError("#VALUE!")
    return 0.0 if value is None else value.astype(float) if isinstance(value, np.ndarray) else float(value)


class Sheets:
    """A workbook by openpyxl, evaluated on demand."""

    def __init__(self, book):
        self.book = book
        self.known = {}

    def cell(self, sheet, name):
        """The value of a cell."""
        place = sheet, name.replace("$", "")
        if place not in self.known:
            cell = self.book[sheet][place[1]]
            content, is_formula = cell.value, cell.data_type == "f"
            self.known[place] = Formula(self, sheet, content[1:]).value() if is_formula else content
        return self.known[place]

    def area(self, sheet, name):
        """The values of a range, row by row."""
        left, top, right, bottom = range_boundaries(name.replace("$", ""))
        names = [
            self.book[sheet].cell(r, c).coordinate
            for r in range(top, bottom + 1)
            for c in range(left, right + 1)
        ]
        return np.array([self.cell(sheet, each) for each in names], dtype=object)


class Formula:
    """One formula, read by recursive descent."""

    def __init__(self, sheets, sheet, text):
        self.sheets, self.sheet = sheets, sheet
        self.tokens = [(match.lastgroup, match[0]) for match in TOKEN.finditer(text)]
        assert "".join(token for _, token in self.tokens) == text, text
        self.place = 0

    def value(self):
        found = self.comparison()
        assert self.place == len(self.tokens)
        return found

    def next_is(self, *signs):
        kind, token = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        if kind == "sign" and token in signs:
            self.place += 1
            return token
        return None

    def comparison(self):
        left = self.sum()
        while sign := self.next_is(*COMPARED):
            right = self.sum()
            if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
                left = COMPARED[sign](np.asarray(left, float), np.asarray(right, float))
            else:
                one, other = key(left, right), key(right, left)
                left = {"=": one == other, "<>": one != other, "<": one < other, "<=": one <= other,
                        ">": one > other, ">=": one >= other}[sign]  # fmt: skip
        return left

    def sum(self):
        found = self.product()
        while sign := self.next_is("+", "-"):
            other = number(self.product())
            found = number(found) + other if sign == "+" else number(found) - other
        return found

    def product(self):
        found = self.primary()
        while sign := self.next_is("*", "/"):
            other = number(self.primary())
            found = number(found) * other if sign == "*" else number(found) / other
        return found

    def primary(self):
        if self.next_is("-"):
            return -number(self.primary())
        if self.next_is("("):
            found = self.comparison()
            assert self.next_is(")")
            return found
        kind, token = self.tokens[self.place]
        self.place += 1
        if kind == "ref":
            sheet, _, name = token.rpartition("!") if token.count("!") == 1 else ("", "", token)
            if token.count("!") == 2:
                first, last = token.split(":")
                sheet, name = first.split("!")[0], first.split("!")[1] + ":" + last.split("!")[1]
            elif ":" in token and "!" in token:
                sheet, name = token.split("!")
            read = self.sheets.area if ":" in name else self.sheets.cell
            return read(sheet or self.sheet, name)
        if kind == "name":
            assert self.next_is("(")
            return self.call(token)
        return {
            "text": lambda: token[1:-1].replace('""', '"'),
            "number": lambda: float(token),
            "word": lambda: token == "TRUE",
        }[kind]()

    def skip(self):
        """Pass over an argument without evaluating it."""
        depth = 0
        while depth or self.tokens[self.place][1] not in (",", ")"):
            depth += {"(": 1, ")": -1}.get(self.tokens[self.place][1], 0)
            self.place += 1

    def call(self, name):
        if name == "IF":  # only the chosen branch is evaluated
            chosen = self.comparison()
            found = None
            for is_chosen in (bool(chosen), not chosen):
                assert self.next_is(",")
                if is_chosen:
                    found = self.comparison()
                else:
                    self.skip()
            assert self.next_is(")")
            return found
        arguments = []
        while not self.next_is(")"):
            arguments.append(self.comparison())
            self.next_is(",")
        return FUNCTIONS[name](*arguments)


def _flat(arguments):
    return [x for each in arguments for x in (each if isinstance(each, np.ndarray) else [each])]


def _numbers(arguments):
    return [float(x) for x in _flat(arguments) if isinstance(x, (int, float)) and not isinstance(x, bool)]


def _exact(one, other):
    texts = ["" if x is None else format(x, "g") if isinstance(x, float) else str(x) for x in _flat([other])]
    same = np.array([("" if one is None else str(one)) == text for text in texts])
    return same if isinstance(other, np.ndarray) else bool(same[0])


def _not_available():
    raise CellError("#N/A")


def _match(wanted, values, _):
    places = [k for k, x in enumerate(_flat([values]), start=1) if x == wanted]
    return float(places[0]) if places else _not_available()


FUNCTIONS = {
    "AND": lambda *a: all(map(bool, a)),
    "OR": lambda *a: any(map(bool, a)),
    "NOT": lambda x: not x,
    "TRUE": lambda: True,
    "NA": _not_available,
    "ISNUMBER": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
    "ISTEXT": lambda x: isinstance(x, str),
    "N": lambda x: 0.0 if x is None or isinstance(x, str) else float(x),
    "ABS": lambda x: abs(number(x)),
    "EXP": lambda x: math.exp(number(x)),
    "LN": lambda x: math.log(number(x)),
    "MAX": lambda *a: max(_numbers(a)),
    "MIN": lambda *a: min(_numbers(a)),
    "SUM": lambda *a: float(sum(_numbers(a))),
    "SUMPRODUCT": lambda x: float(np.sum(np.asarray(x, float))),
    "INDEX": lambda values, place: _flat([values])[int(place) - 1],
    "MATCH": _match,
    "EXACT": _exact,
    "COUNTA": lambda *a: float(sum(x is not None for x in _flat(a))),
}
