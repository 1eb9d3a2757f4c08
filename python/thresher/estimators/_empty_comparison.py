"""Models without terms, where the comparison of strengths ended before its smallest one."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from .. import fit_warnings

_CLOSE = 1.5
"""Factor from the smallest strength within which a comparison has come to the end of its path."""
_MIN_LAMBDA0_RATIO = 1e-3
"""The smallest penalty of an automatic path of best subsets, relative to the largest, as in the core."""
_SIZE_LIMITS = (
    *("max_rules", "max_patterns", "max_linear", "max_terms"),
    *("max_steps", "max_columns", "max_nonzero"),
)


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
    points = found.points(found.selected())
    is_empty = not any(point["terms"] or point.get("linear") for point in points)
    is_by_alpha = estimator.alpha == "cv" and not any(point.get("subset") for point in points)
    if not (is_empty and is_by_alpha and estimator.certificate_.complete):
        return
    compared = _compared(estimator, estimator.alpha_min_ratio)
    if compared is None or compared[2] == estimator.n_alphas:
        return
    first, last, _ = compared
    fit_warnings.warn(
        f"alpha: the model has no terms. The comparison ended at {last:.3g}, {last / first:.0%} of the "
        "largest strength: no model down to there has clearly less held-out error than the one without "
        "terms. An interaction that shows at smaller strengths alone would be missed; if you expect one, "
        f"give such a strength as alpha (say {last / 4:.2g}), or compare more of them with fit_path",
        ConvergenceWarning,
    )


def warn_if_no_subset(estimator: Any) -> None:
    """Warn if a card or a linear model has no terms and the penalties below those compared were not tried.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator, of step functions or coefficients.

    Warns
    -----
    ConvergenceWarning
        If the model is a constant, and cross-validation chose it.
    """
    points = estimator._fitted.points(estimator._path_index)
    is_by_lambda0 = isinstance(estimator.lambda0, str)
    if not (is_by_lambda0 and not estimator._summary_rows() and all(point["complete"] for point in points)):
        return
    compared = _compared(estimator, _MIN_LAMBDA0_RATIO)
    if compared is None:
        return
    first, last, _ = compared
    if first == last:  # a constant alone was compared
        return
    noun = f"{estimator._term_noun}s"
    fit_warnings.warn(
        f"lambda0: the model has no {noun}, and gives all rows the same answer. The comparison ended at "
        f"{last:.3g}, {last / first:.0%} of the largest penalty: no model down to there has clearly less "
        f"held-out error than the one without {noun}. If you expect an effect, more rows may show it; a "
        f"penalty such as lambda0={last:.2g} gives a model with {noun} that these rows do not support",
        ConvergenceWarning,
    )


def _compared(estimator: Any, min_ratio: float) -> tuple[float, float, int] | None:
    """Return the largest and the smallest strength compared, and the number of strengths of the first output.

    None if there was no comparison, if it came to the end of its path, or if a limit on the size may end it.
    """
    compared = [output["cv"]["strengths"] for output in estimator._fitted.outputs if output.get("cv")]
    if not compared or _has_size_limit(estimator):
        return None
    first, last = max(map(max, compared)), min(map(min, compared))
    return None if last <= _CLOSE * min_ratio * first else (first, last, len(compared[0]))


def _has_size_limit(estimator: Any) -> bool:
    """Return whether the path may end at a number of terms."""
    return any(getattr(estimator, name, None) is not None for name in _SIZE_LIMITS)
