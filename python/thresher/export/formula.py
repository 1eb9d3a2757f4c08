"""How a fitted model scores one row, independent of the language in which this is expressed.

Every exporter walks over a :class:`Formula`. The decision value of an output is its intercept plus its
terms, added up in the order in which they are listed; a language whose arithmetic is IEEE 754 gets the same
bits as ``decision_function`` and the ``predict`` of a regression.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..data.columns import Level
from .conditions import Condition
from .event_pattern import EventPattern

Kind = Literal["number", "category", "boolean", "item", "sequence"]
Unknown = Literal["refused", "missing", "known"]
Link = Literal["identity", "label", "logistic", "clipped"]


@dataclass(frozen=True)
class Column:
    """A column that the model uses.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "category", "boolean", "item", "sequence"}
        What its cells are; an item or a sequence is present or absent and never missing.
    position : int
        Its position among all columns of training.
    levels : tuple of level, default=()
        The known categories; empty for numbers and items.
    allows_missing : bool, default=True
        Whether a missing value has a prediction.
    unknown : {"refused", "missing", "known"}, default="missing"
        A category that training did not see has no prediction, counts as missing, or counts as present
        and different from all others.
    sequence : EventPattern or None, default=None
        The events of a sequence.
    center : float, default=0.0
        What is subtracted from its numbers before terms see them.
    """

    name: str
    kind: Kind
    position: int
    levels: tuple[Level, ...] = ()
    allows_missing: bool = True
    unknown: Unknown = "missing"
    sequence: EventPattern | None = None
    center: float = 0.0

    @property
    def is_coded(self) -> bool:
        """Whether the cells are categories, which conditions name by their position in `levels`."""
        return self.kind in ("category", "boolean")

    @property
    def level_type(self) -> Literal["text", "number", "boolean", "mixed"]:
        """The type that all known categories have."""
        names = {bool: "boolean", int: "number", float: "number", str: "text"}
        found = {names[type(level)] for level in self.levels}
        return found.pop() if len(found) == 1 else "mixed"  # type: ignore[return-value]


@dataclass(frozen=True)
class RuleTerm:
    """Adds a coefficient where all conditions hold.

    Parameters
    ----------
    conditions : tuple of Condition
        The conditions.
    coef : float
        The coefficient.
    """

    conditions: tuple[Condition, ...]
    coef: float


@dataclass(frozen=True)
class Linear:
    """Adds a coefficient times a number.

    Parameters
    ----------
    column : int
        Position in :attr:`Formula.columns`, of a number.
    coef : float
        The coefficient.
    center : float or None
        The value of a missing number; None where it has no prediction.
    codes : tuple of float, default=()
        Numbers that count as missing.
    """

    column: int
    coef: float
    center: float | None
    codes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Steps:
    """Adds a piecewise constant function of a number.

    Parameters
    ----------
    column : int
        Position in :attr:`Formula.columns`, of a number.
    cuts : tuple of float
        Where it jumps, ascending; a value equal to a cut lies below it.
    values : tuple of float
        The value of each piece, one more than there are cuts.
    missing : float
        The value of a missing number.
    codes : tuple of (float, float), default=()
        Numbers that belong to no piece, ascending, and the value of each.
    """

    column: int
    cuts: tuple[float, ...]
    values: tuple[float, ...]
    missing: float
    codes: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Lookup:
    """Adds a value for each category.

    Parameters
    ----------
    column : int
        Position in :attr:`Formula.columns`, of categories.
    values : tuple of float
        One for each level.
    missing : float
        The value of a missing category.
    """

    column: int
    values: tuple[float, ...]
    missing: float


@dataclass(frozen=True)
class Atom:
    """A number that a factorization machine multiplies.

    Parameters
    ----------
    column : int or None
        Position in :attr:`Formula.columns`; None is the constant 1.
    level : int or None, default=None
        Of a category the position of a level: the number is 1 for it, else 0.
    """

    column: int | None
    level: int | None = None


@dataclass(frozen=True)
class Factor:
    """Adds products of numbers: one factor of a factorization machine.

    Component s adds ``sign_s K(z)`` with ``z_j = p_js a_j``. The kernel K of an order m is the sum of the
    products of all sets of m of the z, that of all subsets the product of all ``1 + z_j``.

    Parameters
    ----------
    order : int or None
        The order; None: all subsets.
    atoms : tuple of Atom
        The numbers a.
    signs : tuple of float
        1 or -1 for each component.
    components : tuple of tuple of (int, float)
        For each component the positions of atoms, ascending, and their p.
    """

    order: int | None
    atoms: tuple[Atom, ...]
    signs: tuple[float, ...]
    components: tuple[tuple[tuple[int, float], ...], ...]


Term = RuleTerm | Linear | Steps | Lookup | Factor


@dataclass(frozen=True)
class Output:
    """One decision value.

    Parameters
    ----------
    label : object
        The class or target, None where there is one.
    intercept : float
        The first summand.
    terms : tuple of Term
        The others, in the order of summation.
    """

    label: object
    intercept: float
    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Formula:
    """How a fitted model scores one row.

    Parameters
    ----------
    model : str
        The name of the estimator's class.
    columns : tuple of Column
        The columns that the model uses, in the order of training.
    n_columns : int
        Number of columns of training.
    training : tuple of str
        Their names; of item-sets none.
    is_named : bool
        Whether the columns have names of the user's.
    outputs : tuple of Output
        The outputs: targets, or classes against the rest; one for two classes.
    link : {"identity", "label", "logistic", "clipped"}
        A regression, classes without probabilities, probabilities of log-odds, or those of
        ``2 p - 1``, clipped.
    scale : float
        The log-odds are this multiple of the decision values.
    classes : tuple of level or None
        The labels of a classifier.
    targets : tuple of str or None, default=None
        Names of several targets of a regression.
    result : str, default="prediction"
        The name of the prediction of a regression.
    log_odds : (float, float) or None, default=None
        Of a result that is a score: the points of one unit of the log-odds of an event, and the score at even
        odds. The probability of the event is then a second result, ``probability``.
    """

    model: str
    columns: tuple[Column, ...]
    n_columns: int
    training: tuple[str, ...]
    is_named: bool
    outputs: tuple[Output, ...]
    link: Link
    scale: float
    classes: tuple[Level, ...] | None
    targets: tuple[str, ...] | None = None
    result: str = "prediction"
    log_odds: tuple[float, float] | None = None

    @property
    def is_of_sequences(self) -> bool:
        """Whether a row is a sequence of events, which no table can hold."""
        return any(column.sequence is not None for column in self.columns)

    @property
    def has_probabilities(self) -> bool:
        """Whether the model has probabilities."""
        return self.link in ("logistic", "clipped")

    @property
    def comparison(self) -> str:
        """How the decision value of the second of two classes compares with 0 where it is predicted.

        At 0 the first class in sorted order is, which is the second one here if `pos_label` chose it.
        """
        classes: Any = self.classes
        return ">=" if classes[0] > classes[1] else ">"

    @property
    def output_texts(self) -> tuple[str, ...]:
        """A text for each output; empty for a single one."""
        return tuple("" if output.label is None else str(output.label) for output in self.outputs)

    def conditions(self) -> Iterator[Condition]:
        """Iterate over the conditions of all rules.

        Yields
        ------
        Condition
            The conditions, output by output.
        """
        for term in self.terms():
            if isinstance(term, RuleTerm):
                yield from term.conditions

    def terms(self) -> Iterator[Term]:
        """Iterate over the terms of all outputs.

        Yields
        ------
        Term
            The terms, output by output.
        """
        yield from (term for output in self.outputs for term in output.terms)
