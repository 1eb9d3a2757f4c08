"""The pattern estimators."""

from .graph_records import read_gspan, write_gspan
from .graphs import GraphClassifier, GraphRegressor
from .items import load_itemsets
from .itemsets import ItemsetClassifier, ItemsetRegressor
from .pattern import Pattern

__all__ = [
    "GraphClassifier",
    "GraphRegressor",
    "ItemsetClassifier",
    "ItemsetRegressor",
    "Pattern",
    "load_itemsets",
    "read_gspan",
    "write_gspan",
]
