"""Which terms of a model other halves of the rows find again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from ..data.groups import group_codes, group_labels
from ..data.valid_graphs import records_read_once
from ..data.weights import row_weights
from ..formatting.numbers import format_percent
from ..formatting.text import pluralize, with_output
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText
from ._terms import TermRows, best_similarities, linear_terms, term_rows

if TYPE_CHECKING:
    from ..plotting.comparison import StabilityDisplay


@dataclass(frozen=True)
class StableTerm:
    """A term of a model, and how often resampled rows find it again.

    Parameters
    ----------
    text : str
        The rule or pattern, or the column of a linear term.
    coef : float
        Its coefficient in the model of all rows.
    frequency : float
        The fraction of the resampled models with a similar term.
    similarity : float
        The mean similarity with the closest term of a resampled model.
    output : object
        The class or target, None where there is one.
    is_linear : bool, default=False
        Whether it is a linear term, which is similar to those of the same column alone.
    """

    text: str
    coef: float
    frequency: float
    similarity: float
    output: Any = None
    is_linear: bool = False


@dataclass(frozen=True, repr=False, eq=False)
class StabilitySelection(PrintedTable):
    """The terms of a model, the most stable first.

    Parameters
    ----------
    estimator_ : estimator
        The model of all rows.
    terms_ : tuple of StableTerm
        Its rules or patterns and its linear terms, with their frequencies.
    n_resamples : int
        The number of resampled models.
    min_similarity : float
        The Jaccard index from which on two terms are taken for the same.
    n_terms : ndarray of shape (n_resamples,)
        The number of terms of each resampled model, linear terms included.
    """

    estimator_: Any
    terms_: tuple[StableTerm, ...]
    n_resamples: int
    min_similarity: float
    n_terms: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of terms."""
        return len(self.terms_)

    def columns(self) -> dict[str, list[Any]]:
        """Return the table as columns.

        Returns
        -------
        dict of str to list
            ``term, coef, frequency, similarity``, and ``output`` first where there are several.
        """
        found = {
            "output": [term.output for term in self.terms_],
            "term": [term.text for term in self.terms_],
            "coef": [term.coef for term in self.terms_],
            "frequency": [term.frequency for term in self.terms_],
            "similarity": [term.similarity for term in self.terms_],
        }
        if len(set(map(str, found["output"]))) <= 1:
            found.pop("output")
        return found

    def plot(self, *, max_terms: int = 20, ax: Any = None) -> StabilityDisplay:
        """Draw how often each term is found again.

        Parameters
        ----------
        max_terms : int, default=20
            The most terms to show.
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        StabilityDisplay
            The matplotlib objects.
        """
        from ..plotting.comparison import StabilityDisplay

        shown = self.terms_[:max_terms]
        texts = [with_output(term.text, term.output) for term in shown]
        return StabilityDisplay(texts, [t.frequency for t in shown], [t.coef for t in shown]).plot(ax=ax)

    def _layout(self) -> TableText:
        lines = []
        for term in self.terms_:
            numbers = (format_percent(term.frequency), f"{term.similarity:.2f}", f"{term.coef:+.4g}")
            lines.append(Line((*numbers, with_output(term.text, term.output))))
        least, most = self.n_terms.min(), self.n_terms.max()
        sizes = pluralize(int(most), "term") if least == most else f"{least} to {most} terms"
        if not self.terms_:
            halves = f"{self.n_resamples} models of half of the rows have {sizes}."
            return TableText((), "", (), f"{self.estimator_.summary().note} {halves}")
        note = (
            f"{pluralize(len(self), 'term')} of a model, found again in {self.n_resamples} models of half of "
            f"the rows ({sizes})"
        )
        headings = ("found", "similarity", "effect", "term")
        return TableText(headings, "rrrl", (Section("", tuple(lines), 0),), note, self._legend())

    def _legend(self) -> str:
        """Say what is counted, other models with similar rows or with the same column, and of which class."""
        kinds = {term.is_linear for term in self.terms_}
        has_two_classes = is_classifier(self.estimator_) and len(self.estimator_.classes_) == 2
        effect = f"; effect: on the {self.estimator_._effect()}" * has_two_classes
        if kinds == {True}:
            same = "found, similarity: the fraction of the models with a coefficient of the same column"
            return same + effect
        columns = ", or a linear term of the same column" * (True in kinds)
        return (
            "found: the fraction of the models with a term whose rows have a Jaccard index of at least "
            f"{self.min_similarity:g}{columns}; similarity: the mean of the closest{effect}"
        )


