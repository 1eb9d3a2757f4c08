"""New rows beside reference rows, for every estimator."""

from ._results import Term, TermMonitoring, TermPeriods

__all__ = ["Term", "TermMonitoring", "TermPeriods"]
