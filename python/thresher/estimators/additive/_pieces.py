"""The pieces of a step function, without its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pieces:
    """The pieces of a column: intervals or groups of categories, then special codes, then missing values.

    Parameters
    ----------
    feature : int
        The column's position.
    cuts : tuple of float
        Of numbers the cut points between the intervals.
    groups : tuple of int
        Of categories the piece of each level.
    n_known : int
        The number of intervals or groups.
    own_codes, pooled_codes : tuple of float
        Special codes with a piece of their own, and those that count as missing.
    missing : "apart", int or None
        Whether missing values have a piece of their own, or the piece to which they belong; None where the
        rows have none.
    """

    feature: int
    cuts: tuple[float, ...]
    groups: tuple[int, ...]
    n_known: int
    own_codes: tuple[float, ...]
    pooled_codes: tuple[float, ...]
    missing: Literal["apart"] | int | None

    @property
    def n_steps(self) -> int:
        """The number of pieces after the first."""
        return self.n_known - 1 + len(self.own_codes) + (self.missing == "apart")

    @property
    def listed_cuts(self) -> list[float]:
        """The cut points as a user gives them: whole ones as whole numbers."""
        return [int(cut) if cut.is_integer() else cut for cut in map(float, self.cuts)]

    def codes(self, column: Column) -> NDArray[np.intp]:
        """Return the piece of each row."""
        last = self.n_known + len(self.own_codes)
        place = last if self.missing == "apart" else self.missing or 0
        found = self.known(column)
        if not isinstance(column, tuple):
            for k, code in enumerate(self.own_codes):
                found[column == code] = self.n_known + k
        return np.where(self.is_missing(column), place, found)

    def known(self, column: Column) -> NDArray[np.intp]:
        """Return the interval or group of each row; that of a missing value has no meaning."""
        if isinstance(column, tuple):
            return np.asarray([*self.groups, 0], dtype=np.intp)[column[0]]
        return np.searchsorted(np.asarray(self.cuts), column, side="left").clip(0, self.n_known - 1)

    def is_missing(self, column: Column) -> NDArray[np.bool_]:
        """Return which rows have no value, or a special code that counts as missing."""
        if isinstance(column, tuple):
            return np.asarray(column[0] < 0)
        return np.asarray(np.isnan(column) | np.isin(column, self.pooled_codes))

    def weights(self, column: Column, weights: Floats) -> Floats:
        """Return the weight of each interval or group, and of missing values that are apart.

        Missing values that share a piece count in it; special codes count in none, nor do those that count as
        missing.
        """
        if not isinstance(column, tuple):
            weights = np.where(np.isin(column, [*self.own_codes, *self.pooled_codes]), 0.0, weights)
        found = np.bincount(self.codes(column), weights)
        return np.delete(found, range(self.n_known, self.n_known + len(self.own_codes)))

    def choices_of_missing(self, column: Column) -> list[Pieces]:
        """Return the same pieces with missing values apart, and in each of them."""
        if self.missing is None:
            return [self]
        return [self._apart(column), *(replace(self, missing=place) for place in range(self.n_known))]

    def _apart(self, column: Column) -> Pieces:
        """Put missing values apart; a single special code without them has then a piece of its own."""
        held = [] if isinstance(column, tuple) else np.unique(column[self.is_missing(column)]).tolist()
        if len(held) != 1 or held[0] not in self.pooled_codes:
            return replace(self, missing="apart")
        own = tuple(sorted([*self.own_codes, *held]))
        pooled = tuple(code for code in self.pooled_codes if code not in held)
        return replace(self, own_codes=own, pooled_codes=pooled, missing=None)

    def merged(self, groups: Sequence[int]) -> Pieces:
        """Merge neighbouring intervals, as many as each group has; missing values are apart or absent."""
        ends = np.cumsum(groups[:-1]) - 1
        return replace(self, cuts=tuple(self.cuts[k] for k in ends.tolist()), n_known=len(groups))

    def payload(self, column: Column, weights: Floats, values: Floats) -> dict[str, Any]:
        """Return the function as the model's document has it."""
        is_missing = self.is_missing(column)
        of_missing = float(weights[is_missing].sum())
        codes = self.codes(column)
        own = np.bincount(codes[~is_missing], weights[~is_missing], minlength=len(values))
        k = self.n_known
        found: dict[str, Any] = {
            "feature": self.feature,
            "cuts": list(self.cuts),
            "groups": list(self.groups),
            "values": values[:k].tolist(),
            "weights": own[:k].tolist(),
            "missing": None,
        }
        if self.own_codes:
            found["special"] = [
                {"code": code, "value": float(values[k + s]), "weight": float(own[k + s])}
                for s, code in enumerate(self.own_codes)
            ]
        if self.missing is not None:
            is_apart = self.missing == "apart"
            value = values[-1] if is_apart else values[int(self.missing)]
            found["missing"] = {"value": float(value), "weight": of_missing, "apart": is_apart}
        return found


def pieces_of(payload: Mapping[str, Any], feature: Mapping[str, Any]) -> Pieces:
    """Read the pieces of a step function of a model's document.

    Parameters
    ----------
    payload : mapping
        The function.
    feature : mapping
        Its column.

    Returns
    -------
    Pieces
        The pieces.
    """
    missing = payload["missing"]
    own = tuple(piece["code"] for piece in payload.get("special", ()))
    known = [code["value"] for code in feature.get("special", ())]
    place: Literal["apart"] | int | None = None
    if missing is not None:
        place = "apart" if missing["apart"] else payload["values"].index(missing["value"])
    return Pieces(
        payload["feature"],
        tuple(payload["cuts"]),
        tuple(payload["groups"]),
        len(payload["values"]),
        own,
        tuple(code for code in known if code not in own),
        place,
    )
