"""Edits of the bins of a model by a person: the best values, the price, and the gap of the edited model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import threads
from ...data.columns import column_position
from ...data.fit_rows import without_unused_categories
from ...formatting.text import format_names, pluralize
from ...results.bin_edit import TOGETHER, EditedBins, EditPrice
from ...results.documents import to_plain
from .._columns import exclude_of, trends_of
from .._cut_points import bins_of
from .._tables import problem_of
from ._candidate_cuts import add_cuts, with_moved
from ._edits import edited_pieces
from ._one_strength import card_at
from ._pieces import Pieces, pieces_of
from ._refit import Refit, RefitProblem
from ._training_rows import check_training_rows
from ._trend_breaks import TRENDS, groups_of_trend, merges

Floats = NDArray[np.float64]

_ROUNDING = 1e-9  # of an objective, relative: prices below are due to the rounding of sums
_MOST_RANGE = 20.0  # of the values of a column of a classifier, as in the core
_CURVES = {"convex": 1, "concave": -1}  # the sign of the differences of jumps
_PASSES = 5  # over the edited columns, while the place of their missing values changes


def edit_bins(
    self: Any, X: Any, y: ArrayLike, bins: Mapping[Any, Any], sample_weight: ArrayLike | None = None
) -> EditedBins:
    """Replace the bins of columns by given ones, and say what that costs.

    All other bins stay as they are, and all values are fitted again: the result is the best model with these
    bins. The lower bound of the certificate holds for every model with the candidate cut points of the fit,
    so that the edited one has a gap too. A cut point takes the place of the candidate that divides the
    training rows alike, which leaves the bound as it is. Of cut points that divide them like no candidate a
    fit at the penalties of the model, with its time, proves a new bound. Where the edited model has other
    cut points than the fit, its parameter `bins` lists all candidates.
    Missing values of an edited column have the best place that `max_steps` leaves (of several edited columns
    improved in turn), and its special codes keep their division: those with a step of their own, and those
    that count as missing (one that counts so alone may have a step of its own).

    Parameters
    ----------
    X, y : array-like
        The training data of the model.
    bins : dict
        By column (name or position) the new bins: ascending cut points of numbers, a list of lists of
        categories, in which ``...`` in place of a list is the bin of all others, or None to leave the column
        out of the model. A column that the model does not use may be given bins.
        Bins need the weight `min_bin_weight`, in which missing values count that share a bin; missing values
        that are too light for a bin of their own share one, but stay apart in a column with a trend.
    sample_weight : array-like, optional
        The training weights.

    Returns
    -------
    EditedBins
        The price of each edit alone and of all together, and ``model``, a fitted estimator.

    Raises
    ------
    TypeError, ValueError
        If the data are not those of training, there is no such column or category, a bin has no rows, or
        the best values are beyond a limit or trend of the parameters; if the model has several outputs,
        `lambda2` > 0, or is a classifier without a ridge.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import L0AdditiveClassifier
    >>> X = np.arange(200.0)[:, None] % 20
    >>> y = np.where((X[:, 0] > 9) ^ (np.arange(200) % 7 == 0), "bad", "good")
    >>> model = L0AdditiveClassifier(lambda0=2.0, pos_label="bad").fit(X, y)
    >>> edited = model.edit_bins(X, y, {"x0": [5, 12]})
    >>> print(edited)
    Each edit alone, all other bins as they are and all values fitted again; then all together.
      column       steps before  after  objective   price  in steps
      x0                      1      2    110.071  +19.98     +9.99
      (all edits)             1      2    110.071  +19.98     +9.99
    The objective was 90.0944. No model has one below 89.9714: the gap was 0.14 % and is 18 % with 1 edit.
    >>> [step.text for step in edited.model.shape_functions_[0].steps]
    ['x0 <= 5', '5 < x0 <= 12', 'x0 > 12']
    """
    editor = _Editor(self, X, y, sample_weight)
    if not isinstance(bins, Mapping) or not bins:
        raise TypeError(
            f"bins: got {bins!r}; give a dict with the bins of columns, such as {{'age': [25, 40]}}, or with "
            "None for a column to leave out"
        )
    edits: dict[int, Pieces | None] = {}
    for key, given in bins.items():
        feature = column_position(key, editor.table.names, "bins")
        if feature in edits:
            raise ValueError(f"bins: column {editor.table.names[feature]!r} is given twice")
        edits[feature] = editor.parse(feature, given)
    prices = [editor.price(feature, editor.apply({feature: own})) for feature, own in edits.items()]
    together = editor.apply(edits)
    prices.append(editor.price(None, together))
    return EditedBins(tuple(prices), editor.model_of(together), self)


@dataclass(frozen=True)
class _Edited:
    """Pieces with their best values."""

    pieces: dict[int, Pieces]
    refit: Refit
    objective: float


class _Editor:
    """A model with its training rows."""

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any) -> None:
        fitted = model._fitted
        self.model, self.table = model, model._table(X, every_column=True)
        target = model._read_target(y, self.table.n_rows, fitted)
        points = fitted.points(model._path_index)
        self.point, self.features = points[0], fitted.document["features"]
        loss = fitted.document["loss"]
        if len(points) > 1:
            raise ValueError("bins are edited in models of one output; this one has several")
        if self.point["lambda2"] > 0:
            raise ValueError("bins are edited in models with lambda2=0")
        if loss != "squared" and self.point["ridge"] <= 0:
            raise ValueError(
                "bins of classifiers are edited with ridge > 0; without it values may be infinite"
            )
        weights = model._weights(target, sample_weight, self.table.n_rows)
        self.table = without_unused_categories(self.table, weights)
        check_training_rows(model, self.table, target.values, weights)
        self.training = (target.values, weights)
        w = np.ones(self.table.n_rows) if weights is None else weights
        kept = np.flatnonzero(w > 0)
        self.columns = [_of_rows(column, kept) for column in self.table.columns]
        self.weights = w[kept]
        self.problem = RefitProblem(loss, target.values[kept, 0], self.weights, self.point["ridge"])
        names = self.table.names
        self.trends = trends_of(model.monotonic_cst, names) or ["free"] * len(names)
        self.pieces = {
            shape["feature"]: pieces_of(shape, self.features[shape["feature"]])
            for shape in self.point["shapes"]
        }

    def parse(self, feature: int, given: Any) -> Pieces | None:
        """Check the bins of a column."""
        name = self.table.names[feature]
        if given is None:
            if feature not in self.pieces:
                raise ValueError(
                    f"bins: got None for column {name!r}, which leaves a column out; the model does not use "
                    "this one: drop the entry"
                )
            return None
        if feature in exclude_of(self.model.exclude, self.table.names):
            raise ValueError(
                f"bins: the parameter exclude names column {name!r}; fit without it there, or drop this entry"
            )
        if feature in self.model._fitted.left_out:
            raise ValueError(
                f"bins: the comparison of strengths left column {name!r} out (left_out_), since the card has "
                "less held-out error without it; drop this entry, or first fit with "
                f"lambda0={self.point['lambda0']!r}, ridge={self.point['ridge']!r}, which compares none"
            )
        return edited_pieces(
            name,
            given,
            self.columns[feature],
            self.features[feature],
            self.pieces.get(feature),
            has_trend=self.trends[feature] != "free",
            position=feature,
        )

    def apply(self, edits: Mapping[int, Pieces | None]) -> _Edited:
        """Fit the values with some edits; missing values of edited columns get their best place."""
        pieces = {feature: own for feature, own in self.pieces.items() if feature not in edits}
        new = {feature: self._choices(own) for feature, own in edits.items() if own is not None}
        best = self._fit({**pieces, **{feature: choices[0] for feature, choices in new.items()}})
        places = [(feature, choice) for feature, choices in new.items() for choice in choices]
        while self._excess(best):
            fits = (self._fit({**best.pieces, feature: choice}) for feature, choice in places)
            found = min(fits, key=self._rank, default=best)
            if self._excess(found) == self._excess(best):
                break
            best = found
        for _ in range(_PASSES):
            start = best.objective
            for feature, choice in places:
                best = min(best, self._fit({**best.pieces, feature: choice}), key=self._rank)
            if best.objective >= start - 1e-12 * abs(start):
                break
        return best

    def _excess(self, edited: _Edited) -> int:
        """Return by how many steps a model exceeds its limit."""
        most = self.model.max_steps
        return 0 if most is None else max(0, _n_steps(edited.pieces) - most)

    def _rank(self, edited: _Edited) -> tuple[int, float]:
        """Return a key: a model within the limit is better than others, then one of a lower objective."""
        return self._excess(edited), edited.objective

    def _choices(self, own: Pieces) -> list[Pieces]:
        """Return the places of missing values: apart from numbers with a trend, else of enough weight."""
        choices = own.choices_of_missing(self.columns[own.feature])
        is_constant = own.n_known == 1
        if is_constant and not own.own_codes:
            return choices[:1]
        if self.trends[own.feature] != "free" and not is_constant:
            return choices[:1]
        least = self.model.min_bin_weight
        heavy = [c for c in choices if self._limited_weights(c).min() >= least]
        return heavy or choices[:1]

    def _limited_weights(self, own: Pieces) -> Floats:
        """Return the weights that need `min_bin_weight`: with a trend missing values apart do not."""
        weights = own.weights(self.columns[own.feature], self.weights)
        return weights if self.trends[own.feature] == "free" else weights[: own.n_known]

    def _fit(self, pieces: Mapping[int, Pieces]) -> _Edited:
        ordered = dict(sorted(pieces.items()))
        curves = [(_CURVES.get(self.trends[j], 0), own.n_known) for j, own in ordered.items()]
        refit = self.problem.solve([own.codes(self.columns[j]) for j, own in ordered.items()], curves)
        objective = refit.loss + refit.penalty + self.point["lambda0"] * _n_steps(ordered)
        return _Edited(ordered, refit, objective)

    def price(self, feature: int | None, edited: _Edited) -> EditPrice:
        """Compare an edited model with the model."""
        chosen = (self.pieces, edited.pieces)
        if feature is None:
            name, (before, after) = TOGETHER, [_n_steps(each) for each in chosen]
        else:
            name = self.table.names[feature]
            before, after = (each[feature].n_steps if feature in each else 0 for each in chosen)
        price = edited.objective - float(self.point["objective"])
        if abs(price) <= _ROUNDING * abs(edited.objective):
            price = 0.0
        return EditPrice(name, before, after, edited.objective, price)

    def model_of(self, edited: _Edited) -> Any:
        """Create the estimator of an edited model."""
        self._check_limits(edited)
        shapes = [
            own.payload(self.columns[feature], self.weights, values)
            for (feature, own), values in zip(edited.pieces.items(), edited.refit.values, strict=True)
        ]
        point = {
            **self.point,
            "intercept": edited.refit.intercept,
            "objective": edited.objective,
            "loss": edited.refit.loss,
            "n_nonzero": _n_steps(edited.pieces),
            "complete": False,
            "shapes": shapes,
        }
        envelope = json.loads(self.model.to_json())
        features = envelope["model"]["features"]
        bound, changed = self.point["bound"], {}
        moved, has_new = add_cuts(features, edited.pieces, self.columns, self.table.columns)
        if moved or has_new:
            envelope.pop("n_bins", None)
            changed["bins"] = {j: own["cuts"] for j, own in enumerate(features) if own.get("cuts")}
            point, bound = with_moved(point, moved), bound and with_moved(bound, moved)
        if has_new:  # that bound holds for the candidates of the fit alone
            bound = self._bound_with(changed["bins"]) if point["ridge"] > 0 else None
        point["bound"] = _below(bound, edited.objective)
        envelope["model"]["outputs"] = [{"selected": 0, "points": [point], "cv": None}]
        found = type(self.model).from_json(json.dumps(envelope, default=to_plain))
        return found.set_params(**found._strengths(), **changed)

    def _bound_with(self, bins: Mapping[int, list[float]]) -> Any:
        """Prove a lower bound for all models with other candidate cut points."""
        values, weights = self.training
        problem = problem_of(self.table, np.ascontiguousarray(values[:, [0]]), weights, None)
        # The bound does not know `max_steps`, which would end the path at a larger penalty.
        other = {"bins": bins_of(bins, self.table), "max_steps": None}
        payload = {**self.model._parameters_of_fit(self.table), **other}
        return card_at(problem, payload, self.point, threads.resolve(self.model.n_jobs))["bound"]

    def _check_limits(self, edited: _Edited) -> None:
        names, model = self.table.names, self.model
        self._check_trends(edited)
        for limit, noun, count in (
            ("max_steps", "step", _n_steps(edited.pieces)),
            ("max_columns", "column", len(edited.pieces)),
        ):
            most = getattr(model, limit)
            if most is not None and count > most:
                raise ValueError(
                    f"bins: with these edits the model has {pluralize(count, noun)}, and {limit} is {most}; "
                    f"leave another column out with None, or fit with a larger {limit}"
                )
        for (feature, own), values in zip(edited.pieces.items(), edited.refit.values, strict=True):
            if self.problem.loss != "squared" and np.ptp(values) > _MOST_RANGE:
                raise ValueError(
                    f"bins: the values of column {names[feature]!r} differ by {np.ptp(values):.3g}, more "
                    f"than {_MOST_RANGE:g}: a bin has rows of one class; merge it, or fit with more ridge"
                )
            weights = self._limited_weights(own)
            if weights.min() < model.min_bin_weight * (1 - 1e-9):
                raise _too_light(own, names[feature], weights, model.min_bin_weight)

    def _check_trends(self, edited: _Edited) -> None:
        """Raise an error if the best values break a trend, and name the cut points that are left without."""
        if not (groups := self._groups(edited)):
            return
        merged = edited
        while found := self._groups(merged):
            kept = {feature: merged.pieces[feature].merged(own) for feature, own in found.items()}
            pieces = {feature: own for feature, own in {**merged.pieces, **kept}.items() if own.n_steps}
            merged = self._fit(pieces)
        changed = [feature for feature, own in edited.pieces.items() if pieces.get(feature) != own]
        given = [feature for feature in changed if feature in pieces or feature in self.pieces]
        names = self.table.names
        bins = {names[j]: pieces[j].listed_cuts if j in pieces else None for j in given}
        flat = format_names([names[feature] for feature in changed if feature not in given])
        remedy = " and ".join([f"the bins {bins}"] * bool(bins) + [f"none of {flat}"] * bool(flat))
        feature, values = next(
            (j, values) for j, values in zip(edited.pieces, edited.refit.values, strict=True) if j in groups
        )
        own = edited.pieces[feature]
        merged_bins = merges(own.cuts, pieces[feature].cuts if feature in pieces else ())
        listed = ", ".join(f"{value:+.3g}" for value in values[: own.n_known].tolist())
        raise ValueError(
            f"bins: the best values of the bins of column {names[feature]!r} are {listed}; with "
            f"monotonic_cst they must {TRENDS[self.trends[feature]]}. Merge bins {merged_bins}, counted from "
            f"the smallest numbers: all trends hold with {remedy}"
        )

    def _groups(self, edited: _Edited) -> dict[int, list[int]]:
        """Return which bins break a trend and are merged, by columns."""
        found = {}
        for (feature, own), values in zip(edited.pieces.items(), edited.refit.values, strict=True):
            n, trend = own.n_known, "free" if own.groups else self.trends[feature]
            weights = own.weights(self.columns[feature], self.weights)[:n]
            groups = groups_of_trend(values[:n], weights, trend)
            if len(groups) < n:
                found[feature] = groups
        return found


def _n_steps(pieces: Mapping[int, Pieces]) -> int:
    return sum(own.n_steps for own in pieces.values())


def _too_light(own: Pieces, name: str, weights: Floats, least: float) -> ValueError:
    """Create the error for a bin that has too little weight."""
    place = int((weights < least).argmax())
    if place < own.n_known:
        noun, remedy = f"bin {place + 1}", "merge it with a neighbour"
    else:
        noun = "the bin of missing values"
        remedy = "a column of special codes alone keeps them apart: remove the column with None"
    return ValueError(
        f"bins: {noun} of column {name!r} has the weight {weights[place]:g}, and min_bin_weight is "
        f"{least:g}; {remedy}, or fit with a smaller min_bin_weight"
    )


def _below(bound: Mapping[str, Any] | None, objective: float) -> dict[str, Any] | None:
    """Return a lower bound for a model whose objective may be less than that of the model, by rounding."""
    if bound is None:
        return None
    found = {**bound, "dual": min(bound["dual"], objective)}
    if "tree" in bound:
        found["tree"] = [
            {**node, "dual": min(node["dual"], objective)} if "dual" in node else node
            for node in bound["tree"]
        ]
    return found


def _of_rows(column: Any, rows: NDArray[np.intp]) -> Any:
    return (column[0][rows], column[1]) if isinstance(column, tuple) else column[rows]
