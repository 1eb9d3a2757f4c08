"""A look at the data before a fit: what would mislead a model, or be refused."""

from ._column import RawColumn
from ._examine import examine
from ._findings import Examination, Finding, merged
from ._leaks import share_of_decision
from ._records import examine_records

__all__ = ["Examination", "Finding", "RawColumn", "examine", "examine_records", "merged", "share_of_decision"]
