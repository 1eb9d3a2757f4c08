"""Certificates of models with an L0 penalty: a lower bound on the objective of every model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..formatting.numbers import format_gap
from .certificate_parts import PrintedCertificate, combined

_OPTIMAL = 1e-6  # relative gap below which a model counts as optimal
_ROUNDING = 1e-12  # gap that is rounding, relative to the objective of the best constant
_NEEDS = {
    "step": "ridge > 0, and cut points among those of the fit",
    "coefficient": (
        "lambda2 > 0, bounds on every coefficient, or more rows than columns that neither nearly depend on "
        "each other nor separate the classes, with gap_tol=0 where there are many"
    ),
}


@dataclass(frozen=True, repr=False)
class L0Certificate(PrintedCertificate):
    """A lower bound on the objective of every model with an L0 penalty.

    With P the objective of the model (a sum of losses and penalties) and D the lower
    bound, the optimum lies between D and P. Linear models: a bound needs `lambda2` > 0, `bounds` on every
    coefficient, or more rows than columns that neither nearly depend on each other nor separate the classes.
    Additive models: `ridge` > 0, or `lambda2` > 0 where every column is ordered and has no missing values.

    Parameters
    ----------
    primal : float
        P, the model's objective. With several outputs, the sum over them.
    dual : float
        D, a lower bound on the objective of every model; -inf if there is none.
    null_objective : float
        The objective of the best constant; inf of a linear model without a bound.
    lambda0 : float
        The penalty for each term; with several outputs the largest of them.
    seconds : float
        Wall time of the fit or of the verification, in seconds.
    complete : bool
        Whether the search ended by itself, not by a limit.
    n_nodes : int, default=1
        Number of nodes of the branch and bound: 1 for the bound without branching.
    outputs : tuple of L0Certificate, default=()
        One for each output where there are several.
    term_noun : {"step", "coefficient"}, default="step"
        What lambda0 is the price of.
    has_ridge : bool, default=False
        Whether there is a ridge penalty, so that an additive model lacks a bound only where a limit ended the
        search before it. It does not count in comparisons.
    of_path : bool, default=False
        Whether it is of a linear model at a point of a path for which no bound was computed. It does not
        count in comparisons.

    Examples
    --------
    >>> from thresher import L0Certificate
    >>> print(L0Certificate(4300.0, 4253.0, 4600.0, 10.0, 0.1, True))
    no model has an objective below 4253; the gap is 1.1 % of the objective, 16 % of the improvement over \
