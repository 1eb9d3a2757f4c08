"""Answers about rules around the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .pattern import Pattern
    from .rule import Rule


@dataclass(frozen=True, repr=False)
class Price:
    """Why a rule is in the model, or what it lacks.

    With r_i = -d loss / d f the pull of row i at the solution and v_i its weight (mean
    1), the correlation of a rule R is (1/n) sum_{i in R} v_i r_i. R can have a
    coefficient only if the size of its correlation reaches alpha * c, c = 1 +
    `penalty_growth` (length - 1). With ``group_sparsity=tau`` it is tau alpha c for a rule
    without a coefficient whose columns have other rules; for columns without a rule it
    stays alpha c, what the rule would need by itself.

    Parameters
    ----------
    rule : Rule or Pattern
        The rule asked about; its coefficient is 0 where it is not in the model.
    correlation : float
        As above; positive if the rule would raise the prediction.
    threshold : float
        What its size must reach.
    ratio : float
        |correlation| / threshold in the directions allowed; 1 for a rule in the model.
    alpha : float
        The model's strength.
    entry_alpha : float
        The strength below which the rule would enter if nothing else moved.
    gain : float
        How far the objective could fall at most if the rule came in alone.
    support : int
        Training rows in the rule.
    share : float
        Their share of the training weight.
    in_model : bool
        Whether the model uses this rule or one with the same training rows.
    ruled_out : str, default=""
        The parameter that leaves the rule out whatever its correlation, in words.
    shown : bool, default=True
        Whether, if it is in the model, the model uses this rule itself.
    """

    rule: Rule | Pattern
    correlation: float
    threshold: float
    ratio: float
    alpha: float
    entry_alpha: float
    gain: float
    support: int
    share: float
    in_model: bool
    ruled_out: str = ""
    shown: bool = True

    @classmethod
    def from_answer(
        cls, rule: Rule | Pattern, answer: Mapping[str, Any], ruled_out: str, shown: bool
    ) -> Price:
        """Read the core's answer.

        Parameters
        ----------
        rule : Rule or Pattern
            What was asked about.
        answer : mapping
            As the core wrote it.
        ruled_out : str
            What leaves it out, if anything does.
        shown : bool
            Whether the model shows it in this form.

        Returns
        -------
        Price
            The answer in words.
        """
        same = ("correlation", "threshold", "ratio", "alpha", "gain", "support", "in_model")
        return cls(
            rule,
            entry_alpha=answer["ratio"] * answer["alpha"],
            share=answer["weight"],
            ruled_out=ruled_out,
            shown=shown,
            **{name: answer[name] for name in same},
        )

    def __repr__(self) -> str:
        """Say it in a line."""
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        """Say it in a sentence."""
        if self.in_model:
            coef = f"{self.rule.coef:+.4g}"
            if not self.shown:
                return (
                    f"'{self.rule.text}' holds for the same {self.support} training rows as one of the model "
                    f"with coefficient {coef}; on new data that one decides"
                )
            return f"'{self.rule.text}' is in the model with coefficient {coef} ({self.support} rows)"
        if self.support == 0:
            return f"'{self.rule.text}' holds for no training row"
        if self.ruled_out:
            return f"'{self.rule.text}' can have no coefficient: {self.ruled_out}"
        way = "raise" if self.correlation > 0 else "lower"
        return (
            f"'{self.rule.text}' is not in the model: its correlation with what is left to explain is "
            f"{abs(self.correlation):.4g}, {self.ratio:.0%} of the {self.threshold:.4g} needed "
            f"({self.support} rows); it would {way} the prediction "
            f"and could enter below alpha = {self.entry_alpha:.4g}"
        )


@dataclass(frozen=True, repr=False)
class NearTie:
    """A rule that almost entered the model.

    Parameters
    ----------
    rule : Rule or Pattern
        The rule, with coefficient 0.
    correlation : float
        Its correlation with what is left to explain, as in :class:`Price`.
    threshold : float
        What the correlation's size would have had to reach.
    ratio : float
        |correlation| / threshold, below 1.
    """

    rule: Rule | Pattern
    correlation: float
    threshold: float
    ratio: float

    def __repr__(self) -> str:
        """Say it in a line."""
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.ratio:.2%} of the threshold: {self.rule.text} ({self.rule.support} rows)"
