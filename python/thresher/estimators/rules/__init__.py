"""Optimal sparse rule models.

================================= ==========================================
the two estimators, their methods ``_estimators.py``, ``_model.py``
parameters, ``max_features``      ``_parameters.py``, ``_max_features.py``
rules that are no candidates      ``_language.py``
columns without a linear term     ``_lost_columns.py``
plots                             ``_plots.py``
================================= ==========================================
"""

from ._estimators import RuleClassifier, RuleRegressor

__all__ = ["RuleClassifier", "RuleRegressor"]
