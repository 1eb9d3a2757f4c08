"""Reasons of predictions: the terms that move a row away from a reference, as methods of the estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..fit_warnings import gathered, warn
from ..validation import check, integer, words

if TYPE_CHECKING:
    from ..results.payloads import LinearPayload
    from ..scorecard._reason_texts import ReasonSources
    from ..scorecard.reasons import Reasons

Floats = NDArray[np.float64]

_UNITS_OF_A_ROW = 1e9  # of its largest contribution: smaller costs and differences are due to rounding


@dataclass(frozen=True)
class ReasonTerms:
    """What may be a reason of one output of a model.

    Parameters
    ----------
    sources : ReasonSources
        The sources, columns or patterns.
    means : ndarray of shape (n_sources,)
        The mean contribution of each source over the training rows.
    values : callable
        Returns the contributions of each source to given rows, shape (n_rows, n_sources), and their columns.
    ends : tuple of two ndarray of shape (n_sources,), or None
        The smallest and the largest contribution of a known value, where a column has such.
    """

    sources: ReasonSources
    means: Floats
    values: Callable[[Any], tuple[Floats, Sequence[Any]]]
    ends: tuple[Floats, Floats] | None = None


def reasons(
    self: Any,
    X: Any,
    n: int = 4,
    *,
    reference: Any = "mean",
    codes: Mapping[Any, str] | None = None,
    adverse: Literal["high", "low"] = "high",
    output: Any = None,
) -> Reasons:
    """Rank the reasons for which the sum of the terms of each row is high, or low, beside a reference.

    A reason is a column or, of rules on several columns, these columns together; of records it is a pattern.
    Its points are what its terms add to the row, less what they add to the reference (the other way round
    for ``adverse="low"``), in units of the target or of the decision function. What is not above 0 is no
    reason. Reasons that share a code are one, with their points added up. Of equal points that with the term
    that the model lists first comes first.

    Parameters
    ----------
    X : as in fit
        The rows or records; a single row of a table is allowed.
    n : int, default=4
        The most reasons of a row.
    reference : {"mean", "best"} or rows, default="mean"
        What is compared with: the mean contribution over the training rows; of additive models the best
        contribution that a known value of the column can have; or the mean contribution over given rows or
        records.
    codes : dict, optional
        The text or code of a reason, by column or by the text of a pattern; the name where there is none. A
        tuple of names is the key of several columns together, whose text is else those of the columns. The
        key ``(column, special code)`` gives rows with that code a text of their own, ``(column, None)``
        those with a missing value.
    adverse : {"high", "low"}, default="high"
        Which sums have the reasons: large ones, of two classes those of ``pos_label_``, or small ones.
    output : object, optional
        The class or target, where the model has several; all of them by default.

    Returns
    -------
    Reasons
        One line for each row, in the order of the rows, and for each of several outputs; ``score`` is the
        sum of the terms, as in :meth:`explain`.

    Raises
    ------
    TypeError, ValueError
        If the data cannot be read, `n` is not a whole number >= 1, `reference` is unknown or has no rows,
        `codes` is no dict, has a code that is no text, or a name that the model does not know, or there is no
        such output.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleRegressor
    >>> X = np.arange(200.0)[:, None] % 20
    >>> model = RuleRegressor(alpha=0.01, linear=False).fit(X, 10.0 * (X[:, 0] > 9))
    >>> print(model.reasons(X[[0, 15]], codes={"x0": "R01 Length of employment"}))
    The score is the prediction. Points: by how much a reason is above its mean over the training rows.
      row    score  reasons (points)
        0    0.02
        1    9.98   R01 Length of employment (4.98)
    """
    from ..scorecard.reasons import joined_reasons

    check_is_fitted(self)
    check("n", n, integer(1))
    check("adverse", adverse, words("high", "low"))
    names = self._fitted.output_names()
    places = range(len(names)) if output is None else [self._fitted.place_of(output)]
    effect = self._effect(names[places[0]] if len(places) == 1 else None)
    X = self._as_rows(X)
    with gathered() as found:
        scores = self._finite_decision(X)
        ranked = [
            _of_output(self, X, place, scores[:, place], effect, n, reference, codes, adverse)
            for place in places
        ]
    for message, category in dict.fromkeys(found):  # the rows are read twice
        warn(message, category)
    return ranked[0] if len(ranked) == 1 else joined_reasons(ranked, names)


def _of_output(
    self: Any,
    X: Any,
    place: int,
    score: Floats,
    effect: str,
    n: int,
    reference: Any,
    codes: Mapping[Any, str] | None,
    adverse: str,
) -> Reasons:
    """Rank the reasons of one output."""
    from ..scorecard._reason_texts import reason_texts, texts_of_sources
    from ..scorecard.reasons import ranked_reasons

    terms: ReasonTerms = self._reason_terms(place)
    texts = texts_of_sources(terms.sources, codes)
    compared, phrase = _reference(terms, reference, adverse)
    values, columns = terms.values(X)
    size = (np.abs(values) + np.abs(compared)).max(axis=1, keepdims=True, initial=0.0)
    unit = _UNITS_OF_A_ROW / np.where(size > 0, size, 1.0)
    sign = 1 if adverse == "high" else -1
    cost = np.rint(sign * (values - compared) * unit)
    side = "above" if adverse == "high" else "below"
    note = f"The score is the {effect}. Points: by how much a reason is {side} {phrase}."
    named = reason_texts(terms.sources, texts, columns, len(score))
    return ranked_reasons(score, named, cost, unit, min(n, values.shape[1]), X, note)


def _reference(terms: ReasonTerms, reference: Any, adverse: str) -> tuple[Floats, str]:
    """Return the contributions to compare with, and what they are."""
    from ..scorecard.reasons import REFERENCE_ROWS, REFERENCES

    if isinstance(reference, str):
        if reference == "mean":
            return terms.means, REFERENCES["mean"]
        if reference == "best" and terms.ends is not None:
            return terms.ends[adverse == "low"], REFERENCES["best"]
        known = "'mean'" if terms.ends is None else "'mean', 'best'"
        raise ValueError(f"reference: got {reference!r}; give {known} or rows")
    values, _ = terms.values(reference)
    values = values[~np.isnan(values).any(axis=1)]  # molecules that cannot be read
    if not len(values):
        raise ValueError("reference has no rows; give rows such as those of training, or 'mean'")
    return values.mean(axis=0), REFERENCE_ROWS


def of_rules(self: Any, place: int, linear: Sequence[LinearPayload] = ()) -> ReasonTerms:
    """Return what may be a reason of a rule model: sets of columns, with their rules and linear terms."""
    from ..scorecard._reason_texts import ReasonSource, ReasonSources, special_codes_of

    fitted, label = self._fitted, self._fitted.output_names()[place]
    features = fitted.document["features"]
    own = {k: rule for k, rule in enumerate(self.rules_) if rule.output == label}
    columns_of = {k: tuple(sorted({c.feature_index for c in rule.conditions})) for k, rule in own.items()}
    lines = [term for term in linear if term["coef"] != 0]
    members = dict.fromkeys([*columns_of.values(), *((term["feature"],) for term in lines)])
    position = {columns: k for k, columns in enumerate(members)}
    weights, means = np.zeros((len(self.rules_), len(members))), np.zeros(len(members))
    for k, columns in columns_of.items():
        weights[k, position[columns]] = own[k].coef
        means[position[columns]] += own[k].coef * own[k].support
    for term in lines:
        means[position[term["feature"],]] += term["coef"] * term["center"]

    def values(X: Any) -> tuple[Floats, Sequence[Any]]:
        table = self._table(X)
        found = np.asarray(self._indicators(table), dtype=np.float64) @ weights
        for term in lines:
            codes = [code["value"] for code in features[term["feature"]].get("special", ())]
            column = np.asarray(table.columns[term["feature"]], dtype=np.float64)
            is_number = ~(np.isnan(column) | np.isin(column, codes))
            found[:, position[term["feature"],]] += term["coef"] * np.where(is_number, column, term["center"])
        return found, table.columns

    def source(columns: tuple[int, ...]) -> ReasonSource:
        names = tuple(features[j]["name"] for j in columns)
        if len(columns) > 1:
            return ReasonSource(names)
        codes = features[columns[0]].get("special", ())
        return ReasonSource(names, columns[0], tuple(code["value"] for code in codes if not code["seen"]))

    sources = ReasonSources(tuple(map(source, members)), special_codes_of(fitted), is_joint=True)
    return ReasonTerms(sources, means, values)


def of_patterns(self: Any, place: int) -> ReasonTerms:
    """Return what may be a reason of a model of records: its patterns."""
    from ..scorecard._reason_texts import ReasonSource, ReasonSources

    label = self._fitted.output_names()[place]
    own = [k for k, pattern in enumerate(self.patterns_) if pattern.output == label]
    coef = np.asarray([self.patterns_[k].coef for k in own], dtype=np.float64)
    supports = np.asarray([self.patterns_[k].support for k in own], dtype=np.float64)

    def values(X: Any) -> tuple[Floats, Sequence[Any]]:
        return self._activations(X)[:, own].toarray() * coef, ()

    each = tuple(ReasonSource((self.patterns_[k].text,)) for k in own)
    sources = ReasonSources(each, {pattern.text: () for pattern in self.patterns_}, "pattern")
    return ReasonTerms(sources, coef * supports, values)


def of_bins(self: Any, place: int) -> ReasonTerms:
    """Return what may be a reason of an additive model: its columns."""
    from ..scorecard._reason_texts import sources_of_bins
    from ..scorecard.bins import bins_of_output

    bins = bins_of_output(self, place)
    added = [np.asarray(own.values, dtype=np.float64) for own in bins]
    known = [values[: own.n_known] for own, values in zip(bins, added, strict=True)]

    def values(X: Any) -> tuple[Floats, Sequence[Any]]:
        table = self._table(X)
        found = [values[own.codes(table)] for own, values in zip(bins, added, strict=True)]
        return np.column_stack([np.zeros((table.n_rows, 0)), *found]), table.columns

    means = np.asarray([np.dot(own.supports, values) for own, values in zip(bins, added, strict=True)])
    ends = np.asarray([each.min() for each in known]), np.asarray([each.max() for each in known])
    return ReasonTerms(sources_of_bins(bins, self._fitted), means, values, ends)
