"""A look at the data before a fit: what would mislead a model, or be refused."""

from ._examine import examine
from ._findings import Examination, Finding

__all__ = ["Examination", "Finding", "examine"]
