"""Findings about the values of one column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..data.category_orders import ADVICE_ON_ORDERS
from ..data.columns import object_kind
from ..data.numbers_in_text import ADVICE_ON_NUMBERS, are_dates, numbers_as_text
from ..data.whole_numbers import rounded_numbers
from ..formatting.composition import spelled_alike, told_apart
from ..formatting.numbers import format_number, format_percent
from ..formatting.text import pluralize
from ._column import RawColumn, format_cell
from ._findings import Finding
from ._marks import marks_of, name_as_code

# A table of fewer rows may have different values everywhere by chance.
_MIN_ROWS = 20
# More different texts than this fraction of the rows are taken for names or free text.
_DISTINCT_TEXTS = 0.9
# Names of columns that name rows or things; with more values than this fraction of the rows they name them.
_NAMES_THINGS = re.compile(r"(?i:(?:.*[_ .-])?(?:id|uuid|guid))|.*[a-z]I[dD]")
_FEW_ROWS_EACH = 0.2
# Fewer values than this fraction of the rows are hardly a column.
_HARDLY_ANY = 0.05
# More categories than this are many for a person who reads the rules; rare ones have fewer rows than `_RARE`.
_MANY_CATEGORIES, _RARE = 50, 5
# A value that is this many times the range of all others away from them, in at most this part of the rows:
# up to as many bins of equal width hold all others in one.
_FAR, _FEW_ROWS = 100.0, 0.05
_SHOWN = 3
_MOST_TRIED = 500  # texts that are tried as molecules
# Molecules as SMILES, where c1ccccc1 and C1CCCCC1 differ: atoms, bonds, branches, rings; not atoms alone.
_ATOMS = re.compile(
    r"(?:Cl|Br|[BCNOPSFIbcnops]|\[[^\[\]]+\])(?:Cl|Br|[BCNOPSFIbcnops]|\[[^\[\]]+\]|[-=#$:/\\.()*]|%\d\d|\d)*"
)
_SIGNS = re.compile(r"[\d()=#]")
_SMILES = re.compile(r"(?=.*[\d()\[\]=#])(?:Cl|Br|[BCNOPSFIbcnops]|\[[^\[\]]+\]|[-=#$:/\\.()*]|%\d\d|\d)+")
# Fewer different texts do not tell molecules from codes, and a few cells may be no molecules.
_MIN_MOLECULES, _FRACTION_OF_MOLECULES = 5, 0.8
_ADVICE_ON_NAMES = "leave it out: new rows have other names"
_ADVICE_ON_REPEATS = (
    "if a case is there twice, remove its copies; if a person has several rows, keep them together in the "
    "cross-validation, fit(..., groups=...)"
)


def findings_of(column: RawColumn) -> Iterator[Finding]:
    """Look at the values of a column.

    Parameters
    ----------
    column : RawColumn
        The column.

    Yields
    ------
    Finding
        What was found; of a column that is of no use only that.
    """
    n_rows, n_held = column.cells.size, int(column.present.sum())
    if not n_held:
        yield Finding(column.name, "constant", "has no value in any row", "leave it out")
    elif len(column.distinct) == 1 and n_held == n_rows:
        value = format_cell(column.distinct[0])
        yield Finding(column.name, "constant", f"is {value} in every row", "leave it out")
    elif _are_dates(column):
        example = str(column.values[0])
        yield Finding(
            column.name,
            "refused" if column.cells.dtype.kind in "mM" or not column.texts else "dates",
            f"holds dates, such as {example!r}",
            "give numbers instead (days since a fixed day, the month, the weekday), or leave it out",
        )
    elif refusal := _refusal(column):
        found, advice = refusal
        yield Finding(column.name, "refused", found, advice)
    else:
        if n_held < _HARDLY_ANY * n_rows:
            found = f"has a value in only {format_percent(n_held / n_rows)} of the rows"
            yield Finding(column.name, "missing", found, "leave it out?")
        with np.errstate(over="ignore"):  # distances of the largest numbers are infinite
            findings = list(_of_numbers(column) if column.is_numeric else _of_texts(column))
        if not any(own.kind in ("refused", "identifier", "records") for own in findings):
            findings = [*_of_names(column)] or findings
        yield from findings


def _of_names(column: RawColumn) -> Iterator[Finding]:
    """Look whether a column names rows, or things of several rows, by its own name."""
    n_rows, different = column.cells.size, len(column.distinct)
    is_whole = not column.is_numeric or bool((column.values == np.round(column.values)).all())
    if n_rows < _MIN_ROWS or different <= _FEW_ROWS_EACH * n_rows or not is_whole:
        return
    if not _NAMES_THINGS.fullmatch(column.name):
        return
    repeated = int((column.counts > 1).sum())
    if not repeated:
        yield Finding(column.name, "identifier", "names the rows, by its name and values", _ADVICE_ON_NAMES)
        return
    found = f"names the rows by its name, and {repeated} of its {different} values name several"
    yield Finding(column.name, "identifier", found, f"{_ADVICE_ON_REPEATS}; leave it out")


def _refusal(column: RawColumn) -> tuple[str, str] | None:
    """Return what a fit says of cells that it does not take, and its advice."""
    if column.cells.dtype.kind != "O":
        return None
    try:
        object_kind([column.cells], column.name)
    except (TypeError, ValueError) as error:
        found, _, advice = str(error).removeprefix(f"column '{column.name}' ").partition("; ")
        return found, advice or "leave it out"
    return None


def _are_dates(column: RawColumn) -> bool:
    """Whether the cells are dates, or texts that nearly all are."""
    if column.cells.dtype.kind in "mM":
        return True
    if column.is_numeric or column.cells.dtype.kind == "b":
        return False
    return are_dates(column.distinct)


def _of_numbers(column: RawColumn) -> Iterator[Finding]:
    values, n_rows = column.values, column.cells.size
    is_whole = bool((values == np.round(values)).all())
    if np.isinf(values).any():
        yield Finding(
            column.name, "refused", "holds an infinite number", "replace it by a number or by NaN (missing)"
        )
        return
    if is_whole and n_rows >= _MIN_ROWS and len(column.distinct) == n_rows:
        steps = np.diff(column.codes)
        is_dense = column.distinct[-1] - column.distinct[0] == n_rows - 1
        if (steps > 0).all() or (steps < 0).all() or is_dense:
            yield Finding(
                column.name,
                "identifier",
                "is a different whole number in every row, in order",
                "leave it out: it numbers the rows, and new rows have other numbers",
            )
            return
    if column.cells.dtype.kind in "iu" and (rounded := rounded_numbers(values, lambda: column.cells)):
        yield Finding(column.name, "categories", *rounded)
    distinct = np.asarray(column.distinct, dtype=np.float64)
    marks = marks_of(distinct, column.counts, n_rows)
    if not marks and n_rows >= _MIN_ROWS and (far := _far_value(column)):
        value, count = far
        yield Finding(
            column.name,
            "outlier",
            f"is {format_number(value)} in {pluralize(count, 'row')}, more than {_FAR:.0f} times as far from "
            "all other values as these are from each other",
            "is it right? Bins of equal width hold all other rows in one, and a linear term follows it",
        )
    for value, count, where in marks:
        text = format_number(value)
        yield Finding(
            column.name,
            "mark",
            f"is {text} in {count} rows, {where}",
            f"if that stands for a missing value, replace it by NaN, or {name_as_code(text)}: either is a "
            "condition of its own",
            int(value) if value == round(value) else value,
        )


def _far_value(column: RawColumn) -> tuple[float, int] | None:
    """Return a rare value far from all others, of which there are at least three, and its count."""
    values, counts = np.asarray(column.distinct, dtype=np.float64), column.counts
    for at, others in ((values.size - 1, values[:-1]), (0, values[1:])):
        if np.unique(others).size < 3 or counts[at] > _FEW_ROWS * column.cells.size:
            continue
        if np.abs(others - values[at]).min() > _FAR * (others[-1] - others[0]):
            return float(values[at]), int(counts[at])
    return None


_USERS = "; a factorization machine takes many users or items as they are"


def _of_texts(column: RawColumn) -> Iterator[Finding]:
    n_rows, n_levels = column.cells.size, len(column.distinct)
    if column.is_ordered:
        found = "has ordered categories, whose order is not used: a condition tells single ones apart"
        yield Finding(column.name, "categories", found, ADVICE_ON_ORDERS)
    if why := numbers_as_text(column.cells):
        before = "holds numbers as text, and " if why.kind in ("cell", "limit") else "holds "
        yield Finding(column.name, "categories", before + why.found, ADVICE_ON_NUMBERS[why.kind])
        if why.kind != "zeros":
            return
    if are_molecules(column.texts):
        found = f"holds molecules as SMILES, such as {max(column.texts[:_SHOWN], key=len)!r}"
        advice = "give the column to GraphClassifier or GraphRegressor, or leave it out"
        yield Finding(column.name, "records", found, advice)
        return
    if n_rows >= _MIN_ROWS and n_levels > _DISTINCT_TEXTS * n_rows:
        found = f"has {n_levels} different texts in {n_rows} rows"
        yield Finding(column.name, "identifier", found, "leave it out: names and free text do not repeat")
        return
    twins = [
        same
        for same in spelled_alike(column.texts)
        if not all(_SMILES.fullmatch(text.strip()) for text in same)
    ]
    if twins:
        found = f"spells categories in two ways: {listed_spellings(twins)}"
        yield Finding(column.name, "categories", found, "write them alike")
    if n_levels > _MANY_CATEGORIES:
        rare = int((column.counts < _RARE).sum())
        found, alike = f"has {n_levels} categories", "those that are alike, such as towns of a region"
        if rare:
            found += f", {rare} of them in fewer than {_RARE} rows"
            alike = "rare ones into one, such as 'other'"
        yield Finding(column.name, "levels", found, f"merge {alike}, or leave it out{_USERS}")


def listed_spellings(groups: Sequence[Sequence[str]]) -> str:
    """List the first texts of the first groups that are spelled alike.

    Parameters
    ----------
    groups : sequence of sequence of str
        The groups.

    Returns
    -------
    str
        The texts in quotes.
    """
    return ", ".join(" and ".join(told_apart(texts[:_SHOWN])) for texts in groups[:_SHOWN])


def are_molecules(texts: Sequence[str]) -> bool:
    """Return whether texts look like molecules as SMILES.

    Parameters
    ----------
    texts : sequence of str
        The distinct texts of a column.

    Returns
    -------
    bool
        True for five or more of which nearly all may be SMILES, and many have a ring, a branch or a bond
        of theirs.

    Examples
    --------
    >>> are_molecules(["CC(=O)O", "C1CC1", "CC=C", "CC(C)N", "C=CC"])
    True
    """
    if len(texts) < _MIN_MOLECULES:
        return False
    own = [text.strip() for text in texts[:_MOST_TRIED]]
    alike = [text for text in own if _ATOMS.fullmatch(text) and _has_closed_rings(text)]
    clear = sum(len(re.findall(r"[A-Za-z]", text)) > 2 and _SIGNS.search(text) is not None for text in alike)
    return len(alike) >= _FRACTION_OF_MOLECULES * len(own) and clear >= len(own) / 2


def _has_closed_rings(text: str) -> bool:
    """Whether each digit outside brackets is there twice: where a ring opens and where it closes."""
    digits = re.sub(r"\[[^\[\]]*\]|%\d\d|\D", "", text)
    return all(digits.count(digit) % 2 == 0 for digit in set(digits))
