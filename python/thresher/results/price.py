"""Answers about rules around the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..formatting.numbers import format_count
from .coverage import coverage_of

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
    term : Rule or Pattern
        The rule or pattern asked about; its coefficient is 0 where it is not in the model.
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
    n_rows : int
        Training rows in the rule.
    support : float
        Their fraction of the training weight.
    in_model : bool
        Whether the model uses this rule or one with the same training rows.
    exclusion_reason : str, default=""
        The parameter that leaves the rule out whatever its correlation, in words.
    is_listed : bool, default=True
        Whether, if it is in the model, the model lists this rule itself and not only one with
        the same training rows.
    effect : str, default="prediction"
        What the coefficients add up to: the prediction, or the log-odds of a class.
    """

    term: Rule | Pattern
    correlation: float
    threshold: float
    ratio: float
    alpha: float
    entry_alpha: float
    gain: float
    n_rows: int
    support: float
    in_model: bool
    exclusion_reason: str = ""
    is_listed: bool = True
    effect: str = "prediction"

    @classmethod
    def from_answer(
        cls,
        term: Rule | Pattern,
        answer: Mapping[str, Any],
        exclusion_reason: str,
        is_listed: bool,
        effect: str,
    ) -> Price:
        """Read the core's answer.

        Parameters
        ----------
        term : Rule or Pattern
            What was asked about.
        answer : mapping
            As the core wrote it.
        exclusion_reason : str
            What leaves it out, if anything does.
        is_listed : bool
            Whether the model lists it in this form.
        effect : str
            What the coefficients add up to.

        Returns
        -------
        Price
            The answer in words.
        """
        same = ("correlation", "threshold", "ratio", "alpha", "gain", "in_model")
        return cls(
            term,
            entry_alpha=answer["ratio"] * answer["alpha"],
            exclusion_reason=exclusion_reason,
            is_listed=is_listed,
            effect=effect,
            **coverage_of(answer),
            **{name: answer[name] for name in same},
        )

    def __repr__(self) -> str:
        """Say it in a line."""
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        """Say it in a sentence."""
        rows = format_count(self.n_rows)
        if self.in_model:
            coef = f"{self.term.coef:+.4g}"
            if not self.is_listed:
                return (
                    f"'{self.term.text}' holds for the same {rows} training rows as one of the model "
                    f"with coefficient {coef}; on new data that one decides"
                )
            return f"'{self.term.text}' is in the model with coefficient {coef} ({rows} rows)"
        if self.n_rows == 0:
            return f"'{self.term.text}' holds for no training row"
        if self.exclusion_reason:
            return f"'{self.term.text}' can have no coefficient: {self.exclusion_reason}"
        way = "raise" if self.correlation > 0 else "lower"
        return (
            f"'{self.term.text}' is not in the model: its correlation with what is left to explain is "
            f"{abs(self.correlation):.4g}, {self.ratio:.0%} of the {self.threshold:.4g} needed "
            f"({rows} rows); it would {way} the {self.effect} "
            f"and could enter below alpha = {self.entry_alpha:.4g}"
        )


@dataclass(frozen=True, repr=False)
class NearTie:
    """A rule that almost entered the model.

    Parameters
    ----------
    term : Rule or Pattern
        The rule or pattern, with coefficient 0.
    correlation : float
        Its correlation with what is left to explain, as in :class:`Price`.
    threshold : float
        What the correlation's size would have had to reach.
    ratio : float
        |correlation| / threshold, below 1.
    """

    term: Rule | Pattern
    correlation: float
    threshold: float
    ratio: float

    @property
    def n_rows(self) -> int:
        """Training rows that it holds for."""
        return self.term.n_rows

    @property
    def support(self) -> float:
        """Their fraction of the training weight."""
        return self.term.support

    def __repr__(self) -> str:
        """Say it in a line."""
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.ratio:.2%} of the threshold: {self.term.text} ({format_count(self.n_rows)} rows)"
