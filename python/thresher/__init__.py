"""Sparse, readable models over feature spaces too large to write down, with a proof of optimality.

Examples
--------
>>> import numpy as np
>>> from thresher import RuleRegressor
>>> X = np.arange(40.0)[:, None]
>>> model = RuleRegressor(alpha=0.01, linear=False).fit(X, 2.0 * (X[:, 0] > 19))
>>> model.rules_[0].text in ("x0 > 19", "x0 <= 19")
True
"""

from ._native import CertificateError, FormatError
from .data.graph_records import read_gspan, write_gspan
from .data.items import load_itemsets
from .estimators.additive import L0AdditiveClassifier, L0AdditiveRegressor
from .estimators.factorization import (
    FactorizationMachineClassifier,
    FactorizationMachineRegressor,
    FmPath,
    Interaction,
    Interactions,
)
from .estimators.graphs import GraphClassifier, GraphRegressor
from .estimators.hierarchy import HierarchicalRuleClassifier, HierarchicalRuleRegressor, HierarchyPath
from .estimators.itemsets import ItemsetClassifier, ItemsetRegressor
from .estimators.rules import RuleClassifier, RuleRegressor, fit_many
from .estimators.sequences import SequenceClassifier, SequenceRegressor
from .estimators.subset import L0Classifier, L0Path, L0Regressor
from .model_io.envelope import library_version
from .model_io.loading import load_model
from .results.certificate import Certificate
from .results.convex_path import PatternPath, RulePath
from .results.pattern import Pattern
from .results.rule import Condition, Rule
from .results.rule_groups import RuleGroup

__version__ = library_version()

__all__ = [
    "Certificate",
    "CertificateError",
    "Condition",
    "FactorizationMachineClassifier",
    "FactorizationMachineRegressor",
    "FmPath",
    "FormatError",
    "GraphClassifier",
    "GraphRegressor",
    "HierarchicalRuleClassifier",
    "HierarchicalRuleRegressor",
    "HierarchyPath",
    "Interaction",
    "Interactions",
    "ItemsetClassifier",
    "ItemsetRegressor",
    "L0AdditiveClassifier",
    "L0AdditiveRegressor",
    "L0Classifier",
    "L0Path",
    "L0Regressor",
    "Pattern",
    "PatternPath",
    "Rule",
    "RuleClassifier",
    "RuleGroup",
    "RulePath",
    "RuleRegressor",
    "SequenceClassifier",
    "SequenceRegressor",
    "__version__",
    "fit_many",
    "load_itemsets",
    "load_model",
    "read_gspan",
    "write_gspan",
]
