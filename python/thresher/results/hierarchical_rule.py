"""Conjunctions of a hierarchical model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..results.cut_labels import CutLabels
from .coverage import coverage_of
from .rule import Condition, Rule


@dataclass(frozen=True, repr=False)
class HierarchicalRule(Rule):
    """A conjunction of basic propositions with its coefficient.

    Parameters
    ----------
    conditions : tuple of Condition
        What must hold; one column may have several excluded categories.
    coef : float, default=0
        What the model adds where the rule holds.
    n_rows : int, default=0
        Training rows in the rule.
    support : float, default=0
        Their fraction of the training weight, between 0 and 1.
    output : object, default=None
        The class or target that the rule speaks of, where there are several.
    closure : tuple of Condition, default=()
        Not used here.
    equivalents : tuple of Rule, default=()
        Not used here.
    depth : int, default=0
        Basic propositions that it joins: an interval bounded on both sides is two.

    Examples
    --------
    >>> rule = HierarchicalRule((Condition(0, "age", lower=30, upper=40),), coef=0.5, depth=2)
    >>> rule.text, rule.length
    ('30 < age <= 40', 2)
    """

    depth: int = 0

    @property
    def length(self) -> int:
        """How many basic propositions there are."""
        return self.depth


def rules_of(
    output: Mapping[str, Any],
    entries: Sequence[tuple[int, float]],
    names: Sequence[str],
    digits: CutLabels,
    label: Any,
) -> list[HierarchicalRule]:
    """Read rules of a model document.

    Parameters
    ----------
    output : mapping
        One output of the document.
    entries : list of (int, float)
        Positions among its rules, and coefficients.
    names : list of str
        The columns' names.
    digits : CutLabels
        How cuts are shown.
    label : object
        The class or target they speak of; None where there is one output.

    Returns
    -------
    list of HierarchicalRule
        In the order of the entries.
    """
    rules = []
    for place, coef in entries:
        payload = output["rules"][place]
        conditions = tuple(Condition.from_payload(c, names, digits) for c in payload["conditions"])
        rules.append(
            HierarchicalRule(
                conditions, float(coef), output=label, depth=payload["depth"], **coverage_of(payload)
            )
        )
    return rules
