"""A warning of models of classes whose held-out loss is hardly below that of a constant."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from ..fit_warnings import warn
from ._constant_outputs import has_terms


def warn_if_within_error(estimator: Any) -> None:
    """Warn if cross-validation chose terms by less than a standard error of the held-out loss.

    The standard error is that of the loss itself. Folds with the same fraction of events have about the same
    loss of a constant, so that it is also that of the difference. Of numbers it is not: most of their loss
    differs between folds in the same way for all models.

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
    if estimator._task != "classification" or not is_choice:
        return
    noun, fitted = f"{estimator._term_noun}s", estimator._fitted
    found = []
    for name, output, place in zip(fitted.output_names(), fitted.outputs, estimator._path_index, strict=True):
        scores = output["cv"]
        if not scores or not place < len(scores["mean"]) or not has_terms(output["points"][place]):
            continue
        constant, loss, error = scores["mean"][0], scores["mean"][place], scores["se"][place]
        if constant - loss < error:
            of_class = f" of class {name!r}" if len(fitted.outputs) > 1 else ""
            found.append(
                f"the held-out loss{of_class} is {loss:.4g}, without {noun} {constant:.4g}, within a "
                f"standard error ({error:.2g})"
            )
    if found:
        warn(
            f"lambda0: {'; '.join(found)}: the {noun} may be noise. one_standard_error=True chooses the "
            f"model without {noun}, and a limit such as {estimator._size_limits[0]}=5 a smaller one; more "
            "rows may show an effect",
            ConvergenceWarning,
        )
