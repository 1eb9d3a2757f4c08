"""Rules: conjunctions of conditions with their coefficients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..data.columns import Level
from ..formatting.numbers import adjacent_number, format_count, format_number
from ..formatting.quoting import quote_category, quote_name
from ..formatting.text import format_level
from .coverage import coverage_of
from .equivalents import MOST_RULES, more_equivalents_text
from .payloads import ConditionPayload, FeaturePayload, RulePayload
from .rule_view import RuleView


@dataclass(frozen=True, repr=False)
class Condition:
    """A condition on one column.

    A condition is exactly one of: an interval ``lower < x <= upper`` (one end may be
    infinite; never true for a missing value or a special code), a category or special code,
    or missingness. Of a column with special codes both ends may be infinite: x is a number.

    Parameters
    ----------
    feature_index : int
        The column's position.
    feature_name : str
        The column's name.
    lower, upper : float, default=-inf, inf
        The interval's ends, in the user's units.
    category : bool, int, float, str or None, default=None
        The category, or the special code of a column of numbers.
    negated : bool, default=False
        Whether the category is excluded rather than required.
    missing : bool or None, default=None
        True: the value is missing. False: the value is not missing.
    codes : tuple of float, default=()
        Special codes of the column: those between the ends, which are not in the interval, or
        those that count as missing.

    Examples
    --------
    >>> from thresher import Condition
    >>> Condition(0, "age", lower=30.5).text
    'age > 30.5'
    >>> Condition(0, "age", upper=30.5, codes=(-9.0, -8.0)).text
    'age <= 30.5 (not in {-9, -8})'
    >>> Condition(1, "color", category="red", negated=True).text
    'color != red'
    >>> Condition(1, "income > 0", category="yes and no").text
    "'income > 0' = 'yes and no'"
    """

    feature_index: int
    feature_name: str
    lower: float = -math.inf
    upper: float = math.inf
    category: Level | None = None
    negated: bool = False
    missing: bool | None = None
    codes: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """The text of the condition; names and categories that could be misread are in quotes."""
        name = quote_name(self.feature_name)
        if self.missing is not None:
            return f"{name} is {'' if self.missing else 'not '}missing{self._codes_text('or')}"
        if self.category is not None:
            return f"{name} {'!=' if self.negated else '='} {quote_category(format_level(self.category))}"
        return self._interval_text() + self._codes_text("not")

    def _interval_text(self) -> str:
        name = quote_name(self.feature_name)
        (low, is_above), (high, is_below) = adjacent_number(self.lower), adjacent_number(self.upper)
        below = f"{'<' if is_below else '<='} {high}"
        if math.isinf(self.lower):
            return f"{name} {'is a number' if math.isinf(self.upper) else below}"
        if math.isinf(self.upper):
            return f"{name} {'>=' if is_above else '>'} {low}"
        return f"{low} {'<=' if is_above else '<'} {name} {below}"

    def _codes_text(self, word: str) -> str:
        codes = ", ".join(map(format_number, self.codes))
        if not codes:
            return ""
        return f" ({word} {codes})" if len(self.codes) == 1 else f" ({word} in {{{codes}}})"

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f"{type(self).__name__}({self.text})"

    def excludes(self, other: Condition) -> bool:
        """Return whether two conditions on one column exclude each other.

        Parameters
        ----------
        other : Condition
            The other condition or rule.

        Returns
        -------
        bool
            False also for conditions on different columns.

        Examples
        --------
        >>> from thresher import Condition
        >>> Condition(0, "age", upper=30.0).excludes(Condition(0, "age", lower=30.0))
        True
        """
        if self.feature_index != other.feature_index:
            return False
        if self.missing is not None or other.missing is not None:
            absent, there = (self, other) if self.missing else (other, self)
            return absent.missing is True and there.missing is not True and not there.negated
        if self.category is not None or other.category is not None:
            same = self.category == other.category
            return same == (self.negated != other.negated) and not (self.negated and other.negated)
        return max(self.lower, other.lower) >= min(self.upper, other.upper)

    def to_payload(self) -> ConditionPayload:
        """Serialise the condition for the core.

        Returns
        -------
        ConditionPayload
            The entry of a model document.
        """
        if self.missing is not None:
            return {"feature": self.feature_index, "missing": self.missing}
        if self.category is not None:
            return {"feature": self.feature_index, "category": self.category, "negated": self.negated}
        return {
            "feature": self.feature_index,
            "lower": None if math.isinf(self.lower) else self.lower,
            "upper": None if math.isinf(self.upper) else self.upper,
        }

    @classmethod
    def from_payload(cls, payload: ConditionPayload, features: Sequence[FeaturePayload]) -> Condition:
        """Read a condition of a model document.

        Parameters
        ----------
        payload : ConditionPayload
            The document's entry.
        features : list of FeaturePayload
            The columns.

        Returns
        -------
        Condition
            The condition, with the column's name.
        """
        feature = payload["feature"]
        name, special = features[feature]["name"], features[feature].get("special", ())
        if "missing" in payload and payload["missing"] is not None:
            unseen = tuple(code["value"] for code in special if not code["seen"])
            return cls(feature, name, missing=payload["missing"], codes=unseen)
        if "category" in payload and payload["category"] is not None:
            return cls(
                feature, name, category=payload["category"], negated=bool(payload.get("negated", False))
            )
        low, high = payload.get("lower"), payload.get("upper")
        lower, upper = -math.inf if low is None else low, math.inf if high is None else high
        inside = tuple(code["value"] for code in special if lower < code["value"] <= upper)
        return cls(feature, name, lower=lower, upper=upper, codes=inside)


@dataclass(frozen=True, repr=False)
class Rule:
    """A conjunction of conditions with its coefficient.

    Parameters
    ----------
    conditions : tuple of Condition
        The conditions, at most one for each column.
    coef : float, default=0
        The effect on the prediction where the rule holds, in units of the target (regression)
        or of the decision function (log-odds for the logistic loss).
    n_rows : int, default=0
        Number of training rows for which the rule holds.
    support : float, default=0
        Their fraction of the training weight, between 0 and 1.
    output : object, default=None
        The class or the number of the target, where a model has more than one.
    closure : tuple of Condition, default=()
        The tightest box with the same training rows.
    equivalents : tuple of Rule, default=()
        Other rules with the same training rows: at most 5; there may be more.

    Examples
    --------
    >>> from thresher import Condition, Rule
    >>> rule = Rule((Condition(0, "age", lower=30.5), Condition(1, "bmi", upper=25.2)), coef=0.5)
    >>> rule.text
    'age > 30.5 and bmi <= 25.2'
    """

    conditions: tuple[Condition, ...]
    coef: float = 0.0
    n_rows: int = 0
    support: float = 0.0
    output: Any = None
    closure: tuple[Condition, ...] = field(default=(), compare=False, repr=False)
    equivalents: tuple[Rule, ...] = field(default=(), compare=False, repr=False)

    @property
    def text(self) -> str:
        """The text of the rule; ``always`` without conditions."""
        return " and ".join(condition.text for condition in self.conditions) or "always"

    @property
    def length(self) -> int:
        """Number of conditions."""
        return len(self.conditions)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of its conditions, in the order of the table."""
        names = {condition.feature_index: condition.feature_name for condition in self.conditions}
        return tuple(names[column] for column in sorted(names))

    @property
    def importance(self) -> float:
        """|coef| sqrt(s (1 - s)), s the support: the standard deviation of its effect."""
        return abs(self.coef) * math.sqrt(max(0.0, self.support * (1 - self.support)))

    def __str__(self) -> str:
        """Return the text."""
        return self.text

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f"{type(self).__name__}({self.describe()})"

    def is_complement(self, other: Rule) -> bool:
        """Return whether two rules of one condition are complements on the training rows.

        Parameters
        ----------
        other : Rule
            The other condition or rule.

        Returns
        -------
        bool
            True if each training row is in exactly one of the rules.
        """
        single = len(self.conditions) == len(other.conditions) == 1
        whole = math.isclose(self.support + other.support, 1.0, rel_tol=1e-9)
        return single and whole and self.conditions[0].excludes(other.conditions[0])

    def tightest(self) -> Rule:
        """Return the rule with the closure as conditions: the tightest box with the same training rows.

        Returns
        -------
        Rule
            The rule whose conditions are the closure.
        """
        return replace(self, conditions=self.closure or self.conditions)

    def describe(self) -> str:
        """Describe the rule in one line.

        Returns
        -------
        str
            Coefficient, text and support, and whether 5 or more other rules have the same rows.
        """
        more = more_equivalents_text(len(self.equivalents), MOST_RULES, "rows")
        return f"{self.coef:+.4g} if {self.text} ({format_count(self.n_rows)} rows, {self.support:.1%}{more})"


