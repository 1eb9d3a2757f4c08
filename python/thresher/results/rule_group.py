"""Groups of rules on the same columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .rule import Rule


@dataclass(frozen=True, repr=False)
class RuleGroup:
    """The rules of a model on the same columns.

    Parameters
    ----------
    feature_indices : tuple of int
        The columns' positions, ascending.
    feature_names : tuple of str
        Their names.
    norm : float
        The Euclidean norm of the rules' coefficients, in their units.
    rules : tuple of Rule
        The rules, in the order of ``rules_``.
    output : object, default=None
        The class or the number of the target, where a model has more than one.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleRegressor
    >>> X = np.arange(40.0)[:, None]
    >>> model = RuleRegressor(alpha=0.01, linear=False, group_sparsity=0.5)
    >>> group = model.fit(X, 2.0 * (X[:, 0] > 19)).groups_[0]
    >>> group.text
    'x0'
    """

    feature_indices: tuple[int, ...]
    feature_names: tuple[str, ...]
    norm: float
    rules: tuple[Rule, ...] = field(repr=False)
    output: Any = None

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.rules)

    @property
    def text(self) -> str:
        """The columns' names, joined."""
        return ", ".join(self.feature_names)

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        """Return a one-line description."""
        plural = "" if self.n_rules == 1 else "s"
        return f"{self.text}: {self.n_rules} rule{plural}, norm {self.norm:.4g}"


def groups_of(rules: Sequence[Rule]) -> list[RuleGroup]:
    """Group rules on the same columns.

    Parameters
    ----------
    rules : sequence of Rule
        A model's rules.

    Returns
    -------
    list of RuleGroup
        The groups of each output, the largest norm first.
    """
    members: dict[tuple[Any, tuple[int, ...]], list[Rule]] = {}
    outputs = list(dict.fromkeys(rule.output for rule in rules))
    for rule in rules:
        columns = tuple(sorted(condition.feature_index for condition in rule.conditions))
        members.setdefault((rule.output, columns), []).append(rule)
    groups = []
    for (output, columns), of_columns in members.items():
        norm = math.hypot(*(rule.coef for rule in of_columns))
        groups.append(RuleGroup(columns, of_columns[0].feature_names, norm, tuple(of_columns), output))
    return sorted(groups, key=lambda group: (outputs.index(group.output), -group.norm, group.feature_indices))
