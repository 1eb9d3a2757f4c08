"""Models without terms, where the comparison of strengths ended before its smallest one."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from .. import fit_warnings

_CLOSE = 1.5
"""Factor from the smallest strength within which a comparison has come to the end of its path."""


def warn_if_empty(estimator: Any) -> None:
    """Warn if a model has no terms and the strengths below those compared were not tried.

    An interaction without main effects explains nothing before most of it is in the model. The comparison
    therefore goes on for long after the empty model, but not for ever.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator, of rules or patterns.

    Warns
    -----
    ConvergenceWarning
        If smaller strengths may give a better model.
    """
    found = estimator._fitted
    compared = [output["cv"]["strengths"] for output in found.outputs if output.get("cv")]
    points = found.points(found.selected())
    is_empty = not any(point["terms"] or point.get("linear") for point in points)
    is_by_alpha = estimator.alpha == "cv" and not any(point.get("subset") for point in points)
    if not (is_empty and is_by_alpha and compared and estimator.certificate_.complete):
        return
    first, last = max(map(max, compared)), min(map(min, compared))
    is_whole = last <= _CLOSE * estimator.alpha_min_ratio * first or len(compared[0]) == estimator.n_alphas
    if is_whole or _has_size_limit(estimator):
        return
    fit_warnings.warn(
        f"alpha: the model has no terms. The comparison ended at {last:.3g}, {last / first:.0%} of the "
        "largest strength: no model down to there has clearly less held-out error than the one without "
        "terms. An interaction that shows at smaller strengths alone would be missed; if you expect one, "
        f"give such a strength as alpha (say {last / 4:.2g}), or compare more of them with fit_path",
        ConvergenceWarning,
    )


def _has_size_limit(estimator: Any) -> bool:
    """Return whether the path may end at a number of terms."""
    limits = ("max_rules", "max_patterns", "max_linear", "max_terms")
    return any(getattr(estimator, name, None) is not None for name in limits)
