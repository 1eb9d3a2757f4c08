"""Labels of several types, which no order puts in line."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


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
