"""Events and items of new records that training did not have, beside the reference."""

from __future__ import annotations

import math

import numpy as np

from ._sample import Read
from ._values import ValueTable


def label_table(reference: Read, new: Read) -> ValueTable | None:
    """Count the records without labels, and new ones with labels that training did not have.

    Parameters
    ----------
    reference, new : Read
        The records of both sides.

    Returns
    -------
    ValueTable or None
        One line; its ``unseen_levels`` begin with the label of most weight. None for tables and graphs.
    """
    before, after = reference.unseen, new.unseen
    if before is None or after is None:
        return None
    weights = [side.sample.row_weights for side in (reference, new)]
    counts = weights[1] @ after.holds
    labels = [after.labels[k] for k in np.argsort(-counts, kind="stable") if counts[k] > 0]
    line = {
        "feature": f"({after.noun})",
        "missing_reference": float(weights[0][before.is_empty].sum()),
        "missing_new": float(weights[1][after.is_empty].sum()),
        "special_reference": 0.0,
        "special_new": 0.0,
        "low": math.nan,
        "high": math.nan,
        "below": 0.0,
        "above": 0.0,
        "unseen": float(weights[1][np.diff(after.holds.indptr) > 0].sum()),
        "unseen_levels": labels,
    }
    totals = (float(weights[0].sum()), float(weights[1].sum()))
    return ValueTable({name: [value] for name, value in line.items()}, totals, after.noun)
