"""The pattern estimators."""

from .items import load_itemsets
from .itemsets import ItemsetClassifier, ItemsetRegressor
from .pattern import Pattern

__all__ = ["ItemsetClassifier", "ItemsetRegressor", "Pattern", "load_itemsets"]
