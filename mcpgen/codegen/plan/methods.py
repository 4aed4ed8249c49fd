"""Divides the planned methods of tools into files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from mcpgen.codegen import naming
from mcpgen.codegen.plan.imports import Imports
from mcpgen.codegen.plan.package import Method
from mcpgen.codegen.plan.split import split

Planned: TypeAlias = "tuple[Method, Imports]"
"""A method, and what the file that holds it must import; a server's is its author's."""


def in_files(
    planned: Sequence[Planned], height: Callable[[Method], int], besides: int = 0
) -> tuple[Sequence[Planned], dict[str, list[Planned]]]:
    """Return the methods in the file of the class itself, and those of other files by their names.

    ``height`` counts the lines of a method, ``besides`` are those of what stands beside them all.
    """
    groups = split({method.name: height(method) for method, _ in planned}, besides)
    own = _named(groups.pop("", []), planned)
    files = naming.files(groups)
    return own, {files[label]: _named(names, planned) for label, names in groups.items()}


def _named(names: Iterable[str], planned: Iterable[Planned]) -> list[Planned]:
    """Return the methods of these names, in the order of the tools."""
    wanted = set(names)
    return [each for each in planned if each[0].name in wanted]


def only(planned: Iterable[Planned]) -> tuple[Method, ...]:
    """Return the methods without what they import."""
    return tuple(method for method, _ in planned)
