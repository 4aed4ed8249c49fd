"""``${VAR}`` and ``${VAR:-default}``, as the configuration files of MCP hosts write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mcpgen.errors import UsageError

_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_]\w*)(?::-(?P<default>[^}]*))?\}")
_PROMPT = re.compile(r"\$\{input:(?P<id>[^}]*)\}")


@dataclass(frozen=True, slots=True)
class Expanded:
    """A text with its variables' values in place, and as it was written (``${VAR}`` throughout)."""

    value: str
    written: str
    values: Mapping[str, str]


def text(written: str, variables: Mapping[str, str], where: str) -> Expanded:
    """Put the values of variables in place; one that is not set is an error that names it."""
    if prompt := _PROMPT.search(written):
        raise UsageError(
            f"an editor would ask for ${{input:{prompt['id']}}} here",
            where,
            "write ${NAME} in its place and export NAME, or give the command after --",
        )
    values: dict[str, str] = {}

    def value(match: re.Match[str]) -> str:
        name, default = match["name"], match["default"]
        # As in a shell, an empty variable takes the default.
        found = variables.get(name) if default is None else variables.get(name) or default
        if found is None:
            hint = f"export {name}, or give a default: ${{{name}:-...}}"
            raise UsageError(f"the variable {name} is not set", where, hint)
        if name in variables:
            values[found] = f"${{{name}}}"
        return found

    expanded = _VARIABLE.sub(value, written)
    return Expanded(expanded, written.replace("${env:", "${"), values)
