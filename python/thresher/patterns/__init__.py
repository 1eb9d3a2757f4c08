"""The pattern estimators."""

from .graph_records import read_gspan, write_gspan
from .graphs import GraphClassifier, GraphRegressor
from .items import load_itemsets
from .itemsets import ItemsetClassifier, ItemsetRegressor
from .pattern import Pattern
from .sequences import SequenceClassifier, SequenceRegressor

__all__ = [
    "GraphClassifier",
    "GraphRegressor",
    "ItemsetClassifier",
    "ItemsetRegressor",
    "Pattern",
    "SequenceClassifier",
    "SequenceRegressor",
    "load_itemsets",
    "read_gspan",
    "write_gspan",
]