def stability_selection(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 50,
    min_similarity: float = 0.8,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> StabilitySelection:
    """Fit a model to all rows and to random halves of them, and say how often each term is found again.

    Parameters
    ----------
    estimator : estimator
        An estimator over rules or patterns, or a best subset; it is copied, not changed. A number
        `alpha` makes the fits comparable, and fast: without it each half runs a cross-validation of its own.
    X : array, frame or list of records
        The rows.
    y : array-like of shape (n_rows,) or (n_rows, n_targets)
        The targets.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows, with which they also count in similarities. Rows of weight 0 are in no half.
    groups : array-like of shape (n_rows,), optional
        The group of each row, such as the patient of a visit: the rows of a group are in one half, and in one
        fold of a cross-validation within a half.
    n_resamples : int, default=50
        The number of halves, an even number: rows are drawn in pairs of halves without a row in common
        [2]_. Halves are stratified by class (groups by
        their most frequent class).
    min_similarity : float, default=0.8
        The similarity of two terms from which on they are taken for the same, in (0, 1].
    random_state : int, RandomState or None, default=None
        Determines the halves.
    n_jobs : int or None, default=None
        The number of halves that are fitted at the same time, -1 for all cores. None: one after the other,
        each on all threads, unless ``joblib.parallel_config`` says otherwise.

    Returns
    -------
    StabilitySelection
        The terms of the model of all rows, the most stable first, as a table with a plot.

    Raises
    ------
    TypeError
        If the estimator has neither rules or patterns nor coefficients of a best subset.
    ValueError
        If a parameter is out of range, there are too few rows or groups, or a half would lack a class, as
        where a class has one row.

    See Also
    --------
    compare_models : The similarity of given models.

    Notes
    -----
    Rules of other rows have other cut points: no half finds exactly ``age > 50``, many find ``age > 51``. So
    terms are compared by the rows of `X` in which they hold. A linear term is found again where a half has
    one of the same column. A frequency is no probability that a term is true. Meinshausen and Bühlmann take
    terms above 0.6 to 0.9.

    References
    ----------
    .. [1] Meinshausen, Bühlmann, "Stability selection", Journal of the Royal Statistical Society B 72, 2010.
    .. [2] Shah, Samworth, "Variable selection with error control: another look at stability selection",
           Journal of the Royal Statistical Society B 75, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import RuleRegressor, stability_selection
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = 2.0 * (X[:, 0] > 0) + 0.1 * rng.normal(size=200)
    >>> model = RuleRegressor(alpha=0.1, max_features=1, linear=False)
    >>> found = stability_selection(model, X, y, n_resamples=10, random_state=0)
    >>> found.terms_[0].frequency
    1.0
    """
    if not (isinstance(n_resamples, int | np.integer) and n_resamples >= 2 and n_resamples % 2 == 0):
        raise ValueError(f"n_resamples: got {n_resamples!r}; give an even number of at least 2")
    if not 0.0 < min_similarity <= 1.0:
        raise ValueError(f"min_similarity: got {min_similarity!r}; give a number above 0, at most 1")
    n_rows = _num_samples(X)
    codes = None if groups is None else group_codes(groups, n_rows)
    groups = None if groups is None else group_labels(groups)
    model = _fit(clone(estimator), X, y, sample_weight, groups)
    weights, X = row_weights(sample_weight, n_rows), records_read_once(model, X)
    rows = model._valid_rows(X) if hasattr(model, "_valid_rows") else np.arange(n_rows)
    rows = rows if weights is None else rows[weights[rows] > 0]
    if len(rows) < n_rows:
        X, y = _safe_indexing(X, rows), _safe_indexing(y, rows)
        weights = None if weights is None else weights[rows]
        codes = None if codes is None else codes[rows]
        groups = None if groups is None else groups[rows]
    reference, linear = term_rows(model, X), linear_terms(model)
    half = clone(estimator)
    if "handle_unknown" in half.get_params():  # a half may lack categories of the rest
        half.set_params(handle_unknown="missing")
    labels = np.ravel(np.asarray(y)) if is_classifier(model) else np.zeros(len(rows))
    halves = list(_halves(labels, codes, int(n_resamples) // 2, random_state))
    if is_classifier(model):
        _check_classes(labels, model.classes_.tolist(), halves)
    found = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_resampled)(half, (X, y, weights, groups), drawn, reference, list(linear)) for drawn in halves
    )
    best, n_terms = zip(*found, strict=True)
    listed = [(term.text, term.coef, term.output, False) for term in reference.terms]
    listed += [(name, coef, output, True) for (_, name), (output, coef) in linear.items()]
    closest = np.array(best).reshape(int(n_resamples), len(listed))
    terms = [
        StableTerm(text, coef, float(np.mean(row >= min_similarity)), float(row.mean()), output, is_linear)
        for (text, coef, output, is_linear), row in zip(listed, closest.T, strict=True)
    ]
    terms.sort(key=lambda term: (-term.frequency, -term.similarity, -abs(term.coef)))
    return StabilitySelection(model, tuple(terms), int(n_resamples), float(min_similarity), np.array(n_terms))


def _resampled(
    half: Any,
    data: tuple[Any, Any, Any, NDArray[np.intp] | None],
    rows: NDArray[np.int64],
    reference: TermRows,
    linear: list[tuple[str, str]],
) -> tuple[NDArray[np.float64], int]:
    """Fit some rows; return the best similarity of each term of the reference, and the number of terms."""
    X, y, *others = data
    own = (None if each is None else each[rows] for each in others)
    model = _fit(clone(half), _safe_indexing(X, rows), _safe_indexing(y, rows), *own)
    found, columns = term_rows(model, X), linear_terms(model)
    same = np.array([key in columns for key in linear], dtype=np.float64)
    closest = best_similarities(reference, found, others[0])
    return np.concatenate([closest, same]), len(found.terms) + len(columns)


def _fit(estimator: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    if groups is not None and getattr(estimator, "_chooses_by_folds", bool)():
        options["groups"] = groups
    return estimator.fit(X, y, **options)


def _halves(
    labels: NDArray[Any], groups: NDArray[np.intp] | None, n_pairs: int, random_state: Any
) -> Iterator[NDArray[np.int64]]:
    """Draw pairs of halves without a row or group in common, in each class."""
    if len(labels) < 4:
        raise ValueError(
            f"X: got {len(labels)} rows of positive weight; resampling by halves needs at least 4"
        )
    if groups is not None:
        found, groups = np.unique(groups, return_inverse=True)
        if len(found) < 4:
            raise ValueError(f"groups: got {len(found)} groups; resampling by halves needs at least 4")
        labels = _label_of_groups(labels, groups)
    draw = check_random_state(random_state)
    classes = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    for _ in range(n_pairs):
        first, second = [], []
        for members in classes:
            order = draw.permutation(members)
            middle = math.ceil(len(order) / 2)
            first.append(order[:middle])
            second.append(order[middle:])
        for half in (np.concatenate(first), np.concatenate(second)):
            yield np.sort(half) if groups is None else np.flatnonzero(np.isin(groups, half))


def _check_classes(labels: NDArray[Any], classes: Iterable[Any], halves: Iterable[NDArray[np.int64]]) -> None:
    """Raise an error unless each half has all classes: models of fewer have other outputs."""
    for rows in halves:
        found = set(labels[rows].tolist())
        lacking = next((label for label in classes if label not in found), None)
        if lacking is not None:
            raise ValueError(
                f"y: a half of the rows lacks the class {lacking!r}, so that its model has other outputs; "
                "give at least two rows of it (of positive weight, in two groups), merge it with another, or "
                "leave its rows out"
            )


def _label_of_groups(labels: NDArray[Any], groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the most frequent class of each group."""
    known, codes = np.unique(labels, return_inverse=True)
    counts = np.zeros((groups.max() + 1, len(known)), dtype=np.int64)
    np.add.at(counts, (groups, codes), 1)
    most: NDArray[np.intp] = counts.argmax(axis=1)
    return most
