"""New rows beside reference rows: a score, the coded columns that add up to it, and values of columns.

========================================== ===============================================
the comparison                             ``_compare.py``, ``_options.py``, ``stability.py``
a model's answers to rows, for comparison  ``_sample.py``, ``_model_scores.py``
its results                                ``_results.py``, ``_term_results.py``
new values, new events and items           ``_values.py``, ``_labels.py``
periods and dates                          ``_periods.py``, ``_calendar.py``, ``dates.py``
========================================== ===============================================

A card in points, and each bin of an additive model, is read in ``scorecard/_monitor.py``.
"""

from ._results import BinTable, Monitoring, Period, PeriodTable
from ._term_results import Term, TermMonitoring, TermPeriods
from ._values import ValueTable

__all__ = [
    "BinTable",
    "Monitoring",
    "Period",
    "PeriodTable",
    "Term",
    "TermMonitoring",
    "TermPeriods",
    "ValueTable",
]
