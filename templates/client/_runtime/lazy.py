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
        value = own[name] = getattr(import_module(modules[name], package), name)
        return value

    def listed_names() -> list[str]:
        return list(public)

    return look_up, listed_names, public


def names_of(tools: Mapping[str, str]) -> dict[str, str]:
    """Return the names in each tool's module; a text is a module, then its names."""
    split = (text.partition(" ") for text in tools.values())
    return {f".{module}": names for module, _, names in split}
