"""Several data sets in one report: metrics on each, and all else on the last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..formatting.numbers import format_count
from ._data import Data, data_of
from ._metrics import Lines

_FORMS = "(X, y) or (X, y, sample_weight)"


@dataclass(frozen=True)
class Sets:
    """The rows on which models are shown, and further ones on which metrics are.

    Parameters
    ----------
    data : Data or None
        The rows; those of the last data set where there are several.
    name : str, default=""
        The name of the last data set; empty where there is no other.
    others : mapping of str to Data, default={}
        The data sets before it.
    """

    data: Data | None
    name: str
    others: Mapping[str, Data]

    @property
    def sentence(self) -> str:
        """What the page says of several data sets; empty where there is one."""
        if not self.others:
            return ""
        listed = ", ".join(f"{name} ({format_count(own.n_rows)} rows)" for name, own in self.others.items())
        return f" These are those of {self.name}; metrics are also shown on {listed}."

    def without_invalid(self, models: Any) -> Sets:
        """Leave out the records that a model skips because it cannot read them."""
        data = None if self.data is None else self.data.without_invalid(models)
        others = {name: own.without_invalid(models) for name, own in self.others.items()}
        return Sets(data, self.name, others)


def sets_of(X: Any, y: Any, group: Any, sample_weight: Any, *, reads_graphs: bool) -> Sets:
    """Check what the user gave: rows with their targets, or a mapping of names to them."""
    if not isinstance(X, Mapping):
        return Sets(data_of(X, y, group, sample_weight, reads_graphs=reads_graphs), "", {})
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if given is not None:
            raise ValueError(f"{name}: given beside a dict of data sets; give each as a tuple {_FORMS}")
    if not X:
        raise ValueError(f"X: got an empty dict; give data sets by name, each as a tuple {_FORMS}")
    found: dict[str, Data] = {}
    for number, (name, given) in enumerate(X.items(), start=1):
        if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
            raise TypeError(f"X: the data set {name!r} is no tuple {_FORMS}")
        own, truth, weights = (*given, None)[:3]
        division = group if number == len(X) else None
        with naming(str(name)):
            data = data_of(own, truth, division, weights, reads_graphs=reads_graphs)
        if data is None:
            raise ValueError(f"X: the data set {name!r} has no rows")
        found[str(name)] = data
    last, data = found.popitem()
    return Sets(data, last if found else "", found)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Name the data set in errors, where there are several."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not name:
            raise
        raise type(error)(f"the data set {name!r}: {error}") from error


def beside(parts: Mapping[str, list[tuple[str, Lines]]]) -> list[tuple[str, list[str], list[list[Any]]]]:
    """Put the metrics of several data sets into columns.

    Parameters
    ----------
    parts : mapping of str to list of (str, lines)
        The metrics of each target on each data set; those of a single one have an empty name.

    Returns
    -------
    list of (str, list of str, list of list)
        For each target its name, the headings of the columns, and lines of a name and numbers.
    """
    found = []
    for place, (target, _) in enumerate(next(iter(parts.values()), [])):
        columns = [dict(blocks[place][1]) for blocks in parts.values() if blocks]
        headings = [name or target or "value" for name, blocks in parts.items() if blocks]
        names = dict.fromkeys(name for column in columns for name in column)
        found.append((target, headings, [[name, *(own.get(name) for own in columns)] for name in names]))
    return found
