"""A warning of models whose held-out loss is hardly below that of a constant."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..fit_warnings import warn
from ._constant_outputs import has_terms


def warn_if_within_error(estimator: Any, chosen: str, limit: str | None = None) -> None:
    """Warn if cross-validation chose terms for a gain of less than its standard error.

    The gain is that of the least held-out loss beside the loss without terms, and the standard error that of
    their difference: the losses of a fold rise and fall together.

    Parameters
    ----------
    estimator : estimator
        A best subset, or an additive model, whose size the least held-out loss has chosen.
    chosen : str
        The parameter that was chosen.
    limit : str, optional
        A parameter that limits the number of terms.

    Warns
    -----
    ConvergenceWarning
        If the model without terms is within a standard error.
    """
    noun, fitted = f"{estimator._term_noun}s", estimator._fitted
    kind, found = "target" if fitted.classes is None else "class", []
    for name, output, place in zip(fitted.output_names(), fitted.outputs, estimator._path_index, strict=True):
        scores = output["cv"]
        points = output["points"]
        is_compared = scores and place < len(scores["mean"]) and not has_terms(points[0])
        if not is_compared or not has_terms(points[place]):
            continue
        constant, loss, error = scores["mean"][0], scores["mean"][place], scores["difference_se"][0]
        if constant - loss < error:
            of_output = f" of {kind} {name!r}" if len(fitted.outputs) > 1 else ""
            found.append(
                f"the held-out loss{of_output} is {loss:.4g}, without {noun} {constant:.4g}, within a "
                f"standard error of the difference ({error:.2g})"
            )
    if found:
        also = f", as does a limit such as {limit}=5" if limit else ""
        warn(
            f"{chosen}: {'; '.join(found)}: the {noun} may be noise. one_standard_error=True chooses a "
            f"smaller model or none{also}; more rows may show an effect",
            ConvergenceWarning,
        )
