"""Certificates of optimality: a duality gap over all candidates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from .. import _native
from ..address_space import is_limited
from ..fit_warnings import warn
from ..formatting.numbers import format_count
from ..formatting.quoting import replace_unquoted
from .certificate_parts import PrintedCertificate, combined
from .subset_certificate import SubsetCertificate, subset_certificate_of


@dataclass(frozen=True, repr=False)
class Certificate(PrintedCertificate):
    """A duality gap over all candidates.

    With P the objective (mean loss + alpha * penalty) and D the dual objective at a
    dual feasible point (no candidate violates its constraint), the optimum over all
    candidates lies between D and P.

    Parameters
    ----------
    primal : float
        P, the model's objective. With several outputs, the sum over them.
    dual : float
        D, a lower bound on the objective of every model.
    gap : float
        P - D.
    relative_gap : float
        (P - D) / P; with several outputs the largest of them.
    tol : float
        The tolerance on the relative gap.
    n_candidates : int
        The exact number of candidates.
    nodes : int
        Number of nodes of the search tree that were visited.
    searches : int
        Number of searches of the whole tree.
    seconds : float
        Wall time of the fit (of a point on a path: of that point; of a verification: of its search), in
        seconds.
    complete : bool
        Whether the gap `tol` was reached and every strength was tried; False if a limit
        on time, memory or iterations ended the fit.
    outputs : tuple of Certificate, default=()
        One for each output where there are several.
    candidate_noun : str, default="rules"
        The noun for the candidates, in the plural.
    is_relaxed : bool, default=False
        Whether the model's coefficients were relaxed: primal, dual and gap are then those of the L1
        solution that selected its terms.
    n_compared : int or None, default=None
        Number of strengths among which the fit chose, with several outputs the least of them; None where the
        strength was given, or a file does not say. It does not count in comparisons.

    Examples
    --------
    >>> from thresher import Certificate
    >>> print(Certificate(1.0, 0.9999997, 3e-07, 3e-07, 1e-6, 1326, 812, 7, 0.21, True))
    optimal among 1,326 rules, relative gap 3.0e-07, 7 searches over 812 nodes in 0.21 s
    """

    _fields = ("primal", "dual", "gap", "relative_gap", "tol", "n_candidates", "nodes", "searches", "seconds")

    primal: float
    dual: float
    gap: float
    relative_gap: float
    tol: float
    n_candidates: int
    nodes: int
    searches: int
    seconds: float
    complete: bool
    outputs: tuple[Certificate, ...] = ()
    candidate_noun: str = "rules"
    is_relaxed: bool = False
    n_compared: int | None = field(default=None, compare=False)

    @property
    def is_cut_short(self) -> bool:
        """Whether the gap was reached, but the time ran out before every strength was tried."""
        return not self.complete and self.relative_gap <= self.tol

    def __repr__(self) -> str:
        """Return a one-line description with rounded numbers."""
        return (
            f"Certificate(primal={self.primal:.6g}, dual={self.dual:.6g}, "
            f"relative_gap={self.relative_gap:.1e}, tol={self.tol:.0e}, "
            f"n_candidates={format_count(self.n_candidates)}, complete={self.complete})"
        )

    def __str__(self) -> str:
        """Return a sentence."""
        found = "optimal" if self.complete else f"stopped before the gap {self.tol:.0e} was reached"
        if self.is_cut_short:
            found = "optimal for its strength, with other strengths not fitted,"
            if self.n_compared:
                least = "at least " if len({output.n_compared for output in self.outputs}) > 1 else ""
                best = f"the best of {least}{self.n_compared} before the time was over"
                found = f"optimal for its strength, {best},"
        noun = self.candidate_noun.removesuffix("s") if self.n_candidates == 1 else self.candidate_noun
        return (
            f"{found} among {format_count(self.n_candidates)} {noun}, "
            f"relative gap {self.relative_gap:.1e}, {self._work()}"
            + ("; this is the L1 solution, whose coefficients were relaxed" if self.is_relaxed else "")
        )


def certificate_of(
    points: Sequence[Mapping[str, Any]],
    n_candidates: int,
    candidate_noun: str = "rules",
    n_compared: Sequence[int] | None = None,
) -> Any:
    """Combine the certificates of the outputs of a model.

    Parameters
    ----------
    points : list of mapping
        The selected solution of each output, or the result of its verification.
    n_candidates : int
        The number of candidates.
    candidate_noun : str, default="rules"
        The noun for the candidates.
    n_compared : sequence of int, optional
        The number of strengths among which the fit chose, for each output.

    Returns
    -------
    Certificate or SubsetCertificate
        Sums over the outputs (a sum of separate problems is one problem), with the largest relative gap.
    """
    if any(point.get("subset") is not None for point in points):
        return subset_certificate_of(points, n_candidates, candidate_noun, n_compared)
    counts = [None] * len(points) if n_compared is None else n_compared
    parts = tuple(
        _certificate(point, n_candidates, candidate_noun, count)
        for point, count in zip(points, counts, strict=True)
    )
    return combined(
        parts,
        sums=("primal", "dual", "gap", "nodes", "searches"),
        largest=("relative_gap", "tol", "seconds"),
        every=("complete",),
        is_relaxed=any(part.is_relaxed for part in parts),
        n_compared=None if n_compared is None else min(n_compared),
    )


def _certificate(
    point: Mapping[str, Any], n_candidates: int, candidate_noun: str, n_compared: int | None
) -> Certificate:
    return Certificate(
        primal=point["primal"],
        dual=point["dual"],
        gap=point["gap"],
        relative_gap=point["relative_gap"],
        tol=point["tol"],
        n_candidates=n_candidates,
        nodes=int(point["nodes"]),
        searches=int(point["searches"]) if "searches" in point else 1,
        seconds=float(point["seconds"]),
        complete=bool(point["complete"]),
        candidate_noun=candidate_noun,
        is_relaxed=point.get("relaxation") is not None,
        n_compared=n_compared,
    )


@contextmanager
def naming_parts(labels: Sequence[Any], columns: Sequence[str]) -> Iterator[None]:
    """Replace numbers of outputs and columns in an error message by their names.

    Parameters
    ----------
    labels : list
        A label for each output; ``[None]`` for a single one.
    columns : sequence of str
        The names of the columns; none where rows are records.

    Yields
    ------
    None
        The context of a ``with`` statement.
    """

    def named(found: re.Match[str]) -> str:
        if found["output"] is not None:
            return "" if len(labels) == 1 else f"{labels[int(found['output'])]!r}: "
        return f"column '{columns[int(found['column'])]}'" if columns else found[0]

    try:
        yield
    except _native.CertificateError as error:
        numbers = r"output (?P<output>\d+): |column (?P<column>\d+)\b"
        raise _native.CertificateError(replace_unquoted(numbers, named, str(error))) from None


def limits_met(
    params: Mapping[str, Any], seconds: float, own_limit: str, is_met: bool, n_outputs: int = 1
) -> list[str]:
    """Return the limits that ended a fit before its gap was reached.

    Parameters
    ----------
    params : mapping
        The estimator's parameters.
    seconds : float
        The time of the fit.
    own_limit : str
        The solver's own limit, besides time and memory.
    is_met : bool
        Whether the solver reached it.
    n_outputs : int, default=1
        Number of outputs. Each has a share of the time, which may be over before that of the fit.

    Returns
    -------
    list of str
        The parameters; none if rounding errors prevent a smaller gap.

    Examples
    --------
    >>> limits_met({"time_limit": 2.0, "memory_limit": None}, 2.01, "max_iter", False)
    ['time_limit']
    """
    n_shares = 1 if is_met else n_outputs
    late = params["time_limit"] is not None and seconds >= params["time_limit"] / n_shares
    found = [name for name, hit in (("time_limit", late), (own_limit, is_met)) if hit]
    has_memory_limit = params["memory_limit"] is not None or is_limited()
    return found or (["memory_limit"] if has_memory_limit else [])


def warn_if_incomplete(
    certificate: Certificate | SubsetCertificate,
    limits: Sequence[str],
    n_compared: Sequence[int] | None = None,
    n_strengths: int | None = None,
    *,
    is_without_folds: bool = False,
) -> None:
    """Warn if a limit ended a fit.

    Parameters
    ----------
    certificate : Certificate or SubsetCertificate
        The model's certificate.
    limits : sequence of str
        The limits that ended it, from :func:`limits_met`.
    n_compared : sequence of int, optional
        The number of values of alpha, or of sizes of a subset, that were compared, for each output.
    n_strengths : int, optional
        The most that would have been compared.
    is_without_folds : bool, default=False
        Whether an information criterion stood in for a cross-validation that had too little time.

    Warns
    -----
    ConvergenceWarning
        If the certificate is not complete.
    """
    if certificate.complete:
        return
    most = "" if n_strengths is None else f" of up to {n_strengths}"
    count = "" if n_compared is None else _format_range(n_compared)
    by = ", by the Bayesian information criterion: the folds had too little time" if is_without_folds else ""
    compared = "" if n_compared is None else f"; {count}{most} values of alpha were compared{by}"
    if isinstance(certificate, SubsetCertificate):
        names = limits or ["time_limit"]
        terms = "rules and linear terms" if certificate.candidate_noun == "rules" else "patterns"
        sizes = "" if n_compared is None else f" ({count} numbers of {terms} were compared{by})"
        message = (
            f"{' and '.join(names)}: the comparison of sizes{sizes} or the search for better subsets was "
            "stopped; the model is the best found so far. Raise "
            f"{' or '.join(names)}, limit the number of terms, or "
            "give a number for alpha"
        )
    elif certificate.is_cut_short:
        message = (
            f"time_limit: the time was over before every alpha was tried{compared}: the model is optimal for "
            "its alpha, but another may predict better. Give more time, a smaller search, or a number "
            "for alpha"
        )
    else:
        or_alpha = "" if n_compared is None or "time_limit" not in limits else ", or give a number for alpha"
        reason = " and ".join(limits) if limits else "rounding of numbers"
        advice = f"{', '.join(limits)} or tol" if limits else "tol"
        gap, tol = _told_apart(certificate.relative_gap, certificate.tol)
        message = (
            f"{reason}: stopped at a relative gap of {gap} (tol: {tol}{compared}): the model is the best "
            "found so far, and no model is better "
            f"by more than that. Raise {advice}{or_alpha}"
        )
    warn(message, ConvergenceWarning)


def _told_apart(first: float, second: float) -> tuple[str, str]:
    """Format two numbers with two digits, or as many as tell them apart."""
    texts = ((f"{first:.{digits}g}", f"{second:.{digits}g}") for digits in range(2, 18))
    return next((pair for pair in texts if pair[0] != pair[1]), (f"{first:.2g}", f"{second:.2g}"))


def _format_range(counts: Sequence[int]) -> str:
    """Format counts of outputs: one where they are equal, else the least and the largest."""
    least, most = min(counts), max(counts)
    return str(least) if least == most else f"{least} to {most} (by output)"
