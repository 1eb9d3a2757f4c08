"""Check the docstrings of everything public as users see them, by the rules in pyproject.toml.

A linter of the source would miss what is written at import: the parameters of estimators. Examples of what
the package exports import what they use, so that they run as they are copied.
"""

import ast
import builtins
import doctest
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


def unknown_names(text: str) -> list[str]:
    """List the names that the examples of a docstring use and do not make."""
    tree = ast.parse("".join(example.source for example in doctest.DocTestParser().get_examples(text)))
    used, made = set(), set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else made).add(node.id)
        elif isinstance(node, ast.alias):
            made.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.arg):
            made.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
    return sorted(used - made)


def check_examples() -> list[str]:
    """List the exported names whose examples do not run as they are copied."""
    findings = []
    for name, found in public_objects(thresher):
        members = public_members(name, found) if inspect.isclass(found) else []
        for member in [name, *members]:
            value = found if member == name else inspect.getattr_static(found, member.rsplit(".", 1)[1])
            if unknown := unknown_names(inspect.getdoc(value) or ""):
                findings.append(f"{member}: the example does not import {', '.join(unknown)}")
    return findings


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
    findings += check_examples()
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
