"""Check the docstrings of everything public as users see them, by the rules in pyproject.toml.

A linter of the source would miss what is written at import: the parameters of estimators.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from numpydoc.hooks.validate_docstrings import parse_config
from numpydoc.validate import validate

import thresher

ROOT = Path(__file__).parents[2]


def public_modules() -> Iterator[ModuleType]:
    """Import the package and its modules whose path has no leading underscore."""
    yield thresher
    for module in pkgutil.walk_packages(thresher.__path__, "thresher."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            yield importlib.import_module(module.name)


def public_objects(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """List classes and functions that a module defines, or that the package exports."""
    is_package = module is thresher
    named = {name: getattr(thresher, name) for name in thresher.__all__} if is_package else vars(module)
    for name, found in named.items():
        is_own = is_package or getattr(found, "__module__", None) == module.__name__
        is_hidden = name.startswith("_") or getattr(found, "_is_protocol", False)
        if is_own and not is_hidden and (inspect.isclass(found) or inspect.isfunction(found)):
            yield f"{module.__name__}.{name}", found


def public_members(name: str, found: Any) -> Iterator[str]:
    """List methods and properties of a class, also those it inherits from a class of the package."""
    for member in dir(found):
        owner = next((cls for cls in found.__mro__ if member in vars(cls)), object)
        value = inspect.getattr_static(found, member)
        if owner.__module__.startswith("thresher") and (
            isinstance(value, property) or inspect.isroutine(getattr(found, member, None))
        ):
            yield f"{name}.{member}"


def names_to_check() -> set[str]:
    """Name everything whose docstring users can see."""
    names = set()
    for module in public_modules():
        for name, found in public_objects(module):
            names.add(name)
            if inspect.isclass(found) and not issubclass(found, BaseException):
                names.update(public_members(name, found))
    return names


def main() -> int:
    """Print what is wrong; give the exit status."""
    config = parse_config(ROOT)
    findings = [
        f"{name}: {code} {message}"
        for name in sorted(names_to_check())
        if not config["exclude"].search(name)
        for code, message in validate(name)["errors"]
        if code in config["checks"]
    ]
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
