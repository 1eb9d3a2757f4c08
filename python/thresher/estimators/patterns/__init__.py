"""The pattern estimators."""

from ...data.graph_records import read_gspan, write_gspan
from ...data.items import load_itemsets
from ...results.pattern import Pattern
from .graphs import GraphClassifier, GraphRegressor
from .itemsets import ItemsetClassifier, ItemsetRegressor
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
