"""The texts of reasons: one for each column, group of columns or pattern, or for missing values and codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_value
from ..formatting.text import format_names

if TYPE_CHECKING:
    from .bins import ColumnBins

_KEYS = "a column's name, or (name, code) for a special code and (name, None) for missing values"


@dataclass(frozen=True)
class ReasonSource:
    """What may be a reason: the terms of one or more columns, or a pattern.

    Parameters
    ----------
    names : tuple of str
        The names of the columns, or the text of the pattern.
    feature_index : int or None, default=None
        The position of a single column, whose missing values and special codes may have texts of their own.
    as_missing : tuple of float, default=()
        The special codes of this column that count as missing.
    """

    names: tuple[str, ...]
    feature_index: int | None = None
    as_missing: tuple[float, ...] = ()


@dataclass(frozen=True)
class ReasonSources:
    """All that may be a reason of a model.

    Parameters
    ----------
    each : tuple of ReasonSource
        The sources, in the order in which equal costs are listed.
    known : dict of str to sequence of float
        The names that may have a text, with the special codes of columns.
    noun : {"column", "pattern"}
        What the names are of.
    is_joint : bool
        Whether several columns together may be a reason.
    """

    each: tuple[ReasonSource, ...]
    known: Mapping[str, Sequence[float]]
    noun: str = "column"
    is_joint: bool = False

    @property
    def keys(self) -> str:
        """The keys that texts may have."""
        if self.noun != "column":
            return f"the text of a {self.noun}"
        return f"{_KEYS}{', or a tuple of names' * self.is_joint}"


def special_codes_of(fitted: Any) -> dict[str, list[float]]:
    """Return the special codes of each column of a model.

    Parameters
    ----------
    fitted : Any
        The result of the fit of a table.

    Returns
    -------
    dict of str to list of float
        The codes by name.
    """
    pairs = zip(fitted.schema.names, fitted.document["features"], strict=True)
    return {name: [code["value"] for code in feature.get("special", ())] for name, feature in pairs}


def sources_of_bins(bins: Sequence[ColumnBins], fitted: Any) -> ReasonSources:
    """Return what may be a reason of a model of bins: its columns.

    Parameters
    ----------
    bins : sequence of ColumnBins
        The bins of the columns.
    fitted : Any
        The result of the fit.

    Returns
    -------
    ReasonSources
        The columns, in the order of the bins.
    """
    each = (ReasonSource((own.feature_name,), own.feature_index, own.as_missing) for own in bins)
    return ReasonSources(tuple(each), special_codes_of(fitted))


@dataclass(frozen=True)
class ReasonTexts:
    """Which text a column of a row has.

    Parameters
    ----------
    texts : tuple of str
        The different texts, in the order of the sources.
    places : ndarray of shape (n_rows, n_sources)
        The position of the text of each source in each row.
    """

    texts: tuple[str, ...]
    places: NDArray[np.intp]

    def add_up(self, cost: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up the costs of the sources that share a text.

        Parameters
        ----------
        cost : ndarray of shape (n_rows, n_sources)
            What each source costs each row.

        Returns
        -------
        ndarray of shape (n_rows, n_texts)
            What each text costs each row.
        """
        total = np.zeros((len(cost), len(self.texts)))
        rows = np.arange(len(cost))
        for column in range(cost.shape[1]):
            np.add.at(total, (rows, self.places[:, column]), cost[:, column])
        return total


def reason_texts(
    sources: ReasonSources, texts: Sequence[ColumnTexts], columns: Sequence[Any], n_rows: int
) -> ReasonTexts:
    """Find the text of each source in each row.

    Parameters
    ----------
    sources : ReasonSources
        What may be a reason.
    texts : list of ColumnTexts
        The texts of each source.
    columns : sequence of column
        The columns of the rows, as the model reads them.
    n_rows : int
        Their number.

    Returns
    -------
    ReasonTexts
        The texts.
    """
    known: dict[str, int] = {}
    places = np.empty((n_rows, len(texts)), dtype=np.intp)
    for k, (source, own) in enumerate(zip(sources.each, texts, strict=True)):
        places[:, k] = known.setdefault(own.text, len(known))
        if source.feature_index is None:
            continue
        for code, text in own.apart.items():
            rows = _rows_of(source, columns[source.feature_index], code)
            places[rows, k] = known.setdefault(text, len(known))
    return ReasonTexts(tuple(known), places)


