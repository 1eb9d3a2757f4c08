"""The registry of classes that a file can hold; they register themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .persistence import SavableEstimator

_T = TypeVar("_T", bound="type[SavableEstimator]")
_CLASSES: dict[str, type[SavableEstimator]] = {}
_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {}


def register(estimator: _T) -> _T:
    """Class decorator: register a class under its name.

    Parameters
    ----------
    estimator : type
        The class.

    Returns
    -------
    type
        The same class.
    """
    _CLASSES[estimator.__name__] = estimator
    return estimator


def register_format(name: str, reader: Callable[[dict[str, Any]], Any]) -> None:
    """Register a format of files that hold no estimator.

    Parameters
    ----------
    name : str
        The entry ``format`` of such files.
    reader : callable
        Creates the object of the parsed contents of a file, which it checks.
    """
    _READERS[name] = reader


def reader_of(name: object) -> Callable[[dict[str, Any]], Any] | None:
    """Return the reader of a format.

    Parameters
    ----------
    name : object
        The entry ``format`` of a file.

    Returns
    -------
    callable or None
        None for formats that are not registered, such as that of estimators.
    """
    return _READERS.get(name) if isinstance(name, str) else None


def find(name: str) -> type[SavableEstimator] | None:
    """Return the class of a name.

    Parameters
    ----------
    name : str
        The name in a file.

    Returns
    -------
    type or None
        None where no class has the name.
    """
    return _CLASSES.get(name)


def name_of(estimator: type) -> str:
    """Name the class that a file of an estimator holds.

    Parameters
    ----------
    estimator : type
        The class, or a subclass of the user's, which writes files of the class it extends.

    Returns
    -------
    str
        The name of a registered class.
    """
    return next(cls.__name__ for cls in estimator.__mro__ if _CLASSES.get(cls.__name__) is cls)


def registered() -> list[type[SavableEstimator]]:
    """List all estimators.

    Returns
    -------
    list of type
        The classes, in the order of their registration.
    """
    return list(_CLASSES.values())
