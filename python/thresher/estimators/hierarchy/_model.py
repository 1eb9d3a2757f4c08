"""The base class of the two hierarchical estimators."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ...address_space import is_limited
from ...data.budget import Budget
from ...data.frames import as_rows
from ...data.inputs import Table
from ...data.row_blocks import in_row_blocks
from ...fit_warnings import warn
from ...formatting.numbers import read_count
from ...results import contributions
from ...results.certificate import Certificate, certificate_of, warn_if_incomplete
from ...results.explanation import Contribution
from ...results.hierarchical_rule import HierarchicalRule, rules_of
from ...results.hierarchy_path import HierarchyPath
from ...results.summary import SummaryRow
from ...results.summary_rows import by_importance, frame_of_rules, rule_rows
from ...validation import Parameter, integer, number, numbers, words
from .. import _optimality as optimality
from .. import _reasons, _rule_features
from .._base import Estimator
from .._convex import n_compared
from .._cut_points import bins_of, bins_parameter
from .._identifiers import warn_of_identifiers
from .._parameters import CV, RUN, TABLE, loss_parameter
from .._plots import plot_path
from .._tables import BYTES_OF_BINNED_ROWS, BinnedMemory, interpret, problem_of
from .._training import FitResult, PathRequest, TrainingData, one_or_all
from ._crowded_bins import warn_of_crowded_bins

if TYPE_CHECKING:
    from ...plotting.hierarchy import HullDisplay


_MEMORY = BinnedMemory(**BYTES_OF_BINNED_ROWS, column=4_000, row=30, most=15_000)
"""With 20,000 columns and 50 rows a column took 4.3 kB beside its cells."""
_SEARCH_PART = 0.8
"""The part of the time of a strength after which only its gap is proven."""
_ALPHA_HINT = "'cv', a number > 0, or a list of numbers > 0 to cross-validate"


def hierarchy_parameters(*losses: str) -> dict[str, Parameter]:
    """Declare the parameters of hierarchical estimators with some losses."""
    return {
        **RUN,
        **CV,
        **TABLE,
        "rho": Parameter(
            (number(1, 2, closed="right"),),
            """Order of the norm over a conjunction's descendants, > 1 and <= 2. 2 selects a conjunction
            only with all its subsets (Bach's hierarchical kernel learning); values nearer to 1 select fewer
            redundant rules.""",
        ),
        "alpha": Parameter(
            (words("cv"), number(0), "array-like"),
            """Regularisation strength: 1 / (C n) with the papers' C and n the sum of the weights. "cv": the
            strength of least held-out score among 1000/n, 100/n, ..., 0.001/n; a list: the best of
            these. The largest are compared first, and none after the score has risen or whose proof is out
            of reach in the folds. If the optimum of the best one is not proven within the limits, the one
            before it is taken, provided that its optimum is and its score is within one standard error; a
            warning says so. From 2.3e-16 to 4.5e15: beyond, the loss or the penalty is lost in rounding.""",
            '"cv", float or array-like of float',
            _ALPHA_HINT,
        ),
        "loss": loss_parameter(losses),
        "depth_base": Parameter(
            (number(1, 100, closed="right"),),
            "Factor a on the penalty of a conjunction for each further proposition, > 1 and <= 100.",
        ),
        "bins": bins_parameter(
            "By default 5 bins of equal width, as in the paper; 6 quantile bins suit skewed columns."
        ),
        "scoring": Parameter(
            (words("loss", "error"),),
            "Score on the held-out rows: the mean loss, or the fraction of wrong labels.",
        ),
        "solver": Parameter(
            (words("newton", "mirror_descent"),),
            """Solver for a working set; both find the same optimum. Mirror descent is the method of the
            paper and much slower.""",
        ),
        "tol": Parameter((number(0, 1),), "The relative duality gap to reach over the whole lattice."),
        "max_hull": Parameter(
            (integer(1),),
            """The most conjunctions in the working set. If it is full, the optimal model over it is
            returned, with its true gap over the whole lattice. A cross-validation ends before a strength
            that fills it.""",
        ),
    }


class HierarchyModel(TransformerMixin, Estimator):
    """Base class of rule ensembles over a lattice of conjunctions."""

    _candidate_noun: ClassVar[str] = "rules"
    rules_: list[HierarchicalRule]
    hull_: list[HierarchicalRule]
    certificate_: Certificate

    def _faster(self) -> list[str]:
        return ["fewer bins", "a smaller max_hull"]

    def _read_inputs(self, X: Any, budget: Budget) -> Table:
        return _MEMORY.read(X, self.categorical_features, budget)

    def _core_parameters(self, inputs: Table, path: PathRequest | None) -> dict[str, Any]:
        same = ("loss", "rho", "depth_base", "tol", "max_hull", "time_limit")
        return {
            **self._choice(path),
            "strategy": self.solver,
            **{name: getattr(self, name) for name in same},
            "bins": bins_of(self.bins, inputs),
            "memory_limit": self.memory_limit,
        }

    def _choice(self, path: PathRequest | None) -> dict[str, Any]:
        """Return strengths (None: the default grid) and selection as the core expects them."""
        given = self.alpha if path is None else path.strengths
        automatic = given is None or isinstance(given, str)
        alphas = None if automatic else numbers("alpha", given, hint=_ALPHA_HINT)
        if path is not None or (alphas is not None and len(alphas) == 1):
            return {"alphas": alphas, "select": {"kind": "last"}}
        scoring = getattr(self, "scoring", "loss")
        choice = {"kind": "cv", "one_standard_error": self.one_standard_error, "scoring": scoring}
        return {"alphas": alphas, "select": choice}

    def _run_core(self, data: TrainingData, n_jobs: int, report: Any) -> tuple[Any, Any]:
        problem = problem_of(data.inputs, data.target.values, data.weights, data.folds)
        return _native.fit_hierarchy(problem, data.payload, n_jobs, data.classes, report, data.journal), None

    def _chosen_points(self) -> dict[str, Any]:
        """Return the document with the selected points, and the conjunctions that they name."""
        document = super()._chosen_points()
        return {**document, "outputs": [_with_named_terms(output) for output in document["outputs"]]}

    @classmethod
    def _load_core(cls, text: str) -> _native.HierarchyModel:
        return _native.HierarchyModel.from_json(text)

    @classmethod
    def _interpret(
        cls,
        model: Any,
        data: TrainingData | None,
        envelope: Mapping[str, Any],
        vocabulary: Any,  # noqa: ARG003
    ) -> dict[str, Any]:
        return interpret(model, data, envelope)

    def _fitted_attributes(self, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
        points = result.points(path_index)
        rules = [[(place, coef) for place, coef in point["terms"]] for point in points]
        hulls = [
            [(place, dict(own).get(place, 0.0)) for place in point["hull"]]
            for point, own in zip(points, rules, strict=True)
        ]
        return {
            "rules_": _rules(result, rules),
            "hull_": _rules(result, hulls),
            "alpha_": one_or_all([point["alpha"] for point in points]),
            "certificate_": certificate_of(
                points, read_count(result.document["n_candidates"]), n_compared=result.n_compared
            ),
            "n_iter_": max(1, *(point["n_iter"] for point in points)),
            "path_": HierarchyPath(result.outputs, select),
        }

    def _warn(self, data: TrainingData, seconds: float) -> None:
        warn_of_identifiers(data.inputs, (), "Leave it out of X")
        if isinstance(self.bins, tuple) and self.bins[0] == "uniform":
            warn_of_crowded_bins(data, self._fitted.document["features"])
        points = self._fitted.points(self._path_index)
        unproven = [p for p in points if not p["complete"] and p["relative_gap"] > p["tol"]]
        is_full = any(len(p["hull"]) + 1 >= self.max_hull for p in unproven)
        # Each output has a share of the time, which may be over before that of the fit.
        part = _SEARCH_PART / (1 if is_full else len(points))
        late = self.time_limit is not None and seconds >= part * self.time_limit
        has_memory_limit = self.memory_limit is not None or is_limited()
        # A working set that may grow ends at ten times max_hull conjunctions of the bound, or by rounding.
        own = ["max_hull", *(["memory_limit"] if has_memory_limit else []), *([] if is_full else ["alpha"])]
        n_default = _native.N_HIERARCHY_STRENGTHS
        n_alphas = n_default if isinstance(self.alpha, str) else np.unique(self.alpha).size
        limits = ["time_limit"] if late else own
        warn_if_incomplete(self.certificate_, limits, n_compared(self, data), n_alphas)
        for output, chosen in zip(self._fitted.outputs, self._path_index, strict=True):
            points = output["points"][chosen:]
            if points[1:]:
                _warn_of_unproven(points[0], points[1], output["cv"]["mean"][chosen:])

    def _used_columns(self) -> Collection[int]:
        return {c.feature_index for rule in self.rules_ for c in rule.conditions}

    def _indicators(self, table: Table) -> NDArray[np.bool_]:
        model, points = self._fitted.model, self._path_index
        return in_row_blocks(table.columns, lambda columns: model.activations(columns, points))

    _compared_columns = _rule_features.compared_columns
    transform = _rule_features.transform
    get_feature_names_out = _rule_features.get_feature_names_out
    reasons = _reasons.reasons
    _reason_terms = _reasons.of_rules

    def get_rules(self) -> Any:
        """Return the rules as a data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            From pandas where it is installed, else polars. Columns: ``rule, type, coef,
            support`` (fraction of the training weight), ``n_rows`` and ``importance``, the
            most important first. With several outputs ``output`` comes first.
        """
        check_is_fitted(self)
        return frame_of_rules(self._summary_rows(), several_outputs=len(self._path_index) > 1)

    def _summary_rows(self) -> list[SummaryRow]:
        return by_importance(rule_rows(self.rules_))

    def _as_rows(self, X: Any) -> Any:
        return as_rows(X)

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        return contributions.of_indicators(self.rules_, self._indicators(self._table(X)), "rule")

    def verify(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, time_limit: float | None = None
    ) -> Certificate:
        """Prove the model's optimality again with a newly computed bound, by code apart from the solver.

        All else that the model says of the training data is computed again and compared: the
        objective and the gap, the number of candidates, the rows and the support of each rule,
        also by class, the cut points, and that the hull has every subset of its
        rules. Not checked, because the data do not determine them:
        the time, the numbers of steps and nodes, held-out scores, which further rules the hull
        has, and whether a limit ended the fit.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The training data of the model.
        time_limit : float, optional
            Seconds for the proof and the reading of the data; by default there is no limit.

        Returns
        -------
        Certificate
            The new certificate: the objective of the model and a lower bound over the whole lattice.

        Raises
        ------
        CertificateError
            If the check fails: the data differ, the file was edited, or there is a defect.
        TypeError, ValueError
            If the data cannot be read.
        TimeoutError
            If the time is over before; the message says which outputs are confirmed.
        """
        with optimality.timed(time_limit):
            table = self._table(X, every_column=True)
            prove: Any = optimality.verify_by  # a hierarchy has no best subsets
            certificate: Certificate = prove(
                self, table, y, sample_weight, problem_of, _native.verify_hierarchy
            )
        return certificate

    def _path_terms(self, which: int, places: list[int]) -> list[list[tuple[str, str, float]]]:
        result = self._fitted
        output, features = result.outputs[which], result.document["features"]
        chosen = (output["points"][place] for place in places)
        points = [rules_of(output, point["terms"], features, None) for point in chosen]
        return [
            [("term", rule.text, math.copysign(rule.importance, rule.coef)) for rule in rules]
            for rules in points
        ]

    plot_path = plot_path

    def plot_hull(self, *, output: Any = None, max_rules: int = 20, ax: Any = None) -> HullDisplay:
        """Draw the hull of the model: its rules and all their subsets, level by level.

        Parameters
        ----------
        output : object, optional
            The class or target, where the model has several; the first by default.
        max_rules : int, default=20
            The most rules to show, those of the largest importance.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        HullDisplay
            The plot.

        Raises
        ------
        ValueError
            If there is no such output.
        ImportError
            If matplotlib is not installed.
        """
        from ...plotting.hierarchy import HullDisplay

        return HullDisplay.from_estimator(self, output=output, max_rules=max_rules, ax=ax)

    def __sklearn_tags__(self) -> Any:
        """Declare the kinds of input for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _rules(result: FitResult, entries: list[list[tuple[int, float]]]) -> list[HierarchicalRule]:
    """Create the rules of each output from positions in its document and coefficients."""
    features = result.document["features"]
    parts = zip(result.outputs, entries, result.output_names(), strict=True)
    return [rule for output, own, label in parts for rule in rules_of(output, own, features, label)]


def _warn_of_unproven(point: Mapping[str, Any], other: Mapping[str, Any], scores: Sequence[float]) -> None:
    """Say that another point has a better score than that of the model, but is not proven."""
    alpha, gap = other["alpha"], other["relative_gap"]
    warn(
        f"alpha={alpha:.3g} has the best held-out score ({scores[1]:.3g}), but its optimum was not proven "
        f"(relative gap {gap:.2g}): the model is that of alpha={point['alpha']:.3g} ({scores[0]:.3g}, within "
        "one standard error), whose optimum was. Raise max_hull, or time_limit if there is one, to prove the "
        f"other; path_.at({alpha:.3g}) is what was found of it",
        ConvergenceWarning,
    )


def _with_named_terms(output: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output of one point with the conjunctions that the point names, renumbered."""
    (point,) = output["points"]
    named = sorted({*point["hull"], *(term for term, _ in point["terms"])})
    place = {term: k for k, term in enumerate(named)}
    renumbered = {
        **point,
        "hull": [place[term] for term in point["hull"]],
        "terms": [(place[term], coef) for term, coef in point["terms"]],
    }
    return {**output, "terms": [output["terms"][term] for term in named], "points": [renumbered]}
