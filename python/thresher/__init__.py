"""Sparse, interpretable models over very large feature spaces, with a certificate of optimality.

Examples
--------
>>> import numpy as np
>>> from thresher import RuleRegressor
>>> X = np.arange(40.0)[:, None]
>>> model = RuleRegressor(alpha=0.01, linear=False).fit(X, 2.0 * (X[:, 0] > 19))
>>> model.rules_[0].text in ("x0 > 19", "x0 <= 19")
True
"""

from . import _interrupted as _interrupted  # first: what follows takes seconds
from ._native import CertificateError, FormatError
from .batches import fit_many
from .comparison import ModelComparison, StabilitySelection, StableTerm, compare_models, stability_selection
from .data.event_tables import EventSequences, sequences_from_table
from .data.graph_records import read_gspan, write_gspan
from .data.items import load_itemsets
from .estimators.additive import L0AdditiveClassifier, L0AdditiveRegressor
from .estimators.factorization import FactorizationMachineClassifier, FactorizationMachineRegressor
from .estimators.graphs import GraphClassifier, GraphRegressor
from .estimators.hierarchy import HierarchicalRuleClassifier, HierarchicalRuleRegressor
from .estimators.itemsets import ItemsetClassifier, ItemsetRegressor
from .estimators.rules import RuleClassifier, RuleRegressor
from .estimators.sequences import SequenceClassifier, SequenceRegressor
from .estimators.subset import L0Classifier, L0Regressor
from .examination import Examination, Finding, examine
from .model_io.envelope import library_version
from .model_io.loading import load_model
from .monitoring import TermMonitoring
from .report import report
from .results.bin_edit import EditedBins
from .results.certificate import Certificate
from .results.convex_path import PatternPath, RulePath
from .results.explanation import Explanation
from .results.hierarchical_rule import HierarchicalRule
from .results.hierarchy_path import HierarchyPath
from .results.interactions import Interaction, Interactions
from .results.l0_certificate import L0Certificate
from .results.machine_path import FmPath
from .results.pattern import Pattern
from .results.pattern_table import PatternTable
from .results.price import NearTie, Price
from .results.relaxation import Relaxation
from .results.rule import Condition, Rule
from .results.rule_group import RuleGroup
from .results.score_card import PointCard, ScoreCard
from .results.shape_function import ShapeFunction
from .results.subset_certificate import SubsetCertificate
from .results.subset_path import L0Path
from .results.summary import Summary
from .scorecard import BinningTable, Monitoring, Reasons, ScaledCard, ScoreBands
from .scorecard.column_importance import ColumnImportance, ColumnImportances

__version__ = library_version()

__all__ = [
    "BinningTable",
    "Certificate",
    "CertificateError",
    "ColumnImportance",
    "ColumnImportances",
    "Condition",
    "EditedBins",
    "EventSequences",
    "Examination",
    "Explanation",
    "FactorizationMachineClassifier",
    "FactorizationMachineRegressor",
    "Finding",
    "FmPath",
    "FormatError",
    "GraphClassifier",
    "GraphRegressor",
    "HierarchicalRule",
    "HierarchicalRuleClassifier",
    "HierarchicalRuleRegressor",
    "HierarchyPath",
    "Interaction",
    "Interactions",
    "ItemsetClassifier",
    "ItemsetRegressor",
    "L0AdditiveClassifier",
    "L0AdditiveRegressor",
    "L0Certificate",
    "L0Classifier",
    "L0Path",
    "L0Regressor",
    "ModelComparison",
    "Monitoring",
    "NearTie",
    "Pattern",
    "PatternPath",
    "PatternTable",
    "PointCard",
    "Price",
    "Reasons",
    "Relaxation",
    "Rule",
    "RuleClassifier",
    "RuleGroup",
    "RulePath",
    "RuleRegressor",
    "ScaledCard",
    "ScoreBands",
    "ScoreCard",
    "SequenceClassifier",
    "SequenceRegressor",
    "ShapeFunction",
    "StabilitySelection",
    "StableTerm",
    "SubsetCertificate",
    "Summary",
    "TermMonitoring",
    "__version__",
    "compare_models",
    "examine",
    "fit_many",
    "load_itemsets",
    "load_model",
    "read_gspan",
    "report",
    "sequences_from_table",
    "stability_selection",
    "write_gspan",
]
