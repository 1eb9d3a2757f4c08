"""The pattern estimators."""

from .itemsets import ItemsetClassifier, ItemsetRegressor
from .pattern import Pattern

__all__ = ["ItemsetClassifier", "ItemsetRegressor", "Pattern"]
