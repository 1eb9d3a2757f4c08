"""Labels of several types: classes without an order, and names with two spellings."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.text import plain_texts, spelled_otherwise
from .numeric import is_large_integer

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def refuse_mixed_labels(array: NDArray[Any]) -> None:
    """Raise an error if some labels are texts and others are not.

    Parameters
    ----------
    array : ndarray of shape (n_rows,)
        The labels.

    Raises
    ------
    ValueError
        If they are; the message names the first row of either.

    Examples
    --------
    >>> import numpy as np
    >>> refuse_mixed_labels(np.array(["a", "b"], dtype=object))
    """
    if array.dtype.kind != "O":
        return
    labels = array.ravel().tolist()
    is_text = [isinstance(label, str) for label in labels]
    if len(set(is_text)) == 2:
        text, other = is_text.index(True), is_text.index(False)
        found = sorted([(text, labels[text]), (other, labels[other])])
        said = " and ".join(f"{label!r} ({type(label).__name__}) in row {row}" for row, label in found)
        raise ValueError(
            f"y holds labels of several types, {said}: classes are sorted, and these have no order. "
            "Make all of them texts, for example with [str(label) for label in y]"
        )


def refuse_large_labels(classes: NDArray[Any]) -> None:
    """Raise an error if a label is an integer that a model cannot hold.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The labels.

    Raises
    ------
    ValueError
        If one does not fit in 64 bits with a sign.

    Examples
    --------
    >>> import numpy as np
    >>> refuse_large_labels(np.array([1, 2]))
    """
    large = next(filter(is_large_integer, classes.tolist()), None)
    if large is not None:
        raise ValueError(
            f"y holds the label {large}, an integer of more than 64 bits: convert the labels to text"
        )


def unknown_class(label: Any, classes: NDArray[Any]) -> ValueError:
    """Create the error of a label that a model does not know.

    Parameters
    ----------
    label : object
        The label.
    classes : ndarray of shape (n_classes,)
        Those of the model.

    Returns
    -------
    ValueError
        The error to raise.

    Examples
    --------
    >>> import numpy as np
    >>> print(unknown_class("maybe", np.array(["no", "yes"])))
    y holds the class 'maybe', the model knows 'no', 'yes'
    """
    label = label.item() if isinstance(label, np.generic) else label
    known = classes.tolist()
    alike = spelled_otherwise([label], plain_texts(known))
    listed = ", ".join(map(repr, known))
    return ValueError(f"y holds the class {label!r}, the model knows {listed}{alike and '; '}{alike}")


def written_otherwise(
    labels: Iterable[Hashable], others: Iterable[Hashable]
) -> list[tuple[Hashable, Hashable]]:
    """Return labels that others lack, with those of the others that differ in type or leading zeros alone.

    Parameters
    ----------
    labels, others : iterable of label
        Names of the same kind of things, from two sources.

    Returns
    -------
    list of (label, label)
        Each with the one that the others have in its place.

    Examples
    --------
    >>> written_otherwise([7, "12", "a"], ["007", "12", "b"])
    [(7, '007')]
    """
    labels, others = dict.fromkeys(labels), dict.fromkeys(others)
    lacking = {_meaning(label): label for label in labels if label not in others}
    found = {_meaning(other): other for other in others if other not in labels} if lacking else {}
    return [(label, found[meaning]) for meaning, label in lacking.items() if meaning in found]


def _meaning(label: Hashable) -> Hashable:
    text = str(label).strip()
    return Decimal(text) if _NUMBER.fullmatch(text) else text
