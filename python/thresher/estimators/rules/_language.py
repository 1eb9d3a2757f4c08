"""Whether the bounds of a rule are cut points of the fit: rules with other bounds are no candidates."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from ...formatting.numbers import adjacent_number
from ...results.payloads import ConditionPayload, FeaturePayload

Conditions = Sequence[ConditionPayload]


def beyond_cut_points(
    conditions: Conditions,
    n_rows: int,
    features: Sequence[FeaturePayload],
    count_rows: Callable[[Conditions], int],
) -> str:
    """Return which bound of a rule is no cut point; empty where all are.

    A bound may stand for a cut point next to it: as one rule implies the other, they hold for the same
    training rows if they hold for as many.

    Parameters
    ----------
    conditions : sequence of ConditionPayload
        The conditions of the rule.
    n_rows : int
        The number of training rows for which they hold.
    features : sequence of FeaturePayload
        The columns of the model, with their cut points.
    count_rows : callable
        Returns that number for other conditions.

    Returns
    -------
    str
        The reason, with the nearest cut points.

    Examples
    --------
    >>> features = [{"name": "age", "cuts": [30.0, 40.0]}]
    >>> rule = [{"feature": 0, "lower": 35.0, "upper": None}]
    >>> beyond_cut_points(rule, 65, features, lambda conditions: 100 - int(conditions[0]["lower"]))
    "35 is no cut point of column 'age' (nearest: 30, 40); give it in bins"
    >>> beyond_cut_points(rule, 60, features, lambda conditions: 60)
    ''
    """
    for place, condition in enumerate(conditions):
        feature = features[condition["feature"]]
        for bound, others in _neighbours(condition, feature):
            shifted = [other for other in others.values() if not _is_empty(other)]
            rules = ([*conditions[:place], other, *conditions[place + 1 :]] for other in shifted)
            if not any(count_rows(rule) == n_rows for rule in rules):
                value, *nearest = (adjacent_number(number)[0] for number in (bound, *others))
                return (
                    f"{value} is no cut point of column {feature['name']!r} (nearest: "
                    f"{', '.join(nearest) or 'none'}); give it in bins"
                )
    return ""


def _neighbours(
    condition: ConditionPayload, feature: FeaturePayload
) -> Iterator[tuple[float, dict[float, ConditionPayload]]]:
    """Yield each bound that is no cut point, and the condition with each of the nearest ones instead."""
    cuts = feature.get("cuts", [])
    for end, bound in (("lower", condition.get("lower")), ("upper", condition.get("upper"))):
        if bound is not None and bound not in cuts:
            at = bisect_left(cuts, bound)
            yield bound, {cut: {**condition, end: cut} for cut in cuts[max(at - 1, 0) : at + 1]}  # type: ignore[misc]


def _is_empty(interval: ConditionPayload) -> bool:
    lower, upper = interval.get("lower"), interval.get("upper")
    return lower is not None and upper is not None and lower >= upper
