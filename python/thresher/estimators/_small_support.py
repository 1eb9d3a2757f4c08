"""Terms of a best subset that hold for a handful of rows."""

from __future__ import annotations

from typing import Any

from .. import fit_warnings
from ..formatting.text import pluralize
from ..results.subset_certificate import SubsetCertificate

_FEW = 5  # rows; their mean is little more than twice as precise as one of them
_LEAST_ROWS = 100  # of a fit; of fewer rows, one in twenty is as few


def warn_of_small_support(estimator: Any, n_rows: int) -> None:
    """Warn of terms of a best subset that hold for a handful of rows.

    No penalty shrinks the coefficients of a best subset: a rule that holds for one row takes the value of
    this row, which lowers the loss on the training rows as much as the row is unusual.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator, of rules or patterns.
    n_rows : int
        The number of training rows.
    """
    is_subset = isinstance(estimator.certificate_, SubsetCertificate)
    if not is_subset or estimator.min_support != 1 or n_rows < _LEAST_ROWS:
        return
    terms: Any = getattr(estimator, "rules_", None)
    terms = estimator.patterns_ if terms is None else terms
    few = [term for term in terms if term.n_rows < _FEW]
    if not few:
        return
    least = min(few, key=lambda term: term.n_rows)
    noun, rows = estimator._term_noun, estimator._row_noun
    held = f"{len(few)} of {pluralize(len(terms), noun)} {'holds' if len(few) == 1 else 'hold'}"
    fit_warnings.warn(
        f"min_support: {held} for fewer than {_FEW} of {n_rows:,} {rows}, such as "
        f"{least.text!r} ({least.n_rows:,}). No penalty shrinks the coefficients of a best subset, which "
        f"follow these {rows} alone; min_support={_FEW} or more leaves such {noun}s out",
        UserWarning,
    )