def rule_from_payload(payload: RulePayload, coef: float, document: RuleView, output: Any = None) -> Rule:
    """Read a rule of a model document.

    Parameters
    ----------
    payload : RulePayload
        The document's entry.
    coef : float
        Its coefficient at the chosen point.
    document : RuleView
        The model, for the columns.
    output : object, optional
        The class or target.

    Returns
    -------
    Rule
        The rule with its closure and equivalents.
    """
    intervals = document.intervals

    def condition(entry: ConditionPayload) -> Condition:
        if "lower" not in entry:
            return Condition.from_payload(entry, document.features)
        key = (entry["feature"], entry["lower"], entry["upper"])
        found = intervals.get(key)
        if found is None:
            found = intervals[key] = Condition.from_payload(entry, document.features)
        return found

    def read(conditions: Sequence[ConditionPayload]) -> tuple[Condition, ...]:
        return tuple(map(condition, conditions))

    given: dict[str, Any] = {"coef": float(coef), "output": output, **coverage_of(payload)}
    others = tuple(Rule(read(other), **given) for other in payload["equivalents"])
    return Rule(read(payload["pattern"]), closure=read(payload["closure"] or []), equivalents=others, **given)


def active_rules(document: RuleView, points: Sequence[int], labels: Sequence[Any]) -> list[Rule]:
    """List the rules of the chosen points.

    Parameters
    ----------
    document : RuleView
        The model.
    points : list of int
        The selected point of each output.
    labels : list
        A label for each output; None where there is one output only.

    Returns
    -------
    list of Rule
        Output by output, ordered by columns and bounds: the columns of ``transform``.
    """
    return [
        rule_from_payload(document.outputs[output]["terms"][index], coef, document, label)
        for output, (rules, label) in enumerate(zip(document.active(points), labels, strict=True))
        for index, coef in rules
    ]
