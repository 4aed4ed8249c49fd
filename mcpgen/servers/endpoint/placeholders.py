"""The values that are left out of a contract, each with a variable named after its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcpgen.servers.endpoint.sensitivity import words_of


@dataclass(slots=True)
class Placeholders:
    """Values with the variables that stand in their place.

    ``paths`` are those among them, by their variables, that a person may be shown.
    """

    secrets: dict[str, str] = field(default_factory=dict[str, str])
    paths: dict[str, str] = field(default_factory=dict[str, str])
    arguments: int = 0

    @property
    def variables(self) -> list[str]:
        """The names of the variables."""
        return [placeholder[2:-1] for placeholder in self.secrets.values()]

    def path(self, variable: str, value: str) -> str:
        """Replace a path by this variable."""
        placeholder = self.secrets.setdefault(value, f"${{{variable}}}")
        self.paths[placeholder[2:-1]] = value
        return placeholder

    def value(self, value: str, name: str, *, is_public: bool) -> str:
        """Replace a value by a variable: named after what stands before it, or by its number."""
        if value in self.secrets:
            return self.secrets[value]
        if not name:
            self.arguments += 1
        variable = self._unused(f"MCP_{_upper(name)}" if name else f"MCP_ARG_{self.arguments}")
        self.secrets[value] = f"${{{variable}}}"
        if is_public:
            self.paths[variable] = value
        return self.secrets[value]

    def _unused(self, variable: str) -> str:
        used = {placeholder[2:-1] for placeholder in self.secrets.values()}
        names = [variable, *(f"{variable}_{n}" for n in range(2, len(used) + 3))]
        return next(name for name in names if name not in used)


def _upper(name: str) -> str:
    return "_".join(words_of(name)).upper()
