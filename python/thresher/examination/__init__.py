"""A look at the data before a fit: what would mislead a model, or be refused.

=========================================== ================================
``examine()``                               ``_examine.py``, ``_records.py``
what it returns                             ``_findings.py``
findings about one column                   ``_column.py``, ``_values.py``, ``_marks.py``
columns that give the target away           ``_leaks.py``
columns beside each other, rows, the target ``_relations.py``
=========================================== ================================
"""

from ._column import RawColumn
from ._examine import examine
from ._findings import Examination, Finding, merged
from ._leaks import fraction_of_decision
from ._marks import name_as_code
from ._records import examine_records
from ._values import are_molecules

__all__ = [
    "Examination",
    "Finding",
    "RawColumn",
    "are_molecules",
    "examine",
    "examine_records",
    "fraction_of_decision",
    "merged",
    "name_as_code",
]
