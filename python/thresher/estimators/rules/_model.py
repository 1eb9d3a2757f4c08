"""The base class of the two rule estimators."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ... import _native
from ...data.budget import BYTES_OF_A_RESPONSE, Budget
from ...data.coded_tables import CodedTable
from ...data.frames import as_rows
from ...data.inputs import Table
from ...results import contributions
from ...results.certificate import Certificate
from ...results.convex_path import RulePath
from ...results.equivalents import MOST_RULES, equivalents_note
from ...results.explanation import Contribution
from ...results.payloads import ConditionPayload
from ...results.price import Price
from ...results.rule import Condition, Rule, active_rules
from ...results.rule_group import groups_of
from ...results.rule_parser import read_rule
from ...results.rule_view import RuleView
from ...results.subset_certificate import SubsetCertificate
from ...results.summary import SUM_OF_COLUMNS, SummaryRow
from ...results.summary_rows import by_importance, frame_of_rules, linear_rows, rule_rows
from .. import _datasets, _reasons, _rule_features, _shared
from .. import _optimality as optimality
from .._base import Estimator
from .._columns import monotonic_of, refuse_codes_among_ranges, special_codes_of
from .._convex import (
    convex_attributes,
    fit_options,
    path_terms,
    strengths,
    warn_of_limits,
)
from .._cut_points import bins_of
from .._identifiers import warn_of_identifiers
from .._penalty_choice import fit_small_model
from .._plots import plot_path
from .._tables import BinnedMemory, problem_of, sample_rows
from .._training import FitResult, PathRequest, TrainingData
from . import _plots
from ._language import Conditions, beyond_cut_points
from ._lost_columns import warn_of_lost_columns
from ._max_features import limit_of, most_features

_MEMORY = BinnedMemory((50, 18), BYTES_OF_A_RESPONSE, 0, column=5_000, row=80, most=30_000)
"""With 20,000 columns and 20, 100 and 500 rows a column took 5, 13 and 29 kB beside its cells."""


class RuleModel(TransformerMixin, Estimator):
    """Base class of sparse sums of box rules and linear terms."""

    _candidate_noun: ClassVar[str] = "rules"
    _size_limit: ClassVar[str] = "max_terms"  # the parameter that limits all terms together
    rules_: list[Rule]
    certificate_: Certificate | SubsetCertificate

    fit = _shared.fit
    fit_path = _shared.fit_path
    _read = _datasets.read
    _decision = _datasets.decision_values

    def _faster(self) -> list[str]:
        pairs = ["max_features=2"] * (self.max_features not in (1, 2))
        single = ["max_features=1 (for many columns or classes)"] * (self.max_features != 1)
        return [*pairs, *single, "fewer bins", "fewer categories"]

    def _read_inputs(self, X: Any, budget: Budget) -> Table | CodedTable:
        if isinstance(X, CodedTable):
            refuse_codes_among_ranges(X, special_codes_of(self.special_codes, X))
            return X
        return _MEMORY.read(X, self.categorical_features, budget)

    def _core_parameters(self, inputs: Table | CodedTable, path: PathRequest | None) -> dict[str, Any]:
        if self.group_sparsity is not None and self.group_sparsity < 1 and not self.closed:
            raise ValueError(
                "group_sparsity: needs closed=True; copies of a rule in a group would reduce its penalty"
            )
        options = fit_options(self, path)
        return {
            **options,
            "max_rules": self.max_rules,
            "max_linear": self.max_linear,
            "max_terms": self.max_terms,
            **limit_of(self.max_features, options["penalty"]),
            "min_support": self.min_support,
            "bins": bins_of(self.bins, inputs),
            "special_codes": special_codes_of(self.special_codes, inputs),
            "linear": self.linear,
            "monotonic_cst": monotonic_of(self.monotonic_cst, inputs.names),
            "positive": self.positive,
            "group_sparsity": self.group_sparsity,
            "linear_penalty": self.linear_penalty,
        }

    def _run_core(self, data: TrainingData, n_jobs: int, report: Any) -> tuple[Any, Any]:
        problem = problem_of(data.inputs, data.target.values, data.weights, data.folds)

        def fit(data: TrainingData) -> tuple[Any, Any]:
            payload, journal = data.payload, data.journal
            return _native.fit(problem, payload, n_jobs, data.classes, report, journal, data.searches)

        return fit_small_model(self, data, fit)

    def _parameters_of_fit(self, inputs: Table | CodedTable) -> dict[str, Any]:
        own = super()._parameters_of_fit(inputs)
        fitted = {"max_features": self.max_features_, "choose_max_features": False}
        return {**own, **fitted} if self.max_features == "auto" else own

    @classmethod
    def _load_core(cls, text: str) -> _native.Model:
        return _native.Model.from_json(text)

    @classmethod
    def _interpret(
        cls,
        model: _native.Model,
        data: TrainingData | None,
        envelope: Mapping[str, Any],
        vocabulary: Any,  # noqa: ARG003
    ) -> dict[str, Any]:
        view = RuleView(model)
        sample = None if data is None else sample_rows(data.inputs, data.weights)
        named = bool(envelope["named"]) if data is None else data.inputs.feature_names is not None
        return {
            "document": view.payload,
            "schema": view.schema(named),
            "view": view,
            "sample": sample,
        }

    def _fitted_attributes(self, result: FitResult, path_index: list[int], select: Any) -> dict[str, Any]:
        linear = result.view.linear(path_index)
        rules = active_rules(result.view, path_index, result.output_names())
        return {
            **convex_attributes(result, path_index, self._candidate_noun),
            "max_features_": most_features(result.document, self.max_features),
            "rules_": rules,
            "groups_": groups_of(rules),
            "linear_coef_": linear[0] if len(path_index) == 1 else linear,
            "path_": RulePath(result.outputs, select),
        }

    def _warn(self, data: TrainingData, seconds: float) -> None:
        warn_of_identifiers(data.inputs, (), "Leave it out of X")
        if self.linear:
            warn_of_lost_columns(data, self._fitted.document["features"])
        warn_of_limits(self, data, seconds)

    def _chosen_points(self) -> dict[str, Any]:
        found: dict[str, Any] = self._fitted.view.saved(self._path_index)
        return found

    def _used_columns(self) -> Collection[int]:
        linear = np.flatnonzero(np.atleast_2d(self.linear_coef_).any(axis=0)).tolist()
        return {*linear, *(c.feature_index for rule in self.rules_ for c in rule.conditions)}

    def _indicators(self, table: Table) -> NDArray[np.bool_]:
        holds: NDArray[np.bool_] = self._fitted.view.activations(table.columns, self._path_index)
        return holds

    _compared_columns = _rule_features.compared_columns
    transform = _rule_features.transform
    get_feature_names_out = _rule_features.get_feature_names_out

    def _summary_rows(self) -> list[SummaryRow]:
        document, grouped = self._fitted.view, self.group_sparsity is not None
        rows = rule_rows(self.rules_, grouped=grouped)
        for output, (point, label) in enumerate(
            zip(self._path_index, self._fitted.output_names(), strict=True)
        ):
            linear = document.point(output, point)["linear"]
            rows += linear_rows(linear, document.names, label, grouped=grouped)
        return by_importance(rows)

    def _as_rows(self, X: Any) -> Any:
        return as_rows(X)

    def _contributions(self, X: Any) -> list[list[Contribution]]:
        table, document = self._table(X), self._fitted.view
        linear = [
            contributions.of_linear_terms(document.point(o, point)["linear"], document.features, table, label)
            for o, (point, label) in enumerate(
                zip(self._path_index, self._fitted.output_names(), strict=True)
            )
        ]
        indicators = contributions.of_indicators(self.rules_, self._indicators(table), "rule")
        return contributions.concatenate_rows(*linear, indicators)

    reasons = _reasons.reasons

    def _reason_terms(self, place: int) -> _reasons.ReasonTerms:
        linear = self._fitted.view.point(place, self._path_index[place])["linear"]
        return _reasons.of_rules(self, place, linear)

    def get_rules(self) -> Any:
        """Return rules and linear terms as a data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            From pandas where it is installed, else polars. Columns: ``rule`` (text, or the
            column's name), ``type`` ("rule" or "linear"), ``coef``, ``support`` (fraction of
            the training weight; 1 for linear terms), ``n_rows`` (training rows; missing for
            linear terms) and ``importance`` (|coef| sqrt(s (1 - s)); linear: |coef| sd), the
            most important first. With several outputs ``output`` comes first, with
            ``group_sparsity`` ``group`` comes last: the ``text`` of the rule's group in
            ``groups_``, None for linear terms.
        """
        check_is_fitted(self)
        return frame_of_rules(self._summary_rows(), several_outputs=len(self._path_index) > 1)

    def _candidate(self, payload: list[ConditionPayload], **attributes: Any) -> Rule:
        view = self._fitted.view
        conditions = tuple(Condition.from_payload(entry, view.features) for entry in payload)
        return Rule(conditions, **attributes)

    def _beyond_language(self, candidate: Rule) -> str:
        def count_rows(conditions: Conditions) -> int:
            answer = self._fitted.training.price(view.model, 0, self._path_index[0], json.dumps(conditions))
            return int(json.loads(answer)["n_rows"])

        view, conditions = self._fitted.view, [condition.to_payload() for condition in candidate.conditions]
        beyond = optimality.over_limit("max_features", self.max_features_, candidate.length, "conditions")
        return beyond or beyond_cut_points(conditions, candidate.n_rows, view.features, count_rows)

    def _complemented(self, output: Any) -> list[Any] | None:
        own = (rule for rule in self.rules_ if rule.output == output)
        return [form for rule in own for form in (rule, *rule.equivalents) if form.length == 1]

    @property
    def _sum_phrase(self) -> str:  # type: ignore[override]
        return super()._sum_phrase if self.rules_ else SUM_OF_COLUMNS

    def _proof(self) -> str:
        return super()._proof() + equivalents_note(self.rules_, MOST_RULES, self._term_noun, self._row_noun)

    near_ties = optimality.near_ties
    _path_terms = path_terms

    def _strengths(self) -> dict[str, Any]:
        return {**strengths(self), "max_features": self.max_features_}

    plot_path = plot_path

    def price(self, rule: Rule | str | Mapping[Any, Any], output: Any = None) -> Price:
        """Explain why a rule is in the model or not.

        Parameters
        ----------
        rule : Rule, str or dict
            For example ``"age > 30 and color = red"``, ``{"age": (30, None), "color":
            "red"}`` or a :class:`Rule`.
        output : object, optional
            The class or target, where the model has several; a :class:`Rule` of the
            model has its own.

        Returns
        -------
        Price
            The rule's correlation with the residual, the threshold for entering the
            model, and the largest possible gain; prints as a sentence. `min_support` is
            compared with ``n_rows``, as in the fit, and not with the weighted ``support``.

        Raises
        ------
        ValueError
            If the rule cannot be read, or the training data are not available.
        TypeError
            If `rule` is of another type.
        """
        optimality.training_of(self)
        which = self._fitted.place_of(rule.output if output is None and isinstance(rule, Rule) else output)
        return optimality.price_of(self, which, read_rule(rule, self._fitted.view))

    def verify(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, time_limit: float | None = None
    ) -> Certificate | SubsetCertificate:
        """Prove what the certificate says again by an independent search.

        Parameters
        ----------
        X, y, sample_weight : as in fit
            The training data of the model.
        time_limit : float, optional
            Seconds for the proof and the reading of the data; by default there is no limit.

        Returns
        -------
        Certificate or SubsetCertificate
            The new certificate.

        Raises
        ------
        CertificateError
            If the check fails: the data differ, the file was edited, or there is a defect.
        TypeError, ValueError
            If the data cannot be read.
        TimeoutError
            If the time is over before; the message says which outputs are confirmed.
        """

        def prove(table: Any, y: Any, sample_weight: Any) -> Certificate | SubsetCertificate:
            return optimality.verify_by(self, table, y, sample_weight, problem_of, _native.verify)

        with optimality.timed(time_limit):
            return _datasets.verified_rows(self, X, y, sample_weight, prove)

    plot_rules = _plots.plot_rules
    plot_groups = _plots.plot_groups
    plot_dependence = _plots.plot_dependence

    def __sklearn_tags__(self) -> Any:
        """Declare the kinds of input for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
