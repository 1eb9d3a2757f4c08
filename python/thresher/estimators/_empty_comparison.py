"""Warnings of models without terms that a comparison chose."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .. import fit_warnings
from ..formatting.text import format_names
from ._constant_outputs import has_terms
from ._reading import too_rare, why_empty
from ._training import TrainingData

_CLOSE = 1.5
"""Factor from the smallest strength within which a comparison has come to the end of its path."""
_MIN_LAMBDA0_RATIO = 1e-3
"""The smallest penalty of an automatic path of best subsets, relative to the largest, as in the core."""
_LIMITS_OF_ALL = ("max_steps", "max_columns", "max_nonzero")
_SIZE_LIMITS = ("max_rules", "max_patterns", "max_linear", "max_terms", *_LIMITS_OF_ALL)


def warn_if_empty(estimator: Any, data: TrainingData) -> None:
    """Warn if a comparison of strengths or sizes chose a model without terms, and say why.

    A limit that ended the fit has a warning of its own, and a limit of 0 terms is what the user asked for.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : TrainingData
        The training rows.

    Warns
    -----
    ConvergenceWarning
        If the model is a constant, and cross-validation or an information criterion chose it.
    """
    parameter = "alpha" if hasattr(estimator, "alpha") else "lambda0"
    choice = getattr(estimator, parameter)
    is_asked = isinstance(choice, str) or np.size(choice) > 1
    allows_none = any(getattr(estimator, name, None) == 0 for name in _LIMITS_OF_ALL)
    outputs, points = estimator._fitted.outputs, estimator._fitted.points(estimator._path_index)
    is_complete = all(point["complete"] for point in points)
    is_constant = not np.ptp(data.target.values, axis=0).any()
    if not is_asked or allows_none or not is_complete or is_constant or any(map(has_terms, points)):
        return
    compared = [output["cv"] for output in outputs if output.get("cv")]
    has_choice = any(len(set(cv["mean"])) > 1 for cv in compared) or any(o.get("criterion") for o in outputs)
    rare = too_rare(estimator)
    if not (has_choice or rare or _ends_at_once(estimator) or np.ndim(choice)):  # constant columns
        return
    reason = f": {rare}; a smaller min_support allows more" if rare else None
    if isinstance(choice, str) and not any(
        getattr(estimator, name, None) is not None for name in _SIZE_LIMITS
    ):
        reason = reason or _early_end(estimator, [cv["strengths"] for cv in compared])
    if reason is None:
        why = why_empty(estimator) if has_choice or not np.ndim(choice) else "all values given are too large"
        reason = f": {why}. If you expect an effect, more rows may show it"
    noun = "terms" if parameter == "alpha" else f"{estimator._term_noun}s"
    doubtful = format_names([data.inputs.names[place] for place in estimator._doubtful(data)])
    others = f". A model without the many categories of {doubtful} is no better" if doubtful else ""
    fit_warnings.warn(
        f"{parameter}: the model has no {noun}, and gives all rows the same answer{reason}{others}",
        ConvergenceWarning,
    )


def _ends_at_once(estimator: Any) -> bool:
    """Return whether the path has no second model, since no linear term is allowed."""
    return getattr(estimator, "max_linear", None) == 0 and bool(estimator.linear)


def _early_end(estimator: Any, compared: list[list[float]]) -> str | None:
    """Say where a comparison of strengths ended; None if it came to the end of its path.

    An interaction without main effects explains nothing before most of it is in the model. The comparison
    therefore goes on for long after the empty model, but not for ever.
    """
    is_by_alpha = hasattr(estimator, "alpha_min_ratio")
    if not compared or not (is_by_alpha or hasattr(estimator, "lambda0")):
        return None
    first, last = max(map(max, compared)), min(map(min, compared))
    ratio = estimator.alpha_min_ratio if is_by_alpha else _MIN_LAMBDA0_RATIO
    if last <= _CLOSE * ratio * first or (is_by_alpha and len(compared[0]) == estimator.n_alphas):
        return None
    noun, what = ("terms", "strength") if is_by_alpha else (f"{estimator._term_noun}s", "penalty")
    ending = (
        f". The comparison ended at {last:.3g}, {last / first:.0%} of the largest {what}: no model down to "
        f"there has clearly less held-out error than the one without {noun}. "
    )
    if is_by_alpha:
        return (
            f"{ending}An interaction that shows at smaller strengths alone would be missed; if you expect "
            f"one, give such a strength as alpha (say {last / 4:.2g}), or compare more of them with fit_path"
        )
    return (
        f"{ending}If you expect an effect, more rows may show it; a penalty such as lambda0={last:.2g} gives "
        f"a model with {noun} that these rows do not support"
    )
