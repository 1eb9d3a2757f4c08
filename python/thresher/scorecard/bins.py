"""The bins of the columns of a model of step functions, with a bin for missing values in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Level
from ..data.inputs import Table
from ..formatting.quoting import quote_name
from ..results.shape_function import (
    ShapeFunction,
    Step,
    category_text,
    code_text,
    interval_text,
    missing_text,
)


@dataclass(frozen=True)
class ColumnBins:
    """The bins of one column: intervals and special codes, or sets of categories, and missing values last.

    Parameters
    ----------
    feature_index : int
        The column's position.
    feature_name : str
        Its name.
    texts : tuple of str
        A text for each bin, the last one for missing values.
    values : tuple of float
        The model's contribution in each bin.
    supports : tuple of float
        Fraction of the training weight.
    uppers : tuple of float
        Of numbers the cut points between the bins, ascending; a value equal to a cut lies below it.
    groups : tuple of tuple of level or None
        Of categories the levels of each bin; None for numbers.
    special : tuple of float, default=()
        Of numbers the special codes with a bin of their own, ascending: the bins after the intervals.
    as_missing : tuple of float, default=()
        The special codes that count as missing.
    """

    feature_index: int
    feature_name: str
    texts: tuple[str, ...]
    values: tuple[float, ...]
    supports: tuple[float, ...]
    uppers: tuple[float, ...]
    groups: tuple[tuple[Level, ...], ...] | None
    special: tuple[float, ...] = ()
    as_missing: tuple[float, ...] = ()

    @property
    def n_known(self) -> int:
        """The number of bins of values that are neither missing nor special codes."""
        return len(self.texts) - 1 - len(self.special)

    @property
    def missing_bin(self) -> int:
        """The position of the bin of missing values."""
        return len(self.texts) - 1

    def ends(self) -> tuple[list[float], list[float]]:
        """Return the interval ``lower < x <= upper`` of each bin.

        Returns
        -------
        lower : list of float
            The lower ends; -inf without a bound, NaN for categories, special codes and missing values.
        upper : list of float
            The upper ends, likewise.
        """
        if self.groups is not None:
            return [math.nan] * len(self.texts), [math.nan] * len(self.texts)
        apart = [math.nan] * (len(self.special) + 1)
        return [-math.inf, *self.uppers, *apart], [*self.uppers, math.inf, *apart]

    def with_codes_apart(self) -> tuple[ColumnBins, list[int]]:
        """Give each special code a bin of its own, also those that count as missing.

        Returns
        -------
        bins : ColumnBins
            The bins, with the values of these; the support of what shared the bin of missing values is NaN,
            as a model keeps only their sum.
        places : list of int
            The position in these bins of each of those.
        """
        codes = sorted((*self.special, *self.as_missing))
        of_codes = [
            self.n_known + self.special.index(code) if code in self.special else self.missing_bin
            for code in codes
        ]
        places = [*range(self.n_known), *of_codes, self.missing_bin]
        is_shared = bool(self.as_missing) and self.supports[self.missing_bin] > 0
        bins = replace(
            self,
            texts=(
                *self.texts[: self.n_known],
                *(code_text(self.feature_name, code) for code in codes),
                f"{quote_name(self.feature_name)} missing",
            ),
            values=tuple(self.values[k] for k in places),
            supports=tuple(
                math.nan if is_shared and k == self.missing_bin else self.supports[k] for k in places
            ),
            special=tuple(codes),
            as_missing=(),
        )
        return bins, places

    def bin_of(self, level: Level) -> int:
        """Find the bin of a category.

        Parameters
        ----------
        level : bool, int, float or str
            The category.

        Returns
        -------
        int
            The bin's position.

        Raises
        ------
        KeyError
            If training did not see the category.
        """
        return self._places[level]

    @cached_property
    def _places(self) -> dict[Level, int]:
        return {level: k for k, group in enumerate(self.groups or ()) for level in group}

    def codes(self, table: Table) -> NDArray[np.intp]:
        """Find the bin of each row.

        Parameters
        ----------
        table : Table
            Rows as the model reads them.

        Returns
        -------
        ndarray of shape (n_rows,)
            Positions of bins.

        Raises
        ------
        ValueError
            If a row has a category that training did not see.
        """
        column = table.columns[self.feature_index]
        if not isinstance(column, tuple):
            found = np.searchsorted(np.asarray(self.uppers), column, side="left").astype(np.intp)
            for k, code in enumerate(self.special):
                found[column == code] = self.n_known + k
            found[np.isnan(column) | np.isin(column, self.as_missing)] = self.missing_bin
            return found
        codes, levels = column
        bins = [self._places.get(level, -1) for level in levels]
        lookup = np.asarray([*bins, self.missing_bin], dtype=np.intp)
        found = lookup[codes]  # the code -1 of missing values takes the last entry
        if (found < 0).any():
            row = int((found < 0).argmax())
            raise ValueError(
                f"column '{self.feature_name}' holds {levels[codes[row]]!r} in row {row}, which training did "
                "not see; replace it by a known level or by a missing value, or fit with "
                "handle_unknown='missing'"
            )
        return found


def bins_of(shape: ShapeFunction, payload: Mapping[str, Any]) -> ColumnBins:
    """Read the bins of a step function.

    Parameters
    ----------
    shape : ShapeFunction
        The function of a column.
    payload : mapping
        The same in the model's document, with ``weights`` and ``missing``.

    Returns
    -------
    ColumnBins
        The bins of the column.

    Examples
    --------
    >>> steps = (Step("age <= 30", -1.0, 0.5, upper=30.0), Step("age > 30", 1.0, 0.5, lower=30.0))
    >>> payload = {"weights": [2.0, 2.0], "missing": None}
    >>> bins_of(ShapeFunction(0, "age", steps), payload).texts
    ('age <= 30', 'age > 30', 'age missing')
    """
    known = shape.steps[: len(payload["weights"])]
    missing = payload["missing"] or {"value": 0.0, "weight": 0.0}
    special = payload.get("special", ())
    as_missing = next((step.codes for step in shape.steps if step.missing), shape.unseen_codes)
    weights = np.asarray([*payload["weights"], *(code["weight"] for code in special), missing["weight"]])
    is_numeric = known[0].categories is None
    apart = [*(float(code["code"]) for code in special), *as_missing]

    def text_of(step: Step) -> str:
        if step.categories is not None:
            return category_text(shape.feature_name, step.categories)
        return interval_text(shape.feature_name, (step.lower, step.upper), apart)

    texts = (
        *map(text_of, known),
        *(code_text(shape.feature_name, float(code["code"])) for code in special),
        f"{quote_name(shape.feature_name)} {missing_text(as_missing)}",
    )
    return ColumnBins(
        shape.feature_index,
        shape.feature_name,
        texts,
        (
            *(step.value for step in known),
            *(float(code["value"]) for code in special),
            float(missing["value"]),
        ),
        tuple((weights / weights.sum()).tolist()),
        tuple(step.upper for step in known[:-1]) if is_numeric else (),
        None if is_numeric else tuple(step.categories or () for step in known),
        tuple(float(code["code"]) for code in special),
        as_missing,
    )


def bins_of_output(estimator: Any, output: int) -> tuple[ColumnBins, ...]:
    """Read the bins of one output of a fitted model.

    Parameters
    ----------
    estimator : estimator
        A fitted additive model.
    output : int
        The position of the output.

    Returns
    -------
    tuple of ColumnBins
        The bins of the columns in use, the most important column first.
    """
    fitted = estimator._fitted
    label = fitted.output_names()[output]
    point = fitted.points(estimator._path_index)[output]
    payloads = {payload["feature"]: payload for payload in point["shapes"]}
    shapes = [shape for shape in estimator.shape_functions_ if shape.output == label]
    return tuple(bins_of(shape, payloads[shape.feature_index]) for shape in shapes)
