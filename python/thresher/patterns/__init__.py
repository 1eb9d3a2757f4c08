"""The pattern estimators."""

from .items import load_itemsets
from .itemsets import ItemsetClassifier, ItemsetRegressor
from .pattern import Pattern
from .sequences import SequenceClassifier, SequenceRegressor

__all__ = [
    "ItemsetClassifier",
    "ItemsetRegressor",
    "Pattern",
    "SequenceClassifier",
    "SequenceRegressor",
    "load_itemsets",
]
