"""Score-card practice: binning tables, scaling to points, reasons of decisions, monitoring."""

from .bands import ScoreBands
from .binning_table import BinnedColumn, BinningTable
from .bins import ColumnBins
from .card import ScaledCard
from .monitoring import Monitoring, Period
from .reasons import Reasons
from .scaling import Scaling

__all__ = [
    "BinnedColumn",
    "BinningTable",
    "ColumnBins",
    "Monitoring",
    "Period",
    "Reasons",
    "ScaledCard",
    "Scaling",
    "ScoreBands",
]
