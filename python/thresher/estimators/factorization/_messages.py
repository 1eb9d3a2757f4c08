"""What a fit of a factorization machine warns of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..._native import N_MACHINE_STRENGTHS
from ...formatting.numbers import format_number
from ...formatting.quoting import quote_name
from ...formatting.text import format_list, pluralize

_MOST_OFFSET = 1e12
"""Means of a column, in standard deviations, that leave four of the 16 digits of a number."""

_LEAST_STRENGTH = 0.3 * 0.1 ** ((N_MACHINE_STRENGTHS - 1) / 2)
"""The smallest of the strengths that a comparison may come to."""

_MAX_REFIT_LOSS = 1.01
"""Training loss after a refit, over that before it, that the tolerance of a fit may explain."""

TIME_IS_OVER = "time_limit: the time was over before the fit ended; the model is the one reached so far"


def messages(
    payload: Mapping[str, Any],
    points: Sequence[Mapping[str, Any]],
    compared: Sequence[Mapping[str, Any]],
    n_columns: int,
) -> Iterator[str]:
    """Return what to warn of after a fit.

    Parameters
    ----------
    payload : mapping
        The parameters of the core.
    points : sequence of mapping
        The machine of each output, as in the document.
    compared : sequence of mapping
        The strengths and held-out losses of each output, where they were compared.
    n_columns : int
        The columns of the table: one alone has no interactions.

    Yields
    ------
    str
        A message for each reason not to trust the fit.
    """
    wanted = payload["alpha"].get("count")
    counts = [point["n_interactions"] for point in points]
    is_missed = wanted is not None and not all(0.99 * wanted <= n <= 1.035 * wanted for n in counts)
    got = " and ".join(map(str, counts))
    is_complete = all(point["complete"] for point in points)
    if not is_complete:
        rest = f". It has {got} interactions instead of {wanted}: give more time, or a number as alpha"
        yield TIME_IS_OVER + (rest if is_missed else _compared_in_time([cv["strengths"] for cv in compared]))
    elif any(_still_falls(cv) for cv in compared):
        yield (
            f"alpha: the held-out loss still falls at {min(cv['strengths'][-1] for cv in compared):.1g}, "
            "the smallest strength that is compared, where the penalty is hardly felt. Compare "
            "penalty=None with a rank of 2 to 4 and l2_factors of 0.0001 to 0.0005, which takes a fraction "
            "of the time, then a larger l2_linear or another penalty"
        )
    elif not all(point["converged"] for point in points):
        yield (
            f"max_iter: after {payload['max_iter']} passes the numbers still move by more than tol; "
            "give more passes, a larger tol or larger penalties"
        )
    if n_columns > 1 and _are_linear(points):
        yield from _no_interactions(payload, points, is_compared=bool(compared))
    yield from _useless_refit(payload["refit"], points)
    if is_missed and is_complete:
        yield (
            f"n_interactions: none of the strengths tried leaves {wanted} interactions; the nearest leaves "
            f"{got}. Another random_state or rank may have one"
        )


def lost_digits(names: Sequence[str], language: Mapping[str, Any]) -> Iterator[str]:
    """Return what to warn of where numbers are too large to say much of how they differ.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    language : mapping
        That of the document.

    Yields
    ------
    str
        A message, if there are such columns.
    """
    pairs = zip(names, language.get("centers", ()), language.get("scales", ()), strict=False)
    far = [quote_name(name) for name, center, scale in pairs if abs(center) >= _MOST_OFFSET * scale]
    if far:
        yield (
            f"column {format_list(far, 8)}: the mean is more than {_MOST_OFFSET:.0e} times the standard "
            "deviation, so that 16 digits hold at most four of the differences between rows; subtract "
            "a constant before the values are rounded to such numbers, or leave out a column that is constant"
        )


def _are_linear(points: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether fits that ended have linear terms, and no factors."""
    return all(point["complete"] and point["coef"] and not any(point["factors"]) for point in points)


def _no_interactions(
    payload: Mapping[str, Any], points: Sequence[Mapping[str, Any]], is_compared: bool
) -> Iterator[str]:
    """Say what may leave interactions where a comparison or the ridge leaves none."""
    if is_compared:
        chosen = format_number(min(point["l2_linear"] for point in points))
        given = "" if payload["l2_linear"] is not None else f" and l2_linear={chosen}, which was chosen here,"
        yield (
            "alpha: no interaction is left: none of the strengths compared has a lower held-out loss with "
            "interactions. If you expect some, as of users and items, compare penalty=None with a rank of 2 "
            f"to 4, l2_factors of 0.0001 to 0.0005{given} with this model"
        )
    elif payload["penalty"] == "none" and (ridge := max(point["l2_factors"] for point in points)) > 0:
        given = "" if payload["l2_linear"] is not None else ", and an l2_linear of 0.0001 to 0.001"
        yield (
            f"l2_factors: no interaction is left: the ridge {format_number(ridge)} makes all factors 0. If "
            f"you expect interactions, compare smaller ones, such as {format_number(ridge / 2)} and "
            f"{format_number(ridge / 5)}{given}"
        )


def _useless_refit(ridge: float | None, points: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say where a ridge shrinks more than the penalty that the refit leaves out."""
    for point in points:
        before = point.get("penalized_loss")
        if before is not None and point["complete"] and point["loss"] > _MAX_REFIT_LOSS * before:
            yield (
                f"refit: the training loss is {point['loss']:.3g} after the refit and {before:.3g} before "
                f"it: the ridge {ridge:.3g} shrinks the factors more than the penalty; give a smaller one, "
                "such as refit=0.001"
            )
            return


def _compared_in_time(strengths: list[list[float]]) -> str:
    """Say which strengths a cross-validation without time for more of them compared."""
    if not strengths:
        return ""
    n, least = min((len(own), own[-1]) for own in strengths)
    return (
        f". Cross-validation compared {pluralize(n, 'strength')} down to {least:.1g}; smaller ones, which "
        "select more interactions, were not tried: give more time, or a number as alpha"
    )


def _still_falls(cv: Mapping[str, Any]) -> bool:
    """Return whether the least of all strengths has less held-out loss than each other one."""
    is_last = cv["strengths"][-1] <= 1.01 * _LEAST_STRENGTH
    return is_last and all(cv["mean"][-1] < (1.0 - 1e-9) * mean for mean in cv["mean"][:-1])


def sum_phrase(names: Sequence[str], centers: Mapping[int, float]) -> str:
    """Say what the coefficients of a summary are multiplied by.

    Parameters
    ----------
    names : sequence of str
        The encoded columns.
    centers : mapping of int to float
        What is subtracted from some of them.

    Returns
    -------
    str
        The first words of a sentence.

    Examples
    --------
    >>> sum_phrase(["day"], {0: 2460000.0})
    'Each coefficient times its column or product of columns (day less 2460000), added up, is'
    """
    less = [f"{names[j]} less {format_number(center)}" for j, center in centers.items()]
    where = f" ({format_list(less, 5)})" if less else ""
    return f"Each coefficient times its column or product of columns{where}, added up, is"