@dataclass(frozen=True)
class ColumnTexts:
    """The texts of a column, of a group of columns or of a pattern.

    Parameters
    ----------
    text : str
        The text of its values.
    apart : dict of (float or None) to str
        Other texts of missing values (None) and of special codes; codes may count as missing, so that they
        come after missing values.
    """

    text: str
    apart: dict[float | None, str]

    def of_code(self, code: float, *, is_missing: bool) -> str:
        """Return the text of a special code.

        Parameters
        ----------
        code : float
            The code.
        is_missing : bool
            Whether the code counts as missing.

        Returns
        -------
        str
            The text.
        """
        return self.apart.get(code, self.of_missing if is_missing else self.text)

    @property
    def of_missing(self) -> str:
        """The text of missing values."""
        return self.apart.get(None, self.text)


def texts_of_sources(sources: ReasonSources, codes: Any) -> list[ColumnTexts]:
    """Return the texts of each source.

    Parameters
    ----------
    sources : ReasonSources
        What may be a reason.
    codes : mapping, or None
        Texts by name, by a tuple of names, by (column, special code) or by (column, None) for missing values.

    Returns
    -------
    list of ColumnTexts
        The texts, in the order of the sources.

    Raises
    ------
    TypeError, ValueError
        If `codes` is no such mapping.
    """
    given = _check_texts(sources, {} if codes is None else codes)
    found = []
    for source in sources.each:
        first, *others = source.names
        if others:
            joined = ", ".join(given.get((name,), name) for name in source.names)
            found.append(ColumnTexts(given.get(frozenset(source.names), joined), {}))
            continue
        pairs = ((key, text) for key, text in given.items() if isinstance(key, tuple) and len(key) == 2)
        apart = {key[1]: text for key, text in pairs if key[0] == first}
        ordered = dict(sorted(apart.items(), key=lambda pair: pair[0] is not None))
        found.append(ColumnTexts(given.get((first,), first), ordered))
    return found


def _rows_of(source: ReasonSource, column: Any, code: float | None) -> NDArray[np.bool_]:
    if isinstance(column, tuple):
        return np.asarray(column[0] < 0)
    is_missing = np.isnan(column) | np.isin(column, source.as_missing)
    return is_missing if code is None else np.asarray(column == code)


def _check_texts(sources: ReasonSources, codes: Any) -> dict[tuple[Any, ...] | frozenset[str], str]:
    """Check the texts of a user.

    Returns them by (name,), (column, special code) or (column, None), and by the set of several names.
    """
    if not isinstance(codes, Mapping):
        raise TypeError(f"codes: got {type(codes).__name__}; give a dict from {sources.keys} to its text")
    found: dict[tuple[Any, ...] | frozenset[str], str] = {}
    for key, text in codes.items():
        name, *rest = key if isinstance(key, tuple) else (key,)
        where = f"{sources.noun} {name!r}" if not rest else f"{key!r}"
        is_group = sources.is_joint and bool(rest) and all(isinstance(each, str) for each in rest)
        for each in (name, *rest) if is_group else (name,):
            if each not in sources.known:
                listed = format_names(list(sources.known))
                raise ValueError(
                    f"codes: there is no {sources.noun} {str(each)!r}; the {sources.noun}s are {listed}"
                )
        if rest and not is_group and (len(rest) > 1 or sources.noun != "column"):
            raise ValueError(f"codes: got the key {key!r}; give {sources.keys}")
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"codes: {where} has the code {text!r}; give a text")
        if is_group:
            found[frozenset((name, *rest))] = text
            continue
        if rest and rest[0] is not None:
            _check_code(name, rest[0], sources.known[name])
        found[(name, *rest)] = text
    return found


def _check_code(name: str, code: Any, known: Sequence[float]) -> None:
    if code not in known:
        listed = ", ".join(map(format_value, known)) or "none"
        raise ValueError(
            f"codes: {code!r} is no special code of column {name!r}; it has {listed}. Give (name, None) for "
            "missing values"
        )
