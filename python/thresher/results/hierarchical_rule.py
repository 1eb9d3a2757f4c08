"""Conjunctions of a hierarchical model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .coverage import coverage_of
from .payloads import FeaturePayload
from .rule import Condition, Rule


@dataclass(frozen=True, repr=False)
class HierarchicalRule(Rule):
    """A conjunction of basic propositions with its coefficient.

    Parameters
    ----------
    conditions : tuple of Condition
        The conditions; one column may have several excluded categories.
    coef : float, default=0
        The coefficient: the effect on the prediction where the rule holds.
    n_rows : int, default=0
        Number of training rows for which the rule holds.
    support : float, default=0
        Their fraction of the training weight, between 0 and 1.
    output : object, default=None
        The class or target of the rule, where there are several.
    closure : tuple of Condition, default=()
        Not used here.
    equivalents : tuple of Rule, default=()
        Not used here.
    depth : int, default=0
        Number of basic propositions; an interval with two bounds counts as two.

    Examples
    --------
    >>> from thresher import Condition, HierarchicalRule
    >>> rule = HierarchicalRule((Condition(0, "age", lower=30, upper=40),), coef=0.5, depth=2)
    >>> rule.text, rule.length
    ('30 < age <= 40', 2)
    """

    depth: int = 0

    @property
    def length(self) -> int:
        """Number of basic propositions."""
        return self.depth


def rules_of(
    output: Mapping[str, Any],
    entries: Sequence[tuple[int, float]],
    features: Sequence[FeaturePayload],
    label: Any,
) -> list[HierarchicalRule]:
    """Read rules of a model document.

    Parameters
    ----------
    output : mapping
        One output of the document.
    entries : list of (int, float)
        Positions among its terms, and coefficients.
    features : list of FeaturePayload
        The columns.
    label : object
        The class or target of the rules; None where there is one output.

    Returns
    -------
    list of HierarchicalRule
        In the order of the entries.
    """
    rules = []
    for place, coef in entries:
        payload = output["terms"][place]
        conditions = tuple(Condition.from_payload(c, features) for c in payload["pattern"])
        depth = sum(1 + (math.isfinite(c.lower) and math.isfinite(c.upper)) for c in conditions)
        rules.append(
            HierarchicalRule(conditions, float(coef), output=label, depth=depth, **coverage_of(payload))
        )
    return rules
