"""What a fitted pattern model can be asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ... import _native, threads
from ...data.targets import apply_class_weight, row_weights
from ...results.certificate import Certificate, certificate_of, naming_outputs
from ...results.explain import Contribution, Explanation
from ...results.pattern import Pattern
from ...results.pattern_table import PatternTable
from ...results.price import Price
from .. import checks as parameters
from ..convex.asked import Asked
from .base import PatternModelBase
from .prepare import core_params

if TYPE_CHECKING:
    from ...plotting import PatternsDisplay


class FittedPatterns(PatternModelBase, Asked):
    """Questions to a fitted model: patterns, reasons, prices, proofs, plots."""

    def transform(self, X: Any) -> Any:
        """Tell which patterns occur in which records.

        Parameters
        ----------
        X : records
            As in :meth:`fit`.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_records, n_patterns)
            1.0 where the pattern occurs; columns in the order of ``patterns_``.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        records = self._read(X).records
        return self._fitted.view.activations(records, self._path_index)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns of :meth:`transform`: the patterns in words.

        Parameters
        ----------
        input_features : array-like of str, optional
            The columns' names, where training had a matrix; they must be those of training.

        Returns
        -------
        ndarray of shape (n_patterns,)
            Text; with several outputs each begins with the class or target.

        Raises
        ------
        ValueError
            If names are not those of training.
        """
        check_is_fitted(self)
        if self._fitted.is_matrix:
            _check_feature_names_in(self, input_features)
        texts = [p.text if p.output is None else f"{p.output}: {p.text}" for p in self.patterns_]
        return np.asarray(texts, dtype=object)

    def pattern_table(self) -> PatternTable:
        """Give the model as a table to print.

        Returns
        -------
        PatternTable
            The patterns, the most important first, with the certificate; shows as text
            and, in notebooks, as HTML.
        """
        check_is_fitted(self)
        intercepts = self._fitted.view.intercepts(self._path_index).tolist()
        starts = list(zip(self._fitted.output_names(), intercepts, strict=True))
        return PatternTable(self.patterns_, starts, self._note(), f"{self.certificate_}")

    def get_patterns(self) -> Any:
        """Give the patterns as a data frame.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or PatternTable
            From pandas where it is installed, else polars, else a table. Columns:
            ``pattern`` (text), ``size``, ``coef``, ``support`` (fraction of the
            training weight), ``n_rows`` (training records), one ``n_rows_<class>`` for each
            class, and ``importance`` (|coef| sqrt(s (1 - s)), s the support), the most important
            first. With several outputs ``output`` comes first.
        """
        return self.pattern_table().to_frame()

    def explain(self, X: Any) -> list[Explanation]:
        """Tell which patterns make up each prediction.

        Parameters
        ----------
        X : records
            As in :meth:`fit`.

        Returns
        -------
        list of Explanation
            One for each record; prints as a sum.

        Raises
        ------
        TypeError, ValueError
            As in :meth:`predict`.
        """
        records = self._read(X).records
        document, labels = self._fitted.view, self._fitted.output_names()
        fired = document.activations(records, self._path_index)
        decision = document.model.decision(records, self._path_index)
        starts = list(zip(labels, document.intercepts(self._path_index).tolist(), strict=True))
        explanations = []
        for row, prediction in enumerate(self.predict(X)):
            met = [self.patterns_[k] for k in fired.indices[fired.indptr[row] : fired.indptr[row + 1]]]
            met.sort(key=lambda pattern: -abs(pattern.coef))
            parts = [Contribution(p.text, p.coef, "pattern", p.output, p) for p in met]
            totals = list(zip(labels, decision[row].tolist(), strict=True))
            plain = prediction.tolist() if hasattr(prediction, "tolist") else prediction
            explanations.append(Explanation(plain, totals, starts, parts))
        return explanations

    def price(self, pattern: Any, output: Any = None) -> Price:
        """Tell why a pattern is not in the model, or that it is.

        Parameters
        ----------
        pattern : Pattern, the text of one of ``patterns_``, or as the class describes its patterns
            Which.
        output : object, optional
            The class or target, where the model has several; a :class:`Pattern` of the
            model has its own.

        Returns
        -------
        Price
            The pattern's correlation with what is left to explain against the threshold
            it would have to reach, and what it could gain; prints as a sentence.

        Raises
        ------
        ValueError
            If the pattern cannot be read, or the training data are not here.
        TypeError
            If `pattern` is of another type.
        """
        self._training()
        given = isinstance(pattern, Pattern)
        which = self._output(pattern.output if output is None and given else output)
        return self._price(which, self._wire_of(pattern))

    def _wire_of(self, pattern: Any) -> Any:
        """Read a pattern: one of the model's own, by its text too, or any other."""
        if isinstance(pattern, str):
            pattern = next((own for own in self.patterns_ if own.text == pattern), pattern)
        if isinstance(pattern, Pattern):
            return pattern.payload
        document = self._fitted.view
        return document.family.parse(pattern, document.vocabulary, document.language)

    def _shown(self, wire: Any, **facts: Any) -> Pattern:
        shown: Pattern = self._fitted.view.pattern(wire, **facts)
        return shown

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Prove the model's optimality again, by a search of its own.

        Parameters
        ----------
        X, y, sample_weight : records and array-like
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
        reading = self._read(X)
        target = self._read_target(y, reading.n_records, self._fitted)
        weights = row_weights(sample_weight, reading.n_records)
        weights = apply_class_weight(getattr(self, "class_weight", None), target, weights)
        problem = _native.PatternProblem(reading.records, target.values, weights, None)
        text = core_params(self, parameters.path_alphas(None))
        model, n_jobs = self._fitted.view.model, threads.resolve(self.n_jobs)
        with naming_outputs(self._fitted.output_names()):
            found = json.loads(_native.verify_patterns(model, problem, self._path_index, text, n_jobs))
        return certificate_of(found, self._fitted.view.n_candidates, self._called)

    def plot_patterns(self, max_patterns: int = 20) -> PatternsDisplay:
        """Plot the patterns as a table: weight, and support in each class.

        Parameters
        ----------
        max_patterns : int, default=20
            The most patterns to show, the most important first.

        Returns
        -------
        PatternsDisplay
            The plot; needs matplotlib.
        """
        from ...plotting import PatternsDisplay

        return PatternsDisplay.from_estimator(self, max_patterns=max_patterns)

    def _extent(self, asked: Pattern) -> tuple[str, int, str]:
        name, counted = self._family.limit
        return name, asked.size, counted

    def _as_table(self) -> PatternTable:
        return self.pattern_table()
