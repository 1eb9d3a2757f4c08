"""Whether rows are those on which a model was fitted."""

from __future__ import annotations

_SAME = 1e-6  # of an objective, relative: a larger difference is not due to the rounding of sums


def check_training_rows(found: float, trained: float, objective: float, what: str) -> None:
    """Raise an error if a sum over rows is not what it was in training.

    Parameters
    ----------
    found, trained : float
        The sum over the rows that are given, and that of training.
    objective : float
        The objective of the model.
    what : str
        What the sum is, for the message.

    Raises
    ------
    ValueError
        If they differ by more than rounding.
    """
    if not abs(found - trained) <= _SAME * abs(objective):
        raise ValueError(
            f"X, y: the {what} of the model on these rows is {found:.6g}, in training it was "
            f"{trained:.6g}; give the training rows with their weights"
        )
