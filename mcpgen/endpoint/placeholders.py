"""The values that are kept back from a contract, each with a variable named after its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.endpoint import kept


@dataclass(slots=True)
class Hidden:
    """The values that were kept back, each by the variable that stands for it."""

    secrets: dict[str, str] = field(default_factory=dict[str, str])
    paths: dict[str, str] = field(default_factory=dict[str, str])
    arguments: int = 0

    def path(self, variable: str, value: str) -> str:
        """Keep a path back under this name."""
        stand_in = self.secrets.setdefault(value, f"${{{variable}}}")
        self.paths[stand_in[2:-1]] = value
        return stand_in

    def value(self, value: str, name: str, *, shown: bool) -> str:
        """Keep a value back: named after what stands before it, or by its number."""
        if value in self.secrets:
            return self.secrets[value]
        if not name:
            self.arguments += 1
        variable = self._free(f"MCP_{_upper(name)}" if name else f"MCP_ARG_{self.arguments}")
        self.secrets[value] = f"${{{variable}}}"
        if shown:
            self.paths[variable] = value
        return self.secrets[value]

    def _free(self, variable: str) -> str:
        taken = {stand_in[2:-1] for stand_in in self.secrets.values()}
        names = [variable, *(f"{variable}_{n}" for n in range(2, len(taken) + 3))]
        return next(name for name in names if name not in taken)


def _upper(name: str) -> str:
    return "_".join(kept.split(name)).upper()
