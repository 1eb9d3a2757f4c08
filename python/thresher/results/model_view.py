"""The document of a fitted model of any family."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Level
from ..formatting.numbers import read_count


class ModelView(ABC):
    """A read-only view of a model's document.

    Parameters
    ----------
    model : thresher._native.Model or thresher._native.PatternModel
        The compiled model.

    Attributes
    ----------
    outputs : list of mapping
        The outputs.
    n_candidates : int
        The number of candidate terms.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.payload: dict[str, Any] = json.loads(model.to_json(all_points=True))
        self.task: str = self.payload["task"]
        self.loss: str = self.payload["loss"]
        self.classes: list[Level] | None = self.payload.get("classes")
        self.outputs: list[Any] = self.payload["outputs"]
        self.n_candidates = read_count(self.payload["n_candidates"])

    def selected(self) -> list[int]:
        """Return the selected point of each output.

        Returns
        -------
        list of int
            Positions in the points of the outputs.
        """
        return [output["selected"] for output in self.outputs]

    def point(self, output: int, point: int) -> Any:
        """Return one solution.

        Parameters
        ----------
        output, point : int
            Positions of the output, and of the point on its path.

        Returns
        -------
        mapping
            The solution.
        """
        return self.outputs[output]["points"][point]

    def intercepts(self, points: Sequence[int]) -> NDArray[np.float64]:
        """Return the intercepts.

        Parameters
        ----------
        points : list of int
            The selected point of each output.

        Returns
        -------
        ndarray of shape (n_outputs,)
            One for each output.
        """
        return np.asarray([self.point(output, point)["intercept"] for output, point in enumerate(points)])

    @abstractmethod
    def order(self, term: Any) -> Any:
        """Return the sort key of a term.

        Parameters
        ----------
        term : mapping
            One of an output's terms.

        Returns
        -------
        object
            A key that depends on the term only, not on the search.
        """

    @abstractmethod
    def text(self, output: int, term: int) -> str:
        """Return the text of a term.

        Parameters
        ----------
        output, term : int
            Positions of the output, and of the term among its terms.

        Returns
        -------
        str
            The text of the term.
        """

    def active(self, points: Sequence[int]) -> list[list[tuple[int, float]]]:
        """List the terms with non-zero coefficients, in the order of display.

        Parameters
        ----------
        points : list of int
            The selected point of each output.

        Returns
        -------
        list of list of (int, float)
            For each output the terms' positions in the document and coefficients.
        """
        return [
            sorted(
                self.point(output, point)["terms"],
                key=lambda entry, terms=self.outputs[output]["terms"]: self.order(terms[entry[0]]),  # type: ignore[misc]
            )
            for output, point in enumerate(points)
        ]

    def places(self, points: Sequence[int]) -> list[int]:
        """Return the positions of the displayed terms in the compiled model, output by output.

        Parameters
        ----------
        points : list of int
            The selected point of each output.

        Returns
        -------
        list of int
            For each term in the order of :meth:`active` its column of the activations.
        """
        places: list[int] = []
        for (output, point), terms in zip(enumerate(points), self.active(points), strict=True):
            place = {entry[0]: number for number, entry in enumerate(self.point(output, point)["terms"])}
            start = len(places)
            places.extend(start + place[index] for index, _ in terms)
        return places

    def saved(self, points: Sequence[int]) -> dict[str, Any]:
        """Return the document with the selected points only.

        Parameters
        ----------
        points : list of int
            The selected point of each output.

        Returns
        -------
        dict
            A valid document: one point for each output, and the terms of this point.
        """
        payload: dict[str, Any] = json.loads(self.model.to_json(all_points=True))
        for output, point in zip(payload["outputs"], points, strict=True):
            chosen = output["points"][point]
            with_terms = [chosen, *filter(None, [chosen.get("relaxation")])]
            used = sorted({index for part in with_terms for index, _ in part["terms"]})
            place = {index: position for position, index in enumerate(used)}
            output["terms"] = [output["terms"][index] for index in used]
            for part in with_terms:
                part["terms"] = [[place[index], coef] for index, coef in part["terms"]]
            if output.get("criterion"):
                output["criterion"]["values"] = [output["criterion"]["values"][point]]
            output["points"], output["selected"] = [chosen], 0
        return payload
