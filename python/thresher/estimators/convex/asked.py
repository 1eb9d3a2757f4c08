"""What any certified model can be asked about its optimum."""

from __future__ import annotations

import json
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from ... import threads
from ...results.coverage import coverage_of
from ...results.price import NearTie, Price
from .. import checks as parameters
from .base import ConvexModelBase

if TYPE_CHECKING:
    from ...plotting import PathDisplay


class Asked(ConvexModelBase):
    """Questions about what lies around the optimum.

    A subclass says how a candidate of the core is shown (`_shown`) and how large it may be
    (`_extent`), and prints as a table (`_as_table`).
    """

    @abstractmethod
    def _shown(self, wire: Any, **facts: Any) -> Any:
        """Put a candidate of the core into words."""

    @abstractmethod
    def _extent(self, asked: Any) -> tuple[str, int, str]:
        """Give the parameter that limits a candidate's size, that size, and what it counts."""

    def _ruled_out(self, asked: Any) -> str:
        """Say which parameter leaves a candidate out; nothing where none does."""
        name, size, counted = self._extent(asked)
        most = getattr(self, name)
        if most is not None and size > most:
            return f"it has {size} {counted}, and {name}={most}"
        if asked.n_rows < self.min_support:
            return f"it holds {asked.n_rows} times in training, and min_support={self.min_support}"
        return ""

    def _to_complete(self, output: Any) -> list[Any] | None:  # noqa: ARG002
        """Give an output's terms whose complements are no news; None where none has one."""
        return None

    @abstractmethod
    def _as_table(self) -> Any:
        """Give the model as a table to print."""

    def _price(self, which: int, wire: Any) -> Price:
        model, point = self._fitted.view.model, self._path_index[which]
        answer = json.loads(self._training().price(model, which, point, json.dumps(wire)))
        coef = answer["coef"] if answer["in_model"] else 0.0
        asked = self._shown(wire, coef=coef, **coverage_of(answer))
        shown = not answer["in_model"] or asked.text in self._texts(which)
        return Price.from_answer(asked, answer, self._ruled_out(asked), shown)

    def _texts(self, which: int) -> set[str]:
        """Give the texts of an output's terms."""
        document = self._fitted.view
        return {
            document.text(which, k) for k, _ in document.point(which, self._path_index[which])[document.terms]
        }

    def near_ties(self, within: float = 0.05, limit: int = 20, output: Any = None) -> list[NearTie]:
        """List candidates that almost entered.

        Left out is a rule of one condition that holds for exactly the rows that one of the model,
        or one listed before, leaves out (``x > 3`` beside ``x <= 3``): it says the same.

        Parameters
        ----------
        within : float, default=0.05
            How far below the threshold, relative: 0.05 lists candidates from 95 % on.
        limit : int, default=20
            The most to list.
        output : object, optional
            The class or target, where the model has several; all of them by default.

        Returns
        -------
        list of NearTie
            The nearest first.

        Raises
        ------
        ValueError
            If `within` is not between 0 and 1, or the training data are not here.
        """
        training, document, labels = self._training(), self._fitted.view, self._fitted.output_names()
        parameters.real("within", within, 0, 1, closed=True)
        parameters.whole("limit", limit, 1)
        n_jobs, ties = threads.resolve(self.n_jobs), []
        for which in range(len(self._path_index)) if output is None else [self._output(output)]:
            said = self._to_complete(labels[which])
            most = int(limit) if said is None else 2 * int(limit) + len(said)
            at = (which, self._path_index[which], float(within), most, n_jobs)
            for tie in json.loads(training.near_ties(document.model, *at)):
                shown = self._shown(tie["pattern"], output=labels[which], **coverage_of(tie))
                if said is not None and any(shown.is_complement(other) for other in said):
                    continue
                ties.append(NearTie(shown, tie["correlation"], tie["threshold"], tie["ratio"]))
                if said is not None:
                    said.append(shown)
        return sorted(ties, key=lambda tie: -tie.ratio)[:limit]

    def plot_path(self, ax: Any = None) -> PathDisplay:
        """Plot coefficients against the strength, with the held-out loss.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        PathDisplay
            The plot; needs matplotlib.
        """
        from ...plotting import PathDisplay

        return PathDisplay.from_estimator(self, ax=ax)

    def _html_repr(self) -> str:
        diagram = super()._html_repr() if hasattr(super(), "_html_repr") else ""
        return diagram + (self._as_table()._repr_html_() if self.__sklearn_is_fitted__() else "")
