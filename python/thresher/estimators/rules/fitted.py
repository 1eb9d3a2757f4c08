"""What a fitted rule model can be asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ... import _native, threads
from ... import validation as parameters
from ...data.frames import as_rows
from ...data.targets import apply_class_weight, row_weights
from ...results.certificate import Certificate, certificate_of, naming_outputs
from ...results.explain import Explanation, explain_rows
from ...results.price import Price
from ...results.rule import Condition, Rule
from ...results.rule_document import ConditionWire
from ...results.rule_parser import read_rule
from ...results.rule_table import RuleTable, build_table
from .drawing import DrawnRules
from .settings import check


class FittedRules(DrawnRules):
    """Questions to a fitted model: rules, reasons, prices, proofs, files."""

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Tell which rules hold for which rows.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_rows, n_features)
            The rows, with the columns of training.

        Returns
        -------
        ndarray of shape (n_rows, n_rules)
            1.0 where the rule holds, else 0.0; columns in the order of ``rules_``.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        table = self._table(X)
        fired = self._fitted.document.activations(table.columns, self._points)
        return np.asarray(fired, dtype=np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns of :meth:`transform`: the rules in words.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names for the columns where the table had none.

        Returns
        -------
        ndarray of shape (n_rules,)
            Text; with several outputs each begins with the class or target.

        Raises
        ------
        ValueError
            If names are not those of training.
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        texts = []
        for rule in self.rules_:
            renamed = tuple(replace(c, feature_name=str(names[c.feature_index])) for c in rule.conditions)
            text = replace(rule, conditions=renamed).text
            texts.append(text if rule.output is None else f"{rule.output}: {text}")
        return np.asarray(texts, dtype=object)

    def rule_table(self) -> RuleTable:
        """Give the model as a table to print.

        Returns
        -------
        RuleTable
            Rules and linear terms, the most important first, with the certificate;
            shows as text and, in notebooks, as HTML.
        """
        check_is_fitted(self)
        return build_table(
            self._fitted.document,
            self._points,
            self._fitted.labels(),
            self._note(),
            f"{self.certificate_}",
            grouped=self.group_sparsity is not None,
        )

    def get_rules(self) -> Any:
        """Give rules and linear terms as a data frame.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or RuleTable
            From pandas where it is installed, else polars, else a table. Columns: ``rule``
            (text, or the column's name), ``type`` ("rule" or "linear"), ``coef``,
            ``support`` (fraction of the training weight; 1 for linear terms) and
            ``importance`` (|coef| sqrt(s (1 - s)); linear: |coef| sd), the most
            important first. With several outputs ``output`` comes first, with
            ``group_sparsity`` ``group`` comes last: the ``text`` of the rule's group in
            ``groups_``, None for linear terms.
        """
        return self.rule_table().to_frame()

    def explain(self, X: Any) -> Explanation | list[Explanation]:
        """Tell which terms make up a prediction.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_features), or array of shape (n_features,)
            The rows; one row may be a row of a pandas frame too.

        Returns
        -------
        Explanation or list of Explanation
            One for a single row, a list for several; prints as a sum.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        X = as_rows(X)
        table = self._table(X)
        predictions = self.predict(X)
        found = explain_rows(self._fitted.document, self._points, self._fitted.labels(), table, predictions)
        return found[0] if len(found) == 1 else found

    def _shown(self, wire: list[ConditionWire], **facts: Any) -> Rule:
        document = self._fitted.document
        read = (Condition.from_wire(condition, document.names, document.digits) for condition in wire)
        return Rule(tuple(read), **facts)

    def price(self, rule: Rule | str | Mapping[Any, Any], output: Any = None) -> Price:
        """Tell why a rule is not in the model, or that it is.

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
            The rule's correlation with what is left to explain against the threshold
            it would have to reach, and what it could gain; prints as a sentence.

        Raises
        ------
        ValueError
            If the rule cannot be read, or the training data are not here.
        TypeError
            If `rule` is of another type.
        """
        self._training()
        which = self._output(rule.output if output is None and isinstance(rule, Rule) else output)
        return self._price(which, read_rule(rule, self._fitted.document))

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Prove the model's optimality again, by a search of its own.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The data the model was fitted on.

        Returns
        -------
        Certificate
            A fresh one.

        Raises
        ------
        CertificateError
            If the model is not what it claims on these data: other data, an edited
            file, or a defect.
        TypeError, ValueError
            If the data cannot be read.
        """
        table = self._table(X)
        params = self.get_params(deep=False)
        target = self._read_target(y, table.n_rows, self._fitted)
        weights = apply_class_weight(
            params.get("class_weight"), target, row_weights(sample_weight, table.n_rows)
        )
        problem = _native.Problem(table.columns, table.names, target.values, weights, None)
        text = check(params, self._task, table.names, parameters.path_alphas(None))
        model = self._fitted.document.model
        n_jobs = threads.resolve(self.n_jobs)
        with naming_outputs(self._fitted.labels()):
            found = json.loads(_native.verify(model, problem, self._points, text, n_jobs))
        return certificate_of(found, self._fitted.document.n_candidates)

    def _to_complete(self, output: Any) -> list[Any] | None:
        own = (rule for rule in self.rules_ if rule.output == output)
        return [form for rule in own for form in (rule, *rule.equivalents) if form.length == 1]

    def _extent(self, asked: Rule) -> tuple[str, int, str]:
        return "max_features", asked.length, "conditions"

    def _as_table(self) -> RuleTable:
        return self.rule_table()
