"""Several models side by side: how alike their terms and their predictions are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ..data.alignment import warn_if_reordered
from ..data.fit_rows import rows_of_weight
from ..data.frames import named_column, select_known
from ..data.valid_graphs import records_read_once
from ..data.weights import row_weights
from ..formatting.text import format_list, pluralize
from ..results.printed import PrintedTable
from ..results.table_text import Line, Section, TableText
from ._terms import TermRows, best_similarities, is_subset, linear_terms, term_rows

if TYPE_CHECKING:
    from ..plotting.comparison import SimilarityDisplay


@dataclass(frozen=True, repr=False, eq=False)
class ModelComparison(PrintedTable):
    """How alike models are, on the same rows.

    Parameters
    ----------
    names : tuple of str
        The names of the models.
    n_terms : tuple of int
        Their numbers of rules or patterns.
    similarity : ndarray of shape (n_models, n_models)
        Mean over the terms of the model of the row of the similarity with the closest term of the model of
        the column; NaN for a model without terms. Not symmetric.
    agreement : ndarray of shape (n_models, n_models)
        Classifiers: the fraction of equal predictions. Regressors: the correlation of the predictions; of
        several targets the mean of their correlations.
    is_weighted : bool, default=False
        Whether rows count by their weights.
    """

    names: tuple[str, ...]
    n_terms: tuple[int, ...]
    similarity: NDArray[np.float64]
    agreement: NDArray[np.float64]
    is_weighted: bool = False

    def columns(self) -> dict[str, list[Any]]:
        """Return a line for each pair of models.

        Returns
        -------
        dict of str to list
            ``model, other, similarity, agreement``.
        """
        pairs = [(i, j) for i in range(len(self.names)) for j in range(len(self.names)) if i != j]
        return {
            "model": [self.names[i] for i, _ in pairs],
            "other": [self.names[j] for _, j in pairs],
            "similarity": [float(self.similarity[i, j]) for i, j in pairs],
            "agreement": [float(self.agreement[i, j]) for i, j in pairs],
        }

    def plot(self, *, ax: Any = None) -> SimilarityDisplay:
        """Draw the similarities as a matrix.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on; by default a new figure.

        Returns
        -------
        SimilarityDisplay
            The matplotlib objects.
        """
        from ..plotting.comparison import SimilarityDisplay

        return SimilarityDisplay(list(self.names), self.similarity).plot(ax=ax)

    def _layout(self) -> TableText:
        lines = [
            Line((name, f"{count:,}", *(_cell(value) for value in row)))
            for name, count, row in zip(self.names, self.n_terms, self.similarity, strict=True)
        ]
        pairs = self.agreement[np.triu_indices(len(self.names), 1)]
        agreed = " to ".join(dict.fromkeys(f"{value:.2f}" for value in (pairs.min(), pairs.max())))
        weighted = "Rows count by their weights.\n" if self.is_weighted else ""
        note = (
            f"{pluralize(len(self.names), 'model')}; agreement of their predictions: {agreed}.\n{weighted}"
            "Similarity of the terms of a line with those of a column:"
        )
        footer = "1: every term has a counterpart of the same rows, or of the same column in best subsets"
        return TableText(
            ("model", "terms", *self.names),
            "lr" + "r" * len(self.names),
            (Section("", tuple(lines), 0),),
            note,
            footer,
        )


def _cell(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.2f}"


def compare_models(
    models: Sequence[Any] | Mapping[str, Any], X: Any, *, sample_weight: ArrayLike | None = None
) -> ModelComparison:
    """Compare the rules or patterns of models by the rows in which they hold, and their predictions.

    Parameters
    ----------
    models : sequence of estimators or dict of name: estimator
        At least two fitted estimators over rules or patterns, or best subsets, all classifiers or all
        regressors, of the same classes or targets. Without names they are called by class and position.
    X : array, frame or list of records
        The rows to compare on, such as those of training. Models of different columns are compared on a data
        frame that has the columns of all of them.
    sample_weight : array-like of shape (n_rows,) or str, optional
        The weights of the rows in similarities and agreements, or the name of a column of X; without them
        every row counts once, also where the fits had some.

    Returns
    -------
    ModelComparison
        Matrices of similarities and agreements, with a plot.

    Raises
    ------
    TypeError
        If a model has no rules or patterns, or classifiers and regressors are mixed.
    ValueError
        If there are fewer than two models, two of the same name or of other classes or targets, or one cannot
        read `X`; the message names it. If `sample_weight` is no weight of each row.

    See Also
    --------
    stability_selection : The same of one model, on resampled rows.

    Notes
    -----
    The similarity of models A and B is the mean over the terms of A of the largest similarity with a term
    of B, as in the paper, whose Jaccard index counts the cells of a grid inside two boxes. Here rows are
    counted, so that models of different cut points and of all kinds of patterns can be compared, and a term
    and its complement count as equal: the similarity of two terms is the Jaccard index of the rows in which
    they hold, or that of the rows in which they do not if it is smaller; the same of one term and the
    complement of the other, if that is larger. So two terms that hold in most rows are not alike by that
    alone. The terms of a best subset are its columns: their similarity is 1 where the other model has a
    linear term of the same column, else 0. Linear terms of rules are left out.

    References
    ----------
    Kato, Hanada, Takeuchi, "Safe RuleFit: Learning Optimal Sparse Rule Model by Meta Safe Screening".

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from thresher import RuleRegressor, compare_models
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = RuleRegressor(alpha=8.0, max_features=1, linear=False).fit(X, y)
    >>> other = RuleRegressor(alpha=6.0, max_features=1, linear=False).fit(X, y)
    >>> float(compare_models({"strong": model, "weak": other}, X).similarity[0, 0])
    1.0
    """
    named = _named(models)
    for model in named.values():
        check_is_fitted(model)
    if len({is_classifier(model) for model in named.values()}) > 1:
        raise TypeError("models: got classifiers and regressors; compare models of one kind")
    _check_outputs(named)
    sample_weight = named_column(X, sample_weight, "sample_weight")
    warn_if_reordered(X, sample_weight, "sample_weight")
    with rows_of_weight(sample_weight):
        read = [_read(name, model, X) for name, model in named.items()]
    weights = row_weights(sample_weight, len(read[0][1]))
    if weights is not None:
        read = [_selected(*own, weights > 0) for own in read]
        weights = weights[weights > 0]
    terms = [own for own, _ in read]
    columns = [linear_terms(model) for model in named.values()]
    counted = [
        list(own) if is_subset(model) else [] for model, own in zip(named.values(), columns, strict=True)
    ]
    predictions = [predicted for _, predicted in read]
    are_classes = is_classifier(next(iter(named.values())))
    similarity = [
        [_similarity(a, b, keys, known, weights) for b, known in zip(terms, columns, strict=True)]
        for a, keys in zip(terms, counted, strict=True)
    ]
    agreement = [[_agreement(p, q, are_classes, weights) for q in predictions] for p in predictions]
    return ModelComparison(
        tuple(named),
        tuple(len(t.terms) + len(keys) for t, keys in zip(terms, counted, strict=True)),
        np.array(similarity),
        np.array(agreement),
        weights is not None,
    )


def _check_outputs(named: Mapping[str, Any]) -> None:
    """Raise an error unless all models have the same classes or targets."""
    (first, one), *others = named.items()
    noun, wanted = _outputs(one)
    for name, other in others:
        _, found = _outputs(other)
        if found != wanted:
            raise ValueError(
                f"models: {first!r} has the {noun} {format_list(wanted, 5, repr)}, {name!r} has "
                f"{format_list(found, 5, repr)}; compare models of the same {noun}"
            )


def _outputs(model: Any) -> tuple[str, list[Any]]:
    """Return the classes of a classifier, or the targets of a regressor."""
    if is_classifier(model):
        return "classes", list(model.classes_.tolist())
    names = model._fitted.output_names()
    return "targets", ["y"] if names == [None] else [str(name) for name in names]


def _read(name: str, model: Any, X: Any) -> tuple[TermRows, NDArray[Any]]:
    """Return the terms of a model in rows, and its predictions."""
    if hasattr(model, "feature_names_in_"):
        X = select_known(X, list(model.feature_names_in_))
    try:
        X = records_read_once(model, X)
        return term_rows(model, X), np.asarray(model.predict(X))
    except ValueError as error:
        hint = "\nModels of different columns are compared on a data frame that has the columns of all."
        raise ValueError(f"{name}: {str(error).rstrip()}{hint * hasattr(model, 'n_features_in_')}") from error


def _named(models: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(models, (Mapping, Iterable)):
        raise TypeError(f"models: got one {type(models).__name__}; give a list of models, or a dict of names")
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
        if len(named) < len(models):
            raise ValueError(
                f"models: two of the names {format_list(list(models), 5, repr)} are the same as text; "
                "change one"
            )
    else:
        named = {f"{type(model).__name__} {k}": model for k, model in enumerate(models, start=1)}
    if len(named) < 2:
        raise ValueError(f"models: got {len(named)}; give at least two to compare")
    return named


def _selected(
    terms: TermRows, predicted: NDArray[Any], rows: NDArray[np.bool_]
) -> tuple[TermRows, NDArray[Any]]:
    return TermRows(terms.terms, terms.holds[rows]), predicted[rows]


def _similarity(
    first: TermRows,
    second: TermRows,
    keys: Sequence[Any],
    known: Mapping[Any, Any],
    weights: NDArray[np.float64] | None,
) -> float:
    """Return the mean similarity of terms, those of a best subset included, with those of another model."""
    values = np.concatenate(
        [best_similarities(first, second, weights), [float(key in known) for key in keys]]
    )
    return float(values.mean()) if len(values) else float("nan")


def _agreement(
    first: NDArray[Any], second: NDArray[Any], are_classes: bool, weights: NDArray[np.float64] | None
) -> float:
    if are_classes:
        return float(np.average(first == second, weights=weights))
    pairs = zip(first.reshape(len(first), -1).T, second.reshape(len(second), -1).T, strict=True)
    return float(np.mean([_correlation(p, q, weights) for p, q in pairs]))


def _correlation(
    first: NDArray[np.float64], second: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> float:
    """Return the correlation of predictions; of constant ones whether they are equal."""
    if _is_constant(first) or _is_constant(second):
        return 1.0 if np.array_equal(first, second) else 0.0
    if weights is None:
        return float(np.corrcoef(first, second)[0, 1])
    covariance = np.cov(first, second, aweights=weights)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def _is_constant(values: NDArray[Any]) -> bool:
    """Whether all predictions are equal but for rounding, whose correlation would say nothing."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())
