"""Expands variables in the syntax of each host: ``${VAR}``, ``{env:VAR}``, ``$VAR``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mcpgen.errors import UsageError
from mcpgen.servers.endpoint.sensitivity import words_of

_NAME = r"[A-Za-z_]\w*"
_BRACES = rf"\$\{{(?:env:)?(?P<name>{_NAME})(?::-(?P<default>[^}}]*))?\}}"

Syntax = Literal["braces", "shell", "curly", "secrets", "none"]

SYNTAXES: Mapping[Syntax, re.Pattern[str] | None] = {
    # Claude Code, VS Code, Cursor, Windsurf and hosts with the same syntax.
    "braces": re.compile(
        rf"{_BRACES}|\$\{{input:(?P<input>[^}}]*)\}}|\$\{{file:(?P<file>[^}}]+)\}}"
    ),
    "shell": re.compile(rf"{_BRACES}|\$(?P<bare>{_NAME})"),  # Gemini CLI
    "curly": re.compile(r"\{env:(?P<name>[^}]+)\}|\{file:(?P<file>[^}]+)\}"),  # opencode
    "secrets": re.compile(  # Continue
        rf"\$\{{\{{\s*(?:secrets|inputs)\.(?P<name>{_NAME})\s*\}}\}}"
    ),
    "none": None,  # Claude Desktop, Codex, Zed, Goose
}


@dataclass(frozen=True, slots=True)
class Expanded:
    """Text with expanded variables, and its original form with ``${VAR}``."""

    value: str
    written: str
    values: Mapping[str, str]


def expand(
    text: str,
    variables: Mapping[str, str],
    where: str,
    syntax: Syntax = "braces",
    inputs: Mapping[str, str | None] | None = None,
) -> Expanded:
    """Expand variables. Raises ``UsageError`` for a variable that is not set.

    ``inputs`` are an editor's inputs with their defaults.
    """
    pattern = SYNTAXES[syntax]
    if pattern is None:
        return Expanded(text, text, {})
    values: dict[str, str] = {}

    def expand_match(match: re.Match[str]) -> str:
        value, name = _read(match.groupdict(), variables, where, inputs)
        if name:
            values[value] = f"${{{name}}}"
        return value

    return Expanded(pattern.sub(expand_match, text), pattern.sub(_canonical, text), values)


_Groups = Mapping[str, str | None]


def _read(
    groups: _Groups,
    variables: Mapping[str, str],
    where: str,
    inputs: Mapping[str, str | None] | None,
) -> tuple[str, str]:
    """Return the value of a variable, and its name if the value is not public."""
    if file := groups.get("file"):
        return _of_file(file, where), variable("FILE", Path(file).name)
    if (prompted := groups.get("input")) is not None:
        return _input_value(prompted, variables, where, inputs)
    name, default = groups.get("name") or groups.get("bare") or "", groups.get("default")
    # As in a shell, an empty variable gets the default.
    value = variables.get(name) if default is None else variables.get(name) or default
    if value is None:
        hint = f"export {name}, or give a default: ${{{name}:-...}}"
        raise UsageError(f"the variable {name} is not set", where, hint)
    return value, name if name in variables else ""


def _of_file(file: str, where: str) -> str:
    try:
        return Path(file).expanduser().read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise UsageError(f"the file {file} cannot be read: {reason}", where) from None


def _input_value(
    id: str,
    variables: Mapping[str, str],
    where: str,
    inputs: Mapping[str, str | None] | None,
) -> tuple[str, str]:
    """Return the value of an editor's input: from the environment, or its default."""
    name = variable("INPUT", id)
    if name in variables:
        return variables[name], name
    default = (inputs or {}).get(id)
    if default is None:
        hint = f"export {name}, or pass it: --env {name}=..."
        raise UsageError(f"an editor would ask for ${{input:{id}}} here", where, hint)
    return default, ""


def _canonical(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if file := groups.get("file"):
        return f"${{{variable('FILE', Path(file).name)}}}"
    if (prompted := groups.get("input")) is not None:
        return f"${{{variable('INPUT', prompted)}}}"
    name, default = groups.get("name") or groups.get("bare"), groups.get("default")
    return f"${{{name}}}" if default is None else f"${{{name}:-{default}}}"


def variable(kind: str, text: str) -> str:
    """Return a variable's name for an input, such as ``INPUT_API_KEY`` for ``api-key``.

    The prefix keeps it distinct from variables with another purpose, such as ``PATH``.
    """
    return f"{kind}_{re.sub(r'[^A-Za-z0-9]+', '_', text).strip('_').upper()}"


@dataclass(slots=True)
class Placeholders:
    """Replaced values with their variables.

    ``paths`` maps variables to values that may be shown to the user.
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
        """Replace a value by a variable, named after the flag before it or numbered."""
        if value in self.secrets:
            return self.secrets[value]
        if not name:
            self.arguments += 1
        variable = self._unused_name(f"MCP_{_upper(name)}" if name else f"MCP_ARG_{self.arguments}")
        self.secrets[value] = f"${{{variable}}}"
        if is_public:
            self.paths[variable] = value
        return self.secrets[value]

    def _unused_name(self, variable: str) -> str:
        used = {placeholder[2:-1] for placeholder in self.secrets.values()}
        names = [variable, *(f"{variable}_{n}" for n in range(2, len(used) + 3))]
        return next(name for name in names if name not in used)


def _upper(name: str) -> str:
    return "_".join(words_of(name)).upper()
