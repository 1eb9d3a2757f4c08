"""Whether categories have an order, by a dtype or the schema of a file; warnings of orders not used."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import narwhals as nw

from ..fit_warnings import warn
from ..formatting.text import format_names

ADVICE_ON_ORDERS = (
    "for thresholds such as q <= 2 give the codes as numbers (pandas: column.cat.codes, where -1 is missing; "
    "polars: column.to_physical(); PyArrow: column.combine_chunks().indices)"
)
ORDERED_CLASSES = "has ordered categories, whose order is not used: each is told from all others"
ADVICE_ON_ORDERED_CLASSES = (
    "to use the order, fit a regressor to the numbers of the levels (pandas: y.cat.codes), or a classifier "
    "of two classes to each cut (y.cat.codes > 0, > 1, ...)"
)


def has_order(column: Any) -> bool:
    """Return whether the dtype of a column says that its categories have an order.

    Parameters
    ----------
    column : series of a data frame, or any other object
        The column.

    Returns
    -------
    bool
        True for ordered categories of pandas, an Enum of polars and an ordered dictionary of PyArrow.

    Examples
    --------
    >>> import pandas as pd
    >>> [has_order(pd.Categorical(["a"], ordered=ordered)) for ordered in (True, False)]
    [True, False]
    """
    native = nw.to_native(column, pass_through=True)
    dtype = getattr(native, "dtype", getattr(native, "type", None))
    return getattr(dtype, "ordered", type(dtype).__name__ == "Enum") is True


def ordered_in_parquet(source: str, frame: nw.DataFrame[Any]) -> frozenset[str]:
    """Return the columns of ordered categories of a Parquet file, of which polars does not say the order.

    Parameters
    ----------
    source : str
        The file.
    frame : narwhals DataFrame
        What was read.

    Returns
    -------
    frozenset of str
        Their names; where PyArrow is not installed those of the frame.
    """
    known = frozenset(own.name for own in frame.iter_columns() if has_order(own))
    if importlib.util.find_spec("pyarrow") is None:
        return known
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = pq.read_schema(source)
    return known | {own.name for own in fields if pa.types.is_dictionary(own.type) and own.type.ordered}


def warn_of_orders(names: Sequence[str]) -> None:
    """Warn of columns of ordered categories, whose order no model uses.

    Parameters
    ----------
    names : sequence of str
        The columns whose dtype has an order, and which the user does not call categorical.

    Warns
    -----
    UserWarning
        Once, if there are such columns.
    """
    if names:
        warn(
            f"ordered categories: the order of {format_names(names)} is not used, a condition tells single "
            f"categories apart. {ADVICE_ON_ORDERS[0].upper()}{ADVICE_ON_ORDERS[1:]}. If categories are "
            "meant, name the columns in categorical_features",
            UserWarning,
        )


def warn_of_ordered_classes(y: Any, n_classes: int) -> None:
    """Warn of a target of more than two ordered categories.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The target as it was given.
    n_classes : int
        The number of its classes.

    Warns
    -----
    UserWarning
        If its dtype has an order: each class is told from all others.
    """
    if n_classes > 2 and has_order(y):
        warn(
            f"y {ORDERED_CLASSES}. {ADVICE_ON_ORDERED_CLASSES[0].upper()}{ADVICE_ON_ORDERED_CLASSES[1:]}",
            UserWarning,
        )
