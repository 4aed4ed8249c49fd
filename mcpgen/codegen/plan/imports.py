"""Collects what a generated module imports, in the order of its import statements."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.codegen.plan.package import Import


@dataclass(slots=True)
class Imports:
    """Collects what a module uses; an import that is not used is never written."""

    local: str
    names: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])

    def use(self, module: str, name: str) -> str:
        """Note that ``name`` of ``module`` is used, and return it."""
        self.names.setdefault(module, set()).add(name)
        return name

    def runtime(self, module: str, name: str) -> str:
        """Note the use of a name of the package's own runtime."""
        return self.use(f"{self.local}_runtime.{module}", name)

    def add(self, other: Imports) -> None:
        """Note all that another file uses: one in the same folder, or in that above this one's."""
        nearer = self.local.removeprefix(other.local)
        for module, names in other.names.items():
            local = f"{nearer}{module}" if module.startswith(".") else module
            self.names.setdefault(local, set()).update(names)

    def lines(self) -> tuple[Import, ...]:
        """Return the imports in the order of the standard library, packages, this package."""
        lines = [
            Import(_group(module), module, tuple(sorted(names, key=_import_order)))
            for module, names in self.names.items()
            if names
        ]
        return tuple(sorted(lines, key=lambda line: (line.group, line.module)))


def _group(module: str) -> int:
    if module.startswith("."):
        return 2
    return 1 if module.split(".", maxsplit=1)[0] in ("pydantic", "mcp", "typing_extensions") else 0


def _import_order(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)
