"""A typed view of the core's document of a rule model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..data.columns import Column
from ..data.row_blocks import in_row_blocks
from ..data.schema import Schema
from .model_view import ModelView
from .payloads import ConditionPayload, FeaturePayload, RulePayload


def _condition_order(conditions: Sequence[ConditionPayload]) -> tuple[Any, ...]:
    """Order rules by columns, then by bounds, then by categories."""
    columns = tuple(condition["feature"] for condition in conditions)
    bounds = tuple(
        end if end is not None else sign * math.inf
        for condition in conditions
        for end, sign in ((condition.get("lower"), -1), (condition.get("upper"), 1))
    )
    words = tuple(
        f"{condition.get('missing')} {condition.get('negated')} {condition.get('category')}"
        for condition in conditions
    )
    return columns, bounds, words


class RuleView(ModelView):
    """The document of a rule model, with the texts of its rules.

    Parameters
    ----------
    model : thresher._native.Model
        The compiled model.

    Attributes
    ----------
    features : list of FeaturePayload
        The columns.
    outputs : list of dict
        The outputs.
    n_candidates : int
        The number of candidate rules.
    intervals : dict
        The conditions of rules that were read, by column and ends: thousands of rules share some hundreds.
    """

    def __init__(self, model: _native.Model) -> None:
        super().__init__(model)
        self.features: list[FeaturePayload] = self.payload["features"]
        self.intervals: dict[tuple[int, float | None, float | None], Any] = {}

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [feature["name"] for feature in self.features]

    def schema(self, named: bool) -> Schema:
        """Describe the table the model expects.

        Parameters
        ----------
        named : bool
            Whether the user named the columns.

        Returns
        -------
        Schema
            Names and levels.
        """
        levels = [
            feature.get("levels") if feature["kind"] == "categorical" else None for feature in self.features
        ]
        return Schema(self.names, levels, named)

    def linear(self, points: Sequence[int]) -> NDArray[np.float64]:
        """Return the linear coefficients in the user's units.

        Parameters
        ----------
        points : list of int
            The selected point of each output.

        Returns
        -------
        ndarray of shape (n_outputs, n_features)
            0 where there is no term.
        """
        coefficients = np.zeros((len(self.outputs), len(self.features)))
        for output, point in enumerate(points):
            for term in self.point(output, point)["linear"]:
                coefficients[output, term["feature"]] = term["coef"]
        return coefficients

    def order(self, term: RulePayload) -> Any:
        """Order rules by columns, then by bounds, then by categories.

        Parameters
        ----------
        term : RulePayload
            A rule.

        Returns
        -------
        tuple
            A key.
        """
        return _condition_order(term["pattern"])

    def text(self, output: int, term: int) -> str:
        """Return the text of a rule.

        Parameters
        ----------
        output, term : int
            Positions of the output, and of the rule among its rules.

        Returns
        -------
        str
            The text of the rule.
        """
        from .rule import rule_from_payload

        return rule_from_payload(self.outputs[output]["terms"][term], 0.0, self).text

    def activations(self, columns: Sequence[Column], points: Sequence[int]) -> NDArray[np.bool_]:
        """Return the indicator of each rule for each row.

        Parameters
        ----------
        columns : list of column
            The rows.
        points : list of int
            The selected point of each output.

        Returns
        -------
        ndarray of shape (n_rows, n_rules)
            In the order of :meth:`active`, output by output.
        """
        fired = in_row_blocks(columns, lambda block: self.model.activations(block, points))
        return fired[:, self.places(points)]
