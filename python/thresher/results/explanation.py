"""A prediction as a sum: the intercept and the contribution of each term for one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_effects, without_rounding
from ..formatting.text import pluralize
from .printed import PrintedTable
from .summary import INTERCEPT
from .table_text import Line, Section, TableText


@dataclass(frozen=True)
class Contribution:
    """The contribution of one term to the decision value of one row.

    Parameters
    ----------
    text : str
        The text of the rule or pattern, or of the term with the row's value.
    value : float
        The contribution, in units of the target or of the decision function.
    kind : {"rule", "pattern", "linear", "interaction", "step", "remainder"}
        The kind of term; a ``remainder`` is the sum of the terms that are not listed.
    output : object, default=None
        The class or target; None where there is one output.
    term : Rule, Pattern, Interaction or None, default=None
        The term of the model, if it has such an object.
    feature : str or None, default=None
        The column of a linear term or of a step, whose text names the value of the row too.
    """

    text: str
    value: float
    kind: str
    output: Any = None
    term: Any = None
    feature: str | None = None


@dataclass(frozen=True, repr=False)
class Explanation(PrintedTable):
    """An explanation of one prediction: the intercept and the contributions add up to the decision value.

    The intercept and the coefficients are those that ``summary()`` prints: a linear term adds
    its coefficient times the row's value. The sum in double precision differs from
    ``decision`` only by rounding errors: by at most (n + 2) 2.2e-16 times the sum of
    the absolute values of the n contributions and the intercept (twice that with linear
    terms).

    Parameters
    ----------
    prediction : object
        The prediction of ``predict`` for the row.
    intercepts : tuple of (output, float)
        The intercept of each output.
    decisions : tuple of (output, float)
        The decision value of each output: the value of ``predict`` for regression, of
        ``decision_function`` for classification, of which it is the negative where `pos_label` is the first
        of two classes.
    contributions : tuple of Contribution
        The terms with a non-zero contribution for this row, the largest first.
    effect : str, default="prediction"
        The name of the sum of the contributions; for two classes it names the positive one.

    Examples
    --------
    >>> from thresher import Explanation
    >>> from thresher.results.explanation import Contribution
    >>> part = Contribution("age > 30", 0.5, "rule")
    >>> print(Explanation(1.5, ((None, 1.0),), ((None, 1.5),), (part,)))
    prediction 1.5
        adds  term
      +1.000  (intercept)
      +0.500  age > 30
      +1.500  sum: the prediction
    """

    prediction: Any
    intercepts: tuple[tuple[Any, float], ...]
    decisions: tuple[tuple[Any, float], ...]
    contributions: tuple[Contribution, ...]
    effect: str = "prediction"

    @property
    def terms(self) -> list[Any]:
        """The rules that hold for the row, or the patterns that occur in it."""
        return [part.term for part in self.contributions if part.term is not None]

    @property
    def intercept(self) -> Any:
        """The intercept; a dict of output to intercept where there are several."""
        return _single_or_dict(self.intercepts)

    @property
    def decision(self) -> Any:
        """The decision value; a dict of output to value where there are several."""
        return _single_or_dict(self.decisions)

    def columns(self) -> dict[str, list[Any]]:
        """Return the contributions as columns.

        Returns
        -------
        dict of str to list
            ``term, kind, contribution``, the intercept first; ``output`` before them where
            there are several.
        """
        lines = [
            line
            for output, intercept in self.intercepts
            for line in (
                (output, INTERCEPT, "intercept", intercept),
                *((output, part.text, part.kind, part.value) for part in self._parts(output)),
            )
        ]
        outputs, terms, kinds, values = map(list, zip(*lines, strict=True))
        found = {"output": outputs, "term": terms, "kind": kinds, "contribution": values}
        return found if len(self.intercepts) > 1 else {k: v for k, v in found.items() if k != "output"}

    def _parts(self, output: Any) -> list[Contribution]:
        several = len(self.intercepts) > 1
        return [part for part in self.contributions if not several or part.output == output]

    def _heading(self) -> str:
        is_number = isinstance(self.prediction, float)
        return f"prediction {self.prediction:.6g}" if is_number else f"prediction {self.prediction}"

    def _layout(self) -> TableText:
        sections = []
        for (output, intercept), (_, total) in zip(self.intercepts, self.decisions, strict=True):
            parts = self._parts(output)
            terms = [part.value for part in parts]
            values = format_effects(without_rounding([intercept, *terms, total], terms))
            meaning = self.effect if len(self.intercepts) == 1 else "decision value"
            texts = [INTERCEPT, *(part.text for part in parts), f"sum: the {meaning}"]
            lines = tuple(Line(cells) for cells in zip(values, texts, strict=True))
            sections.append(Section("" if len(self.intercepts) == 1 else str(output), lines))
        return TableText(("adds", "term"), "rl", tuple(sections), self._heading())

    def __repr__(self) -> str:
        """Return a one-line description."""
        return f"Explanation({self._heading()} from {pluralize(len(self.contributions), 'term')})"


def _single_or_dict(values: Sequence[tuple[Any, float]]) -> Any:
    return values[0][1] if len(values) == 1 else dict(values)


def explain_rows(
    contributions: Sequence[Sequence[Contribution]],
    intercepts: Sequence[tuple[Any, float]],
    decision: NDArray[np.float64],
    predictions: NDArray[Any],
    effect: str,
) -> list[Explanation]:
    """Create the explanations of rows from contributions and predictions.

    Parameters
    ----------
    contributions : list of list of Contribution
        The contributions of each row, in any order; zeros are omitted.
    intercepts : list of (output, float)
        The intercept of each output.
    decision : ndarray of shape (n_rows, n_outputs)
        Decision values.
    predictions : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        The predictions of ``predict``.
    effect : str
        The name of the sum of the contributions.

    Returns
    -------
    list of Explanation
        One for each row.
    """
    outputs = [output for output, _ in intercepts]
    return [
        Explanation(
            _to_python(prediction),
            tuple(intercepts),
            tuple(zip(outputs, values.tolist(), strict=True)),
            tuple(sorted((part for part in parts if part.value), key=lambda part: -abs(part.value))),
            effect,
        )
        for parts, values, prediction in zip(contributions, decision, predictions, strict=True)
    ]


def _to_python(prediction: Any) -> Any:
    """Convert a prediction to a Python type; labels of an object array are returned unchanged."""
    return prediction.tolist() if hasattr(prediction, "tolist") else prediction
