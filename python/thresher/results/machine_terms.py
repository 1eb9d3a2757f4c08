"""The terms of factorization machines without products: the constant and the slopes of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_LISTED_SIZE = 3
"""The most columns of a product of the all-subsets model that is listed, as in the core."""

Entries = Sequence[tuple[int, int, float]]


def lower_terms(
    point: Mapping[str, Any], orders: Iterable[int | None], n_columns: int
) -> tuple[float, list[tuple[int, float]]]:
    """Return the constant and the slope of each column: of the linear term and of the factors.

    The factor of all subsets, ``sum_s sign_s prod_j (1 + x_j p_js)``, has the constant ``sum_s sign_s`` and
    the slopes ``sum_s sign_s p_js``. One of an order m has slopes where m - 1 columns of ones stand for the
    other columns of a product.

    Parameters
    ----------
    point : dict
        The model of an output, as in the document.
    orders : iterable of int or None
        The order of each factor; None for all subsets.
    n_columns : int
        The number of encoded columns; rows of factors after them are those of columns of ones.

    Returns
    -------
    (float, list of (int, float))
        The constant, and the columns with their slopes, ascending.

    Examples
    --------
    >>> point = {"intercept": 1.0, "coef": [[0, 2.0]], "signs": [1, -1, 1], "factors": [[[0, 1, 0.5]]]}
    >>> lower_terms(point, [None], 1)
    (2.0, [(0, 1.5)])
    """
    signs = np.asarray(point["signs"], dtype=np.float64)
    constant, slopes = float(point["intercept"]), dict(point["coef"])
    for order, entries in zip(orders, point["factors"], strict=True):
        if order is None:
            constant, scales = constant + float(signs.sum()), signs
        else:
            scales = signs * _products_of_ones(entries, order - 1, n_columns, len(signs))
        for column, component, value in entries if scales.any() else ():
            if column < n_columns:
                slopes[column] = slopes.get(column, 0.0) + float(scales[component]) * value
    return constant, sorted((column, slope) for column, slope in slopes.items() if slope != 0)


def _products_of_ones(entries: Entries, size: int, n_columns: int, rank: int) -> NDArray[np.float64]:
    """Return, by component, the sum of the products of `size` different columns of ones."""
    ones: dict[int, NDArray[np.float64]] = {}
    for row, component, value in entries:
        if row >= n_columns:
            ones.setdefault(row, np.zeros(rank))[component] = value
    sums = np.zeros((size + 1, rank))
    sums[0] = 1.0
    for values in ones.values():
        for k in range(size, 0, -1):
            sums[k] += sums[k - 1] * values
    products: NDArray[np.float64] = sums[size]
    return products


def has_larger_products(
    points: Iterable[Mapping[str, Any]], orders: Sequence[int | None], places: Sequence[int]
) -> bool:
    """Return whether an all-subsets model has products of more columns than are listed.

    Parameters
    ----------
    points : iterable of dict
        The models of the outputs.
    orders : sequence of int or None
        The order of each factor.
    places : sequence of int
        The column of the table of each encoded column: two categories of one make no product.

    Returns
    -------
    bool
        Whether some component has entries for more columns of the table.
    """
    columns: dict[tuple[int, int], set[int]] = {}
    for output, point in enumerate(points):
        for order, entries in zip(orders, point["factors"], strict=True):
            for column, component, value in entries if order is None else ():
                if value:
                    columns.setdefault((output, component), set()).add(places[column])
    return any(len(listed) > MAX_LISTED_SIZE for listed in columns.values())


def factor_arrays(
    points: Sequence[Mapping[str, Any]], language: Mapping[str, Any], n_columns: int
) -> list[NDArray[np.float64]]:
    """Return the factors of each order as arrays.

    Parameters
    ----------
    points : sequence of dict
        The model of each output, as in the document.
    language : dict
        The orders, the rank and the number of columns of ones.
    n_columns : int
        The number of encoded columns.

    Returns
    -------
    list of ndarray of shape (n_columns, rank) or (n_outputs, n_columns, rank)
        One for each order, with the columns of ones at the end.
    """
    factors = []
    for order in range(len(language["orders"])):
        stack = np.zeros((len(points), n_columns + language["ones"], language["rank"]))
        for output, point in enumerate(points):
            if entries := point["factors"][order]:
                rows, components, values = zip(*entries, strict=True)
                stack[output, list(rows), list(components)] = values
        factors.append(stack[0] if len(stack) == 1 else stack)
    return factors
