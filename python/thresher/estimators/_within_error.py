"""A warning of models whose held-out loss is hardly below that of a constant."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..fit_warnings import warn
from ._constant_outputs import has_terms


def warn_if_within_error(estimator: Any) -> None:
    """Warn if cross-validation chose terms for a gain of less than its standard error.

    The gain is that of the least held-out loss beside the loss without terms, and the standard error that of
    their difference: the losses of a fold rise and fall together.

    Parameters
    ----------
    estimator : estimator
        A fitted best subset, or an additive model.

    Warns
    -----
    ConvergenceWarning
        If the model without terms is within a standard error, and the choice was the one of least loss.
    """
    is_choice = isinstance(estimator.lambda0, str) and not estimator.one_standard_error
    if not is_choice:
        return
    noun, fitted = f"{estimator._term_noun}s", estimator._fitted
    kind, found = "target" if fitted.classes is None else "class", []
    for name, output, place in zip(fitted.output_names(), fitted.outputs, estimator._path_index, strict=True):
        scores = output["cv"]
        if not scores or not place < len(scores["mean"]) or not has_terms(output["points"][place]):
            continue
        constant, loss, error = scores["mean"][0], scores["mean"][place], scores["difference_se"][0]
        if constant - loss < error:
            of_output = f" of {kind} {name!r}" if len(fitted.outputs) > 1 else ""
            found.append(
                f"the held-out loss{of_output} is {loss:.4g}, without {noun} {constant:.4g}, within a "
                f"standard error of the difference ({error:.2g})"
            )
    if found:
        warn(
            f"lambda0: {'; '.join(found)}: the {noun} may be noise. one_standard_error=True chooses a "
            f"smaller model or none, as does a limit such as {estimator._size_limits[0]}=5; more rows may "
            "show an effect",
            ConvergenceWarning,
        )
