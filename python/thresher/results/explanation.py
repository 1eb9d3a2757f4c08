"""A prediction as a sum: the intercept and what each term adds for one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..formatting.numbers import format_effects
from ..formatting.text import pluralize
from .printed import PrintedTable
from .summary import INTERCEPT
from .table_text import Line, Section, TableText


@dataclass(frozen=True)
class Contribution:
    """What one term adds to the decision value of one row.

    Parameters
    ----------
    text : str
        The rule or pattern, or the term with the row's value.
    value : float
        What it adds, in units of the target or of the decision function.
    kind : {"rule", "pattern", "linear", "interaction", "step", "remainder"}
        What it is; a ``remainder`` holds what is not listed term by term.
    output : object, default=None
        The class or target that it speaks of; None where there is one.
    term : Rule, Pattern, Interaction or None, default=None
        The term of the model, where it is one of these.
    """

    text: str
    value: float
    kind: str
    output: Any = None
    term: Any = None


@dataclass(frozen=True, repr=False)
class Explanation(PrintedTable):
    """A prediction taken apart: the intercept and the contributions add up to the decision value.

    The intercept and the coefficients are those that ``summary()`` prints: a linear term adds
    its coefficient times the row's value. The sum in double precision differs from ``decision``
    by rounding alone: by at most n + 2 times 2.2e-16 times the sum of the sizes of its n
    contributions and the intercept (twice that where a linear term multiplies).

    Parameters
    ----------
    prediction : object
        What ``predict`` gives for the row.
    intercepts : tuple of (output, float)
        The intercept of each output.
    decisions : tuple of (output, float)
        The decision value of each output: what ``predict`` gives for a regression,
        ``decision_function`` for classes.
    contributions : tuple of Contribution
        The terms that add something for this row, the largest first.
    effect : str, default="prediction"
        What the contributions add up to: of two classes it names the one that they speak of.

    Examples
    --------
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
        """Return the contributions column by column.

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
            values = format_effects([intercept, *(part.value for part in parts), total])
            meaning = self.effect if len(self.intercepts) == 1 else "decision value"
            texts = [INTERCEPT, *(part.text for part in parts), f"sum: the {meaning}"]
            lines = tuple(Line(cells) for cells in zip(values, texts, strict=True))
            sections.append(Section("" if len(self.intercepts) == 1 else str(output), lines))
        return TableText(("adds", "term"), "rl", tuple(sections), self._heading())

    def __repr__(self) -> str:
        """Say it in a line."""
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
    """Put the contributions of each row beside its prediction.

    Parameters
    ----------
    contributions : list of list of Contribution
        Of each row, in any order; those of 0 are left out.
    intercepts : list of (output, float)
        The intercept of each output.
    decision : ndarray of shape (n_rows, n_outputs)
        Decision values.
    predictions : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        What ``predict`` gives.
    effect : str
        What the contributions add up to.

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
    """Return a prediction as Python's own type; labels of an object array already are."""
    return prediction.tolist() if hasattr(prediction, "tolist") else prediction
