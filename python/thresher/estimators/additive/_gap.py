"""What of a model keeps the gap of a card open, however long a branch and bound searches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from ...formatting.text import pluralize
from .._columns import trends_of


def hint_for_gap(model: Any, without: Collection[int]) -> str:
    """Say what makes the gap of a card smaller, and what no search closes.

    Only cuts of numeric columns without a trend are split, and the bound is loose in `lambda2` and in the
    number of steps.

    Parameters
    ----------
    model : estimator
        The fitted card.
    without : collection of int
        The positions of the columns that it may not use.

    Returns
    -------
    str
        A sentence or two, without the last full stop.
    """
    hint = "A larger ridge or lambda0, or fewer bins make it smaller"
    causes = _causes(model, without)
    if not causes:
        return hint
    *most, last = causes
    listed = f"{', '.join(most)} and {last}" if most else last
    return f"{hint}. No search closes the part of the gap that comes from {listed}"


def _causes(model: Any, without: Collection[int]) -> list[str]:
    used = {k: f for k, f in enumerate(model._fitted.document["features"]) if k not in without}

    def of_columns(holds: Callable[[Mapping[str, Any]], Any], what: str, advice: str = "") -> list[str]:
        count = sum(bool(holds(feature)) for feature in used.values())
        return [f"the {what} of {pluralize(count, 'column')}{advice}"] if count else []

    trends = trends_of(model.monotonic_cst, model._fitted.schema.names) or []
    is_full = model.max_steps is not None and np.max(model.n_nonzero_) >= model.max_steps
    return [
        *of_columns(lambda feature: len(feature.get("levels", ())) > 1, "categories"),
        *of_columns(lambda feature: feature["missing"], "missing values", " (they can be filled in)"),
        *of_columns(lambda feature: feature.get("special"), "special codes"),
        *["monotonic_cst"] * any(trends[k] != "free" for k in used if trends),
        *["lambda2"] * bool(np.any(model.lambda2_)),
        *["max_steps"] * bool(is_full),
    ]
