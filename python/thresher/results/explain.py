"""Why the model says what it says about one row."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.inputs import Table
from ..formatting.numbers import format_effects, format_value
from .rule import active_rules
from .rule_document import Document


@dataclass(frozen=True)
class Contribution:
    """What one term adds to one row's prediction.

    Parameters
    ----------
    text : str
        The rule, or the linear term with the row's value.
    value : float
        What it adds, in units of the target or of the decision function.
    type : {"rule", "linear", "pattern"}
        Which.
    output : object
        The class or target, None where there is one.
    term : Rule, Pattern or None
        The rule or pattern, None for a linear term.
    """

    text: str
    value: float
    type: str
    output: Any = None
    term: Any = None


@dataclass(frozen=True, repr=False)
class Explanation:
    """A prediction taken apart; the parts add up to the decision.

    Linear terms are counted from their means, so that a missing value adds nothing.

    Parameters
    ----------
    prediction : object
        What ``predict`` says.
    decision : list of (output, float)
        Start and contributions added up, for each output.
    starts : list of (output, float)
        Where each output starts: the intercept with every linear term at its mean.
    contributions : list of Contribution
        The terms that are not 0 for this row, the largest first.

    Examples
    --------
    >>> part = Contribution("age > 30", 0.5, "rule")
    >>> print(Explanation(1.5, [(None, 1.5)], [(None, 1.0)], [part]))
    prediction 1.5
      +1.000  (start)
      +0.500  age > 30
      +1.500  in all
    """

    prediction: Any
    decision: list[tuple[Any, float]]
    starts: list[tuple[Any, float]]
    contributions: list[Contribution]

    @property
    def rules(self) -> list[Any]:
        """The rules that fired, or the patterns that occur."""
        return [part.term for part in self.contributions if part.term is not None]

    def _of(self, output: Any) -> list[Contribution]:
        return [part for part in self.contributions if len(self.decision) == 1 or part.output == output]

    def _shown(self) -> str:
        number = isinstance(self.prediction, float)
        return f"prediction {self.prediction:.6g}" if number else f"prediction {self.prediction}"

    def __repr__(self) -> str:
        """Say it in a line."""
        terms = "1 term" if len(self.contributions) == 1 else f"{len(self.contributions)} terms"
        return f"Explanation({self._shown()} from {terms})"

    def __str__(self) -> str:
        """List the parts."""
        lines = [self._shown()]
        for (output, total), (_, start) in zip(self.decision, self.starts, strict=True):
            if len(self.decision) > 1:
                lines.append(f"[{output}]")
            parts = self._of(output)
            first, *steps, last = format_effects([start, *(part.value for part in parts), total])
            lines.append(f"  {first}  (start)")
            lines.extend(f"  {step}  {part.text}" for step, part in zip(steps, parts, strict=True))
            lines.append(f"  {last}  in all")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """List the parts for a notebook."""
        return f"<pre>{html.escape(str(self))}</pre>"


def explain_rows(
    document: Document, points: Sequence[int], labels: Sequence[Any], table: Table, predictions: NDArray[Any]
) -> list[Explanation]:
    """Take predictions apart.

    Parameters
    ----------
    document : Document
        The model.
    points : list of int
        The chosen point of each output.
    labels : list
        A label for each output; None where there is one only.
    table : Table
        The rows.
    predictions : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        What ``predict`` says.

    Returns
    -------
    list of Explanation
        One for each row.
    """
    rules = active_rules(document, points, labels)
    fired = document.activations(table.columns, points)
    decision = document.model.decision(table.columns, points)
    starts = list(zip(labels, _starts(document, points), strict=True))
    linear = _linear_parts(document, points, labels, table)
    explanations = []
    for row in range(table.n_rows):
        parts = [part for parts in linear for part in (parts[row],) if part is not None]
        parts += [
            Contribution(rules[k].text, rules[k].coef, "rule", rules[k].output, rules[k])
            for k in np.flatnonzero(fired[row])
        ]
        parts.sort(key=lambda part: -abs(part.value))
        totals = list(zip(labels, decision[row].tolist(), strict=True))
        explanations.append(Explanation(_plain(predictions[row]), totals, starts, parts))
    return explanations


def _plain(prediction: Any) -> Any:
    """Give a prediction as Python's own type; labels of an object array already are."""
    return prediction.tolist() if hasattr(prediction, "tolist") else prediction


def _starts(document: Document, points: Sequence[int]) -> list[float]:
    """Each output's prediction with every linear term at its mean and no rule."""
    return [
        document.point(output, point)["intercept"]
        + sum(term["coef"] * term["center"] for term in document.point(output, point)["linear"])
        for output, point in enumerate(points)
    ]


def _linear_parts(
    document: Document, points: Sequence[int], labels: Sequence[Any], table: Table
) -> list[list[Contribution | None]]:
    parts = []
    for output, (point, label) in enumerate(zip(points, labels, strict=True)):
        for term in document.point(output, point)["linear"]:
            column = table.columns[term["feature"]]
            if not isinstance(column, tuple) and term["coef"] != 0:
                parts.append(
                    _one_term(document.names[term["feature"]], term["coef"], term["center"], column, label)
                )
    return parts


def _one_term(
    name: str, coef: float, center: float, column: NDArray[np.float64], label: Any
) -> list[Contribution | None]:
    parts: list[Contribution | None] = []
    for value in column.tolist():
        missing = value != value
        text = (
            f"{name} missing, taken as its mean {center:.4g}"
            if missing
            else f"{name} = {format_value(value)}"
        )
        added = 0.0 if missing else coef * (value - center)
        parts.append(Contribution(text, added, "linear", label) if added else None)
    return parts
