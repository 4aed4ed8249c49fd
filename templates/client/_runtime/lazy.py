"""Imports the names of a package when they are first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def attach(
    package: str, names: Mapping[str, str | Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    ``names`` are the modules, and the names in each as a list or one text; of two
    modules with one name the later one has it.
    """
    modules = {
        name: module
        for module, listed in names.items()
        for name in (listed.split() if isinstance(listed, str) else listed)
    }
    public = sorted(modules)
    own = vars(sys.modules[package])

    def look_up(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            module = import_module(modules[name], package)
        except ImportError as error:
            raise explained(error) from error
        value = own[name] = getattr(module, name)
        return value

    def listed_names() -> list[str]:
        return list(public)

    return look_up, listed_names, public


def names_of(tools: Mapping[str, str]) -> dict[str, str]:
    """Return the names in each tool's module; a text is a module, then its names."""
    split = (text.partition(" ") for text in tools.values())
    return {f".{module}": names for module, _, names in split}


REQUIRED = {"pydantic": (2, 14), "mcp": (2, 3)}
"""The oldest versions that a package runs with."""


def explained(error: ImportError) -> ImportError:
    """Return an error that names the versions needed, if one is older or missing."""
    installed = {name: _version(name) for name in REQUIRED}
    if all(_numbers(installed[name]) >= least for name, least in REQUIRED.items()):
        return error
    needed = " and ".join(f"{name} {a}.{b}" for name, (a, b) in REQUIRED.items())
    found = ", ".join(f"{name} {text or 'none'}" for name, text in installed.items())
    options = " ".join(f"'{name}>={a}.{b}'" for name, (a, b) in REQUIRED.items())
    problem = f"this package needs {needed} or later (installed: {found})"
    return ImportError(f"{problem}: pip install {options}")


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts if part.isdigit())