the best constant, the price of 4.7 steps
    >>> print(L0Certificate(4300.0, float("-inf"), 4600.0, 10.0, 0.1, True))
    no lower bound: it needs ridge > 0, and cut points among those of the fit
    """

    _fields = ("primal", "dual", "gap", "relative_gap", "improvement_gap", "term_gap", "n_nodes", "seconds")

    primal: float
    dual: float
    null_objective: float
    lambda0: float
    seconds: float
    complete: bool
    n_nodes: int = 1
    outputs: tuple[L0Certificate, ...] = ()
    term_noun: str = "step"
    has_ridge: bool = field(default=False, compare=False)
    of_path: bool = field(default=False, compare=False)

    @property
    def has_bound(self) -> bool:
        """Whether there is a lower bound."""
        return math.isfinite(self.dual)

    @property
    def gap(self) -> float:
        """P - D; inf without a bound."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """(P - D) / P, 0 where the gap is rounding; with several outputs the largest of them."""
        if self.outputs:
            return max(part.relative_gap for part in self.outputs)
        if self.has_bound and self.gap <= _ROUNDING * self.null_objective:
            return 0.0
        return _ratio(self.gap, self.primal)

    @property
    def is_optimal(self) -> bool:
        """Whether the relative gap is at most 1e-6."""
        return self.relative_gap <= _OPTIMAL

    @property
    def improvement_gap(self) -> float:
        """P - D as a fraction of the improvement of the model over the best constant."""
        return _ratio(self.gap, self.null_objective - self.primal)

    @property
    def term_gap(self) -> float:
        """P - D in units of lambda0: the number of steps or coefficients that cost as much."""
        if self.outputs:
            return sum(part.term_gap for part in self.outputs)
        return _ratio(self.gap, self.lambda0)

    def __repr__(self) -> str:
        """Return a one-line description with rounded numbers."""
        return (
            f"L0Certificate(primal={self.primal:.6g}, dual={self.dual:.6g}, "
            f"relative_gap={self.relative_gap:.1e}, improvement_gap={self.improvement_gap:.1e}, "
            f"term_gap={self.term_gap:.2g}, n_nodes={self.n_nodes}, complete={self.complete})"
        )

    def __str__(self) -> str:
        """Return a sentence."""
        if not self.has_bound:
            return f"no lower bound: {self._why_none()}"
        if self.is_optimal:
            return f"optimal, relative gap {self.relative_gap:.1e}"
        parts = [f"the gap is {format_gap(self.relative_gap)} of the objective"]
        if math.isfinite(self.improvement_gap):
            parts.append(f"{_times(self.improvement_gap)} the improvement over the best constant")
        if math.isfinite(self.term_gap):
            parts.append(f"the price of {self.term_gap:.2g} {self.term_noun}s")
        return f"no model has an objective below {self.dual:.6g}; {', '.join(parts)}"

    def _why_none(self) -> str:
        """Say why there is no bound."""
        if self.of_path:
            return "only the model that a fit selects has one; this point of a path needs a fit of its own"
        if self.has_ridge and self.term_noun == "step":
            return "the search ended at a limit before it; verify computes one, more time a better one"
        if self.has_ridge and not self.complete:
            return "the search ended at a limit before it; give more time"
        return f"it needs {_NEEDS[self.term_noun]}"


def _times(fraction: float) -> str:
    return f"{format_gap(fraction)} of" if fraction <= 1.0 else f"{fraction:.2g} times"


def _ratio(gap: float, size: float) -> float:
    """Return gap / size, 0 for a gap of 0."""
    if gap <= 0.0:
        return 0.0
    return gap / size if size > 0.0 and math.isfinite(gap) else math.inf


def l0_certificate(
    outputs: Sequence[Mapping[str, Any]], term_noun: str = "step", *, of_path: bool = False
) -> L0Certificate:
    """Combine the certificates of the outputs of a model.

    Parameters
    ----------
    outputs : list of mapping
        The selected point of each output, or the result of its verification.
    term_noun : {"step", "coefficient"}, default="step"
        What lambda0 is the price of.
    of_path : bool, default=False
        Whether a point is one of a path for which no bound was computed.

    Returns
    -------
    L0Certificate
        Sums over the outputs: separate problems are one problem.
    """
    parts = tuple(replace(_certificate(output, term_noun), of_path=of_path) for output in outputs)
    return combined(
        parts,
        sums=("primal", "dual", "null_objective", "n_nodes"),
        largest=("lambda0", "seconds"),
        every=("complete", "has_ridge"),
    )


def _certificate(output: Mapping[str, Any], term_noun: str) -> L0Certificate:
    bound = output.get("bound") or {}
    return L0Certificate(
        primal=float(output["objective"]),
        dual=float(bound.get("dual", -math.inf)),
        null_objective=float(output.get("null_objective", bound.get("null_objective", math.inf))),
        lambda0=float(output["lambda0"]),
        seconds=float(output.get("seconds", 0.0)),
        complete=bool(output["complete"]),
        # A document holds the nodes, a verification their number.
        n_nodes=int(bound.get("n_nodes", len(bound.get("tree", [])) or bool(bound))),
        term_noun=term_noun,
        has_ridge=output.get("ridge" if term_noun == "step" else "lambda2", 0.0) > 0.0,
    )
