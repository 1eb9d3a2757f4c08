"""Elements, numbers, texts and names of a PMML document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from ..data.columns import Level
from .formula import Column

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML 1.0 document cannot hold, not even escaped."""

Value = str | float | bool | None


def element(tag: str, *children: ET.Element, **attributes: Value) -> ET.Element:
    """Make an element.

    Parameters
    ----------
    tag : str
        Its name.
    *children : Element
        Its children.
    **attributes : str, float, bool or None
        Its attributes; None leaves one out.

    Returns
    -------
    Element
        The element.

    Raises
    ------
    ValueError
        If a text holds a character that XML cannot hold.

    Examples
    --------
    >>> ET.tostring(element("Constant", dataType="double", note=None))
    b'<Constant dataType="double" />'
    """
    found = ET.Element(tag, {name: text_of_value(own) for name, own in attributes.items() if own is not None})
    found.extend(children)
    return found


def with_text(made: ET.Element, value: Value) -> ET.Element:
    """Give an element a text.

    Parameters
    ----------
    made : Element
        The element.
    value : str, float or bool
        The text.

    Returns
    -------
    Element
        The element.
    """
    made.text = text_of_value(value)
    return made


def constant(value: float) -> ET.Element:
    """Return a constant.

    Parameters
    ----------
    value : float
        The number.

    Returns
    -------
    Element
        The constant.
    """
    return with_text(element("Constant", dataType="double"), float(value))


def field(name: str, missing: float | None = None) -> ET.Element:
    """Return a reference to a field.

    Parameters
    ----------
    name : str
        The field.
    missing : float, optional
        What stands for a missing value.

    Returns
    -------
    Element
        The reference.
    """
    return element("FieldRef", field=name, mapMissingTo=missing)


def apply(function: str, *arguments: ET.Element) -> ET.Element:
    """Return a call of a built-in function.

    Parameters
    ----------
    function : str
        Its name.
    *arguments : Element
        Its arguments.

    Returns
    -------
    Element
        The call.
    """
    return element("Apply", *arguments, function=function)


def derived(name: str, expression: ET.Element) -> ET.Element:
    """Return a derived field that is a number.

    Parameters
    ----------
    name : str
        Its name.
    expression : Element
        Its value.

    Returns
    -------
    Element
        The field.
    """
    return element("DerivedField", expression, name=name, optype="continuous", dataType="double")


def text_of_value(value: Value) -> str:
    """Write a value.

    Parameters
    ----------
    value : str, float, bool or None
        The value; a number has as many digits as read back to the same number.

    Returns
    -------
    str
        Its text.

    Raises
    ------
    ValueError
        If it holds a character that XML cannot hold.

    Examples
    --------
    >>> text_of_value(True), text_of_value(0.1 + 0.2), text_of_value(3)
    ('true', '0.30000000000000004', '3')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    text = str(value)
    if _NOT_XML.search(text):
        raise ValueError(f"the text {text!r} holds a character that XML cannot hold; use to_python or to_sql")
    return text


def type_of_levels(levels: Iterable[Level]) -> str:
    """Return the data type that holds all categories.

    Parameters
    ----------
    levels : iterable of level
        The categories.

    Returns
    -------
    {"boolean", "integer", "double", "string"}
        The type; "integer" for whole numbers of at most 32 bits, "string" for categories of several types.

    Examples
    --------
    >>> type_of_levels([1, 2]), type_of_levels([1, 2.5]), type_of_levels([True]), type_of_levels([1, "a"])
    ('integer', 'double', 'boolean', 'string')
    """
    found = set(map(_type_of, levels))
    if found == {"integer", "double"}:
        return "double"
    return found.pop() if len(found) == 1 else "string"


def _type_of(level: Level) -> str:
    if isinstance(level, bool):
        return "boolean"
    if isinstance(level, int):
        return "integer" if abs(level) < 2**31 else "double"
    return "double" if isinstance(level, float) else "string"


class Names:
    """Names of fields, each of which stands for one thing.

    Parameters
    ----------
    taken : iterable of str
        Names that are given already.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """Take a name.

        Parameters
        ----------
        wanted : str
            The name.

        Returns
        -------
        str
            The name, with a number where another field has it.
        """
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted} ({number})"
        self._taken.add(name)
        return name

    def copy(self) -> Names:
        """Return the names for fields that another model does not see.

        Returns
        -------
        Names
            A copy.
        """
        return Names(self._taken)


def data_field(column: Column) -> ET.Element:
    """Declare a column.

    Parameters
    ----------
    column : Column
        The column.

    Returns
    -------
    Element
        The entry of the data dictionary: a finite number, or one of the categories.
    """
    if column.kind == "number":
        largest = 1.7976931348623157e308
        finite = element("Interval", closure="closedClosed", leftMargin=-largest, rightMargin=largest)
        return element("DataField", finite, name=column.name, optype="continuous", dataType="double")
    levels: tuple[Level, ...] = (False, True) if column.kind == "item" else column.levels
    values = [element("Value", value=level) for level in levels]
    kind = type_of_levels(levels)
    return element("DataField", *values, name=column.name, optype="categorical", dataType=kind)


def mining_field(column: Column) -> ET.Element:
    """Say what a model does with missing and unknown values of a column.

    Parameters
    ----------
    column : Column
        The column.

    Returns
    -------
    Element
        The entry of a mining schema.
    """
    if column.kind == "item":
        return element(
            "MiningField", name=column.name, missingValueReplacement=False, missingValueTreatment="asValue"
        )
    unknown = {"refused": "returnInvalid", "missing": "asMissing", "known": "asIs"}
    invalid = "returnInvalid" if column.kind == "number" else unknown[column.unknown]
    missing = None if column.allows_missing else "returnInvalid"
    return element(
        "MiningField", name=column.name, missingValueTreatment=missing, invalidValueTreatment=invalid
    )
