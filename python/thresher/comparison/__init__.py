"""How alike models are, and how stable one is under resampling of its rows."""

from ._models import ModelComparison, compare_models
from ._stability import StabilitySelection, StableTerm, stability_selection

__all__ = ["ModelComparison", "StabilitySelection", "StableTerm", "compare_models", "stability_selection"]
