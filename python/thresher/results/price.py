"""Results of queries about candidates near the optimum."""

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
    """The correlation of a candidate with the residual and its threshold, in the manner of reduced costs.

    With r_i = -d loss / d f the residual of row i at the solution and v_i its sample
    weight (mean 1), the correlation of a rule R is (1/n) sum_{i in R} v_i r_i. R can
    have a non-zero coefficient only if the absolute correlation reaches alpha * c, c =
    1 + `penalty_growth` (length - 1). With ``group_sparsity=tau`` the threshold is tau
    alpha c for a rule outside the model whose columns have other rules in the model;
    for other columns it remains alpha c, the threshold of the rule alone.

    Parameters
    ----------
    term : Rule or Pattern
        The rule or pattern; its coefficient is that of the model, 0 if it is not in it.
    correlation : float
        The correlation with the residual; positive if the rule would raise the prediction.
    threshold : float
        The threshold for the absolute correlation.
    ratio : float
        |correlation| / threshold in the allowed directions; 1 for a rule in the model, 0 or less where
        `positive` or `monotonic_cst` forbids a coefficient of the sign of the correlation.
    alpha : float
        The regularisation strength of the model.
    entry_alpha : float
        The strength below which the rule would enter if the residual did not change; 0: at none.
    gain : float
        An upper bound on the decrease of the objective if only this rule were added.
    n_rows : int
        Number of training rows of weight above 0 for which the rule holds: what `min_support` limits.
    support : float
        Their fraction of the training weight.
    in_model : bool
        Whether the model uses this rule or one with the same training rows.
    exclusion_reason : str, default=""
        Why a parameter excludes the rule, or a coefficient of the sign that its correlation asks for.
    is_listed : bool, default=True
        For a rule in the model: whether the model lists this rule itself, not only one
        with the same training rows.
    listed_as : tuple of str, default=()
        The text of that one; of several, where others have its coefficient and as many rows.
    effect : str, default="prediction"
        The name of the sum of the terms: the prediction, or the log-odds of a class.
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
    listed_as: tuple[str, ...] = ()
    effect: str = "prediction"

    @classmethod
    def from_answer(
        cls,
        term: Rule | Pattern,
        answer: Mapping[str, Any],
        exclusion_reason: str,
        is_listed: bool,
        listed_as: tuple[str, ...],
        effect: str,
    ) -> Price:
        """Create the result from the core's answer.

        Parameters
        ----------
        term : Rule or Pattern
            The rule or pattern.
        answer : mapping
            The answer of the core.
        exclusion_reason : str
            Why it is excluded, if it is.
        is_listed : bool
            Whether the model lists this form of it.
        listed_as : tuple of str
            The texts of what it lists instead.
        effect : str
            The name of the sum of the terms.

        Returns
        -------
        Price
            The result.
        """
        same = ("correlation", "threshold", "ratio", "alpha", "gain", "in_model")
        return cls(
            term,
            entry_alpha=max(answer["ratio"], 0.0) * answer["alpha"],
            exclusion_reason=exclusion_reason,
            is_listed=is_listed,
            listed_as=listed_as,
            effect=effect,
            **coverage_of(answer),
            **{name: answer[name] for name in same},
        )

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        """Return a sentence."""
        rows, subject = format_count(self.n_rows), _in_quotes(self.term.text)
        if self.in_model:
            coef = f"{self.term.coef:+.4g}"
            if not self.is_listed:
                other = " or ".join(map(_in_quotes, self.listed_as)) or "one"
                return (
                    f"{subject} holds for the same {rows} training rows as {other} of the model "
                    f"with coefficient {coef}; on new data that one decides"
                )
            return f"{subject} is in the model with coefficient {coef} ({rows} rows)"
        if self.n_rows == 0:
            return f"{subject} holds for no training row"
        if self.exclusion_reason:
            return f"{subject} can have no coefficient: {self.exclusion_reason}"
        if self.correlation == 0:
            return f"{subject} is not in the model: its correlation with the residual is 0 ({rows} rows)"
        verb = "raise" if self.correlation > 0 else "lower"
        return (
            f"{subject} is not in the model: its correlation with the residual is "
            f"{abs(self.correlation):.4g}, {self.ratio:.0%} of the {self.threshold:.4g} needed "
            f"({rows} rows); it would {verb} the {self.effect} "
            f"and could enter below alpha = {self.entry_alpha:.4g}"
        )


def _in_quotes(text: str) -> str:
    return f'"{text}"' if "'" in text else f"'{text}'"


@dataclass(frozen=True, repr=False)
class NearTie:
    """A rule that almost entered the model.

    Parameters
    ----------
    term : Rule or Pattern
        The rule or pattern, with coefficient 0.
    correlation : float
        Its correlation with the residual, as in :class:`Price`.
    threshold : float
        The threshold for the absolute correlation.
    ratio : float
        |correlation| / threshold, below 1.
    """

    term: Rule | Pattern
    correlation: float
    threshold: float
    ratio: float

    @property
    def n_rows(self) -> int:
        """Number of training rows for which it holds."""
        return self.term.n_rows

    @property
    def support(self) -> float:
        """Their fraction of the training weight."""
        return self.term.support

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f"{type(self).__name__}({self})"

    def __str__(self) -> str:
        """Return a one-line description."""
        return f"{self.ratio:.2%} of the threshold: {self.term.text} ({format_count(self.n_rows)} rows)"
