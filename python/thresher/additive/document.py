"""A fitted additive model's document: the JSON the core writes, read with types."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..document import FeatureWire
from ..inputs import Schema
from ..text import Digits, Level


class MissingWire(TypedDict):
    """What a missing value adds, and whether it is a step of its own."""

    value: float
    weight: float
    apart: bool


class ShapeWire(TypedDict):
    """The step function of one column: cuts, or the group of each level; values."""

    feature: int
    cuts: list[float]
    groups: list[int]
    values: list[float]
    weights: list[float]
    missing: MissingWire | None


class PointWire(TypedDict):
    """One model of a path."""

    lambda0: float
    lambda2: float
    intercept: float
    objective: float
    loss: float
    n_nonzero: int
    complete: bool
    shapes: list[ShapeWire]


class Document:
    """What an additive model is, apart from its code.

    Parameters
    ----------
    model : thresher._native.AdditiveModel
        The compiled model.

    Attributes
    ----------
    loss : str
        The loss it was fitted with.
    classes : list or None
        Labels.
    features : list of FeatureWire
        The columns.
    outputs : list of dict
        The path of each output: ``points``, ``selected``, ``cv``.
    digits : Digits
        How cuts are shown.
    """

    def __init__(self, model: _native.AdditiveModel) -> None:
        self.model = model
        self.wire: dict[str, Any] = json.loads(model.to_json())
        self.loss: str = self.wire["loss"]
        self.classes: list[Level] | None = self.wire["classes"]
        self.features: list[FeatureWire] = self.wire["features"]
        self.outputs: list[dict[str, Any]] = self.wire["outputs"]
        self.digits = Digits.from_cuts([feature.get("cuts", []) for feature in self.features])

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [feature["name"] for feature in self.features]

    @property
    def task(self) -> str:
        """What the model predicts."""
        return "regression" if self.loss == "squared" else "classification"

    def schema(self, named: bool) -> Schema:
        """Describe the table the model expects.

        Parameters
        ----------
        named : bool
            Whether the columns' names are the user's own.

        Returns
        -------
        Schema
            Names and levels.
        """
        levels = [
            feature.get("levels") if feature["kind"] == "categorical" else None for feature in self.features
        ]
        return Schema(self.names, levels, named)

    def selected(self) -> list[int]:
        """Give the chosen point of each output.

        Returns
        -------
        list of int
            Positions in the outputs' points.
        """
        return [output["selected"] for output in self.outputs]

    def chosen(self, points: Sequence[int]) -> list[PointWire]:
        """Give one model of each output.

        Parameters
        ----------
        points : list of int
            Which.

        Returns
        -------
        list of PointWire
            The models.
        """
        return [output["points"][point] for output, point in zip(self.outputs, points, strict=True)]

    def intercepts(self, points: Sequence[int]) -> NDArray[np.float64]:
        """Give the intercepts.

        Parameters
        ----------
        points : list of int
            The chosen point of each output.

        Returns
        -------
        ndarray of shape (n_outputs,)
            One for each output.
        """
        return np.asarray([point["intercept"] for point in self.chosen(points)])

    def saved(self, points: Sequence[int], *, whole: bool) -> dict[str, Any]:
        """Give the document with other points chosen.

        Parameters
        ----------
        points : list of int
            The chosen point of each output.
        whole : bool
            Whether to keep the path; else there is one point an output.

        Returns
        -------
        dict
            A valid document.
        """
        outputs = [
            {**output, "selected": point}
            if whole
            else {"selected": 0, "points": [output["points"][point]], "cv": None}
            for output, point in zip(self.outputs, points, strict=True)
        ]
        return {**self.wire, "outputs": outputs}
