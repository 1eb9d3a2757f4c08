"""Certificates of best subsets: what is proven of exchanges, and a lower bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..formatting.numbers import format_count
from .certificate_parts import PrintedCertificate, combined


@dataclass(frozen=True, repr=False)
class SubsetCertificate(PrintedCertificate):
    """What is proven of a best subset of the candidates.

    Best subsets of very many candidates are found by a local search. Two statements are proven over all
    candidates: that no exchange of a term improves the subset, and a lower bound on the objective of every
    model that costs no more. A term costs 1 + `penalty_growth` (length - 1), a linear one `linear_penalty`; a
    candidate and its complement count as one.

    Parameters
    ----------
    primal : float
        The model's objective: mean loss + ridge penalty. With several outputs, the sum over them.
    dual : float
        A lower bound on the objective of every model that costs no more; 0 where there is none.
    gap : float
        The difference primal - dual: no model that costs as much is better by more. The optimum is often near
        the primal.
    relative_gap : float
        The gap divided by the primal; with several outputs the largest of them.
    ridge : float
        The ridge penalty; with several outputs the largest of them.
    is_swap_optimal : bool
        Whether it is proven that no exchange of a term for any candidate, all coefficients fitted anew,
        lowers the objective plus ``alpha_`` times the cost; so none of no greater cost lowers the
        objective. With a number `alpha` no addition and no removal does either. Linear terms stay as they
        are. Proven of the model that a fit selects, not of the others on its path.
    n_terms : int
        The number of terms, linear ones included.
    n_candidates : int
        The exact number of candidates, linear terms not included.
    nodes : int
        Number of nodes of the search tree that were visited.
    searches : int
        Number of searches of the tree.
    seconds : float
        Wall time of the fit or of the verification, in seconds.
    complete : bool
        Whether the search ended by itself, not by a limit on time.
    outputs : tuple of SubsetCertificate, default=()
        One for each output where there are several.
    candidate_noun : str, default="rules"
        The noun for the candidates, in the plural.
    n_compared : int or None, default=None
        The number of sizes among which the fit chose, with several outputs the least of them; None where the
        size was given, or a file does not say. It does not count in comparisons.

    Examples
    --------
    >>> from thresher import SubsetCertificate
    >>> print(SubsetCertificate(0.1, 0.06, 0.04, 0.4, 0.1, True, 10, 482000, 10003094, 41, 1.1, True))
    swap-optimal (proven): no exchange of one term for another of 482,000 rules, at no greater cost, \
lowers the objective 0.1; lower bound for all models of this cost 0.06 (gap 40 %); 41 searches over \
10,003,094 nodes in 1.10 s
    """

    _fields = (
        "primal",
        "dual",
        "gap",
        "relative_gap",
        "ridge",
        "n_terms",
        "n_candidates",
        "nodes",
        "searches",
        "seconds",
    )

    primal: float
    dual: float
    gap: float
    relative_gap: float
    ridge: float
    is_swap_optimal: bool
    n_terms: int
    n_candidates: int
    nodes: int
    searches: int
    seconds: float
    complete: bool
    outputs: tuple[SubsetCertificate, ...] = ()
    candidate_noun: str = "rules"
    n_compared: int | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Return a one-line description with rounded numbers."""
        return (
            f"SubsetCertificate(primal={self.primal:.6g}, dual={self.dual:.6g}, "
            f"relative_gap={self.relative_gap:.2g}, ridge={self.ridge:g}, "
            f"is_swap_optimal={self.is_swap_optimal}, n_terms={self.n_terms}, "
            f"n_candidates={format_count(self.n_candidates)}, complete={self.complete})"
        )

    def __str__(self) -> str:
        """Return a sentence."""
        bound = "no lower bound is known"
        if self.dual > 0 or self.gap == 0:
            percent = 100 * self.relative_gap
            gap = f"{percent:.0f} %" if percent >= 1 else f"{percent:.1g} %"
            bound = f"lower bound for all models of this cost {self.dual:.4g} (gap {gap})"
        stopped = "" if self.complete else "stopped by a limit: "
        return f"{stopped}{self._exchanges()}; {bound}; {self._work()}"

    def _exchanges(self) -> str:
        """Return what is known of exchanges."""
        if self.n_terms == 0:
            return f"a model without terms has the objective {self.primal:.4g}"
        candidates = f"{format_count(self.n_candidates)} {self.candidate_noun}, at no greater cost,"
        end = f"the objective {self.primal:.4g}"
        if self.is_swap_optimal:
            return f"swap-optimal (proven): no exchange of one term for another of {candidates} lowers {end}"
        unproven = (
            f"not proven swap-optimal: an exchange of one term for another of {candidates} may lower {end}"
        )
        if not self.complete:
            return unproven
        if self.dual > 0:  # of other models on a path no bound is computed
            return f"{unproven} (this proof is shorter with ridge > {self.ridge:g} or fewer candidates)"
        return f"{unproven} (proofs are for the selected model alone)"


