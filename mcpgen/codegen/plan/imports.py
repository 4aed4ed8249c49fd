"""Collects the imports of a generated module, in the order of import statements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from mcpgen.codegen.plan.package import Import

_RUNS = re.compile(r"(\D*)(\d*)")

RUNTIME = "mcpgen_runtime"
"""The import package of the runtime library."""
FACADES = ("client", "lazy", "middleware", "models", "server", "shell", "testing")
"""The modules of the runtime that generated code imports."""
_THIRD_PARTY = frozenset({"mcp", RUNTIME, "pydantic", "typing_extensions"})


@dataclass(slots=True)
class Imports:
    """The imports of a module. Unused imports are never written."""

    local: str
    names: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])

    def use(self, module: str, name: str) -> str:
        """Note that ``name`` of ``module`` is used, and return it."""
        self.names.setdefault(module, set()).add(name)
        return name

    def runtime(self, module: str, name: str) -> str:
        """Note the use of a name of the runtime library."""
        return self.use(f"{RUNTIME}.{module}", name)

    def add(self, other: Imports) -> None:
        """Add the imports of another file in the same folder, or in the parent of this one's."""
        nearer = self.local.removeprefix(other.local)
        for module, names in other.names.items():
            local = f"{nearer}{module}" if module.startswith(".") else module
            self.names.setdefault(local, set()).update(names)

    def lines(self) -> tuple[Import, ...]:
        """Return the imports in the order of the standard library, packages, this package."""
        lines = [line(module, *names) for module, names in self.names.items() if names]
        return tuple(sorted(lines, key=lambda item: (item.group, item.module)))


def line(module: str, *names: str) -> Import:
    """Return an import statement. Its module determines its group."""
    return Import(_group(module), module, tuple(sorted(names, key=_import_order)))


def resolve_runtime(lines: Iterable[Import], runtime: str) -> list[Import]:
    """Return sorted imports, with the runtime as a module finds it.

    Args:
        lines: Import statements that name the runtime by its own name.
        runtime: The runtime's name as seen from the module, such as ``.._runtime``.
    """
    placed = [
        line(f"{runtime}{item.module.removeprefix(RUNTIME)}", *item.names)
        if item.module.partition(".")[0] == RUNTIME
        else item
        for item in lines
    ]
    return sorted(placed, key=lambda import_: (import_.group, import_.module))


def _group(module: str) -> int:
    if module.startswith("."):
        return 2
    return 1 if module.partition(".")[0] in _THIRD_PARTY else 0


def _import_order(name: str) -> tuple[int, list[tuple[str, int]], str]:
    """Return the sort key of isort: constants, then classes, then others. Numbers sort by value."""
    kind = 0 if len(name) > 1 and name.isupper() else 1 if name[:1].isupper() else 2
    natural = [(text, int(digits or 0)) for text, digits in _RUNS.findall(name.lower())]
    return kind, natural, name
