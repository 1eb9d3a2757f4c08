"""The texts of reasons: one for each column, or for its missing values and special codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.inputs import Table
from ..formatting.numbers import format_value
from ..formatting.text import format_names
from .bins import ColumnBins

if TYPE_CHECKING:
    from ._points import CardInPoints

_HINT = "a column's name, or (name, code) for a special code and (name, None) for missing values"


@dataclass(frozen=True)
class ReasonTexts:
    """Which text a column of a row has.

    Parameters
    ----------
    texts : tuple of str
        The different texts, in the order of the card's columns.
    places : ndarray of shape (n_rows, n_columns)
        The position of the text of each column in each row.
    """

    texts: tuple[str, ...]
    places: NDArray[np.intp]

    def add_up(self, cost: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up the costs of the columns that share a text.

        Parameters
        ----------
        cost : ndarray of shape (n_rows, n_columns)
            What each column costs each row.

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


def reason_texts(card: CardInPoints, table: Table, codes: Any) -> ReasonTexts:
    """Find the text of each column in each row.

    Parameters
    ----------
    card : CardInPoints
        The card.
    table : Table
        The rows.
    codes : mapping, or None
        Texts by column, by (column, special code) or by (column, None) for missing values.

    Returns
    -------
    ReasonTexts
        The texts.

    Raises
    ------
    TypeError, ValueError
        If `codes` is no such mapping.
    """
    known: dict[str, int] = {}
    places = np.empty((table.n_rows, len(card.bins)), dtype=np.intp)
    for k, (bins, texts) in enumerate(zip(card.bins, texts_of_columns(card, codes), strict=True)):
        places[:, k] = known.setdefault(texts.text, len(known))
        for code, text in texts.apart.items():
            rows = _rows_of(bins, table.columns[bins.feature_index], code)
            places[rows, k] = known.setdefault(text, len(known))
    return ReasonTexts(tuple(known), places)


@dataclass(frozen=True)
class ColumnTexts:
    """The texts of a column.

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


def texts_of_columns(card: CardInPoints, codes: Any) -> list[ColumnTexts]:
    """Return the texts of each column of a card.

    Parameters
    ----------
    card : CardInPoints
        The card.
    codes : mapping, or None
        Texts by column, by (column, special code) or by (column, None) for missing values.

    Returns
    -------
    list of ColumnTexts
        The texts, in the order of the card's columns.

    Raises
    ------
    TypeError, ValueError
        If `codes` is no such mapping.
    """
    given = _check_texts(card, {} if codes is None else codes)
    found = []
    for bins in card.bins:
        name = bins.feature_name
        apart = {key[1]: text for key, text in given.items() if len(key) == 2 and key[0] == name}
        ordered = dict(sorted(apart.items(), key=lambda pair: pair[0] is not None))
        found.append(ColumnTexts(given.get((name,), name), ordered))
    return found


def _rows_of(bins: ColumnBins, column: Any, code: float | None) -> NDArray[np.bool_]:
    if isinstance(column, tuple):
        return np.asarray(column[0] < 0)
    return np.isnan(column) | np.isin(column, bins.as_missing) if code is None else np.asarray(column == code)


def _check_texts(card: CardInPoints, codes: Any) -> dict[tuple[Any, ...], str]:
    """Check the texts of a user; return them by (column,), (column, special code) or (column, None)."""
    if not isinstance(codes, Mapping):
        raise TypeError(f"codes: got {type(codes).__name__}; give a dict from {_HINT} to its text")
    fitted = card.model._fitted
    names, features = list(fitted.schema.names), fitted.document["features"]
    found: dict[tuple[Any, ...], str] = {}
    for key, text in codes.items():
        name, *rest = key if isinstance(key, tuple) else (key,)
        where = f"column {name!r}" if not rest else f"{key!r}"
        if name not in names:
            raise ValueError(
                f"codes: there is no column {str(name)!r}; the columns are {format_names(names)}"
            )
        if len(rest) > 1:
            raise ValueError(f"codes: got the key {key!r}; give {_HINT}")
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"codes: {where} has the code {text!r}; give a text")
        if rest and rest[0] is not None:
            _check_code(name, rest[0], [c["value"] for c in features[names.index(name)].get("special", ())])
        found[(name, *rest)] = text
    return found


def _check_code(name: str, code: Any, known: Sequence[float]) -> None:
    if code not in known:
        listed = ", ".join(map(format_value, known)) or "none"
        raise ValueError(
            f"codes: {code!r} is no special code of column {name!r}; it has {listed}. Give (name, None) for "
            "missing values"
        )
