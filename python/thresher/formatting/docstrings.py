"""Docstrings that share parts: one text for what several functions say."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")


def with_parts(**parts: str) -> Callable[[_T], _T]:
    """Replace placeholders of a docstring.

    Parameters
    ----------
    **parts : str
        The text for each placeholder, such as ``{parameters}``, without indentation.

    Returns
    -------
    callable
        A decorator of classes and functions; without a docstring (``python -OO``) it changes nothing.

    Examples
    --------
    >>> @with_parts(what="rules")
    ... def learn():
    ...     '''Learn {what}.'''
    >>> learn.__doc__
    'Learn rules.'
    """

    def complete(owner: Any) -> Any:
        if owner.__doc__:
            text = inspect.cleandoc(owner.__doc__)  # Python 3.13 has removed the indentation by itself
            for name, part in parts.items():
                text = text.replace(f"{{{name}}}", part)
            owner.__doc__ = text
        return owner

    return complete
