"""The public names and the modules that define them, each loaded when one of its names is first used.

A program uses a family of models or two; the modules of all families, of reports and of score cards take
longer to load than those.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {
    "batches": ("fit_many",),
    "comparison": (
        "ModelComparison",
        "StabilitySelection",
        "StableTerm",
        "compare_models",
        "stability_selection",
    ),
    "data.event_tables": ("EventSequences", "sequences_from_table"),
    "data.graph_records": ("read_gspan", "write_gspan"),
    "data.items": ("load_itemsets",),
    "estimators.additive": ("L0AdditiveClassifier", "L0AdditiveRegressor"),
    "estimators.factorization": ("FactorizationMachineClassifier", "FactorizationMachineRegressor"),
    "estimators.graphs": ("GraphClassifier", "GraphRegressor"),
    "estimators.hierarchy": ("HierarchicalRuleClassifier", "HierarchicalRuleRegressor"),
    "estimators.itemsets": ("ItemsetClassifier", "ItemsetRegressor"),
    "estimators.rules": ("RuleClassifier", "RuleRegressor"),
    "estimators.sequences": ("SequenceClassifier", "SequenceRegressor"),
    "estimators.subset": ("L0Classifier", "L0Regressor"),
    "examination": ("Examination", "Finding", "examine"),
    "model_io.loading": ("load_model",),
    "monitoring": ("Monitoring", "TermMonitoring"),
    "reports": ("report",),
    "results.bin_edit": ("EditedBins",),
    "results.certificate": ("Certificate",),
    "results.convex_path": ("PatternPath", "RulePath"),
    "results.explanation": ("Explanation",),
    "results.hierarchical_rule": ("HierarchicalRule",),
    "results.hierarchy_path": ("HierarchyPath",),
    "results.interactions": ("Interaction", "Interactions"),
    "results.l0_certificate": ("L0Certificate",),
    "results.machine_path": ("FmPath",),
    "results.pattern": ("Pattern",),
    "results.pattern_table": ("PatternTable",),
    "results.price": ("NearTie", "Price"),
    "results.relaxation": ("Relaxation",),
    "results.rule": ("Condition", "Rule"),
    "results.rule_group": ("RuleGroup",),
    "results.score_card": ("ScoreCard",),
    "results.shape_function": ("ShapeFunction",),
    "results.subset_certificate": ("SubsetCertificate",),
    "results.subset_path": ("L0Path",),
    "results.summary": ("Summary",),
    "scorecard.bands": ("ScoreBands",),
    "scorecard.binning_table": ("BinningTable",),
    "scorecard.card": ("ScaledCard",),
    "scorecard.column_importance": ("ColumnImportance", "ColumnImportances"),
    "scorecard.point_card": ("PointCard", "PointTable"),
    "scorecard.reasons": ("Reasons",),
}

MODULES = {name: module for module, names in _NAMES.items() for name in names}
"""The module of each public name, below the package."""

SUBMODULES = ("export", "plotting")
"""The modules that are public by their own names."""


def load(name: str) -> Any:
    """Return what a public name stands for, and load its module where it is not loaded yet.

    Parameters
    ----------
    name : str
        One of ``MODULES`` or ``SUBMODULES``.

    Returns
    -------
    object
        A class, a function or a module.

    Examples
    --------
    >>> load("RuleRegressor")()
    RuleRegressor()
    """
    if name in SUBMODULES:
        return import_module(f"{__package__}.{name}")
    return getattr(import_module(f"{__package__}.{MODULES[name]}"), name)