def subset_certificate_of(
    points: Sequence[Mapping[str, Any]],
    n_candidates: int,
    candidate_noun: str = "rules",
    n_compared: Sequence[int] | None = None,
) -> SubsetCertificate:
    """Combine the certificates of the outputs of a model.

    Parameters
    ----------
    points : list of mapping
        The selected point of each output, all with a ``subset``.
    n_candidates : int
        The number of candidates.
    candidate_noun : str, default="rules"
        The noun for the candidates.
    n_compared : sequence of int, optional
        The number of sizes among which the fit chose, for each output.

    Returns
    -------
    SubsetCertificate
        Sums over the outputs (a sum of separate problems is one problem), with the largest relative gap.
    """
    counts = [None] * len(points) if n_compared is None else n_compared
    parts = tuple(
        _certificate(point, n_candidates, candidate_noun, count)
        for point, count in zip(points, counts, strict=True)
    )
    return combined(
        parts,
        sums=("primal", "dual", "gap", "n_terms", "nodes", "searches"),
        largest=("relative_gap", "ridge", "seconds"),
        every=("is_swap_optimal", "complete"),
        n_compared=None if n_compared is None else min(n_compared),
    )


def _certificate(
    point: Mapping[str, Any], n_candidates: int, candidate_noun: str, n_compared: int | None
) -> SubsetCertificate:
    return SubsetCertificate(
        primal=float(point["primal"]),
        dual=float(point["dual"]),
        gap=float(point["gap"]),
        relative_gap=float(point["relative_gap"]),
        ridge=float(point["subset"]["ridge"]),
        is_swap_optimal=bool(point["subset"]["is_swap_optimal"]),
        n_terms=n_terms_of(point),
        n_candidates=n_candidates,
        nodes=int(point["nodes"]),
        searches=int(point["searches"]),
        seconds=float(point["seconds"]),
        complete=bool(point["complete"]),
        candidate_noun=candidate_noun,
        n_compared=n_compared,
    )


def n_terms_of(point: Mapping[str, Any]) -> int:
    """Count the terms of a point, linear ones included.

    Parameters
    ----------
    point : mapping
        A point of a path.

    Returns
    -------
    int
        The number of terms.

    Examples
    --------
    >>> n_terms_of({"terms": [[0, 1.5]], "linear": []})
    1
    """
    return len(point["terms"]) + len(point.get("linear", []))


def ridge_of(point: Mapping[str, Any]) -> float | None:
    """Return the ridge penalty of a point; None of an L1 solution.

    Parameters
    ----------
    point : mapping
        A point of a path.

    Returns
    -------
    float or None
        The ridge penalty.

    Examples
    --------
    >>> ridge_of({"subset": {"ridge": 0.1, "is_swap_optimal": True}}), ridge_of({})
    (0.1, None)
    """
    subset = point.get("subset")
    return None if subset is None else float(subset["ridge"])
