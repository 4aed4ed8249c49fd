"""Describes how to reach a server again, with variables in place of secrets.

:mod:`mcpgen.servers.endpoint.sensitivity` decides about secrets. A generated client reads the
variables, such as ``${MCP_ARG_1}``, from the environment when it connects.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgen.jsontext import Json
from mcpgen.servers.endpoint import launchers
from mcpgen.servers.endpoint.arguments import Arguments
from mcpgen.servers.endpoint.project_paths import ProjectPaths
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.endpoint.sensitivity import is_switch, is_words, template
from mcpgen.servers.endpoint.url import Url, confidential
from mcpgen.servers.endpoint.variables import Placeholders

if TYPE_CHECKING:
    from mcpgen.servers.endpoint.entries import HttpTransport

URL = "${MCP_URL}"
COMMAND = "MCP_COMMAND"
TARGET = "target"
_OF_MACHINE = frozenset(
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS"
    " HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY PATH HOME USER LANG LC_ALL TZ TMPDIR TEMP TMP"
    " DISPLAY XDG_RUNTIME_DIR SSH_AUTH_SOCK PIP_INDEX_URL UV_INDEX_URL UV_CACHE_DIR"
    " NPM_CONFIG_REGISTRY NPM_CONFIG_CACHE".split()
)
"""Variables that describe a machine and may be useless on another."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The public description of a server's endpoint, and the values that variables replace.

    ``paths`` are replaced values that may be shown to the user, because they only depend on the
    machine. For an object in a file this includes the whole ``target``.
    """

    document: dict[str, Json]
    secrets: Secrets
    paths: Mapping[str, str] = field(default_factory=dict[str, str])
    variables: frozenset[str] = frozenset()
    """Variables named by mcpgen, not by the user."""


def command(
    written: Sequence[str],
    actual: Sequence[str],
    env: Iterable[str],
    cwd: str | None = None,
    optional: Collection[str] = (),
) -> Origin:
    """Describe a command. ``written`` still has the variables whose values ``actual`` contains.

    ``optional`` variables, and those that describe the machine itself, are not required on other
    machines.
    """
    paths = ProjectPaths.from_start(cwd)
    placeholders = Placeholders()
    program = launchers.program(actual[0])
    harmless = launchers.known_words([program, *written[1:]])
    arguments = Arguments(paths, placeholders)
    for index, (text, value) in enumerate(zip(written[1:], actual[1:], strict=True), start=1):
        if text != value:
            arguments.add_with_variables(text, value)
        else:
            arguments.add(value, is_known=index in harmless)
    start = template(written[0])
    if start is None:
        start = f"${{{COMMAND}}}"
        if written[0] == actual[0]:
            start = _program(actual[0], program, paths, placeholders)
    document: dict[str, Json] = {
        "transport": "stdio",
        "command": start,
        "args": arguments.arguments,
    }
    names = {*env, *optional}
    not_required = {name for name in names if name in optional or name.upper() in _OF_MACHINE}
    if required := sorted(names - not_required):
        document["env"] = required
    if not_required:
        document["optionalEnv"] = sorted(not_required)
    if (folder := paths.cwd()) != ".":
        document["cwd"] = folder or placeholders.path("MCP_CWD", str(paths.start))
    named = frozenset({*placeholders.variables, *placeholders.paths})
    return Origin(document, Secrets(placeholders.secrets), placeholders.paths, named)


def _program(command: str, name: str, paths: ProjectPaths, placeholders: Placeholders) -> str:
    """Return the name of a program. A program outside of the project is looked up on the PATH."""
    if command == sys.executable:
        return "python"  # a client starts it with the interpreter that runs the client
    if not re.search(r"[/\\]", command):
        return command if is_words(command) or _is_usual(command) else name
    if inner := paths.relative(command):
        return inner if "/" in inner else f"./{inner}"
    placeholders.paths[COMMAND] = command
    return f"${{{COMMAND}:-{name}}}" if _is_usual(name) else f"${{{COMMAND}}}"


def _is_usual(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9][\w.+-]{0,60}", name))


def http(kind: HttpTransport, written: str, actual: str, headers: Mapping[str, str]) -> Origin:
    """Describe a URL. ``headers`` still have their variables."""
    readable = Url()
    document: dict[str, Json] = {"transport": kind, "url": readable.redact(written)}
    if headers:
        document["headers"] = sorted(headers)
    if values := _header_values(headers):
        document["headerValues"] = values
    secrets = dict.fromkeys(confidential(actual), URL)
    named = frozenset({*readable.placeholders.variables, URL[2:-1]})
    return Origin(document, Secrets(secrets | readable.placeholders.secrets), variables=named)


def _header_values(headers: Mapping[str, str]) -> dict[str, Json]:
    """Return header values without secrets: variables, a scheme, a common word."""
    values: dict[str, Json] = {}
    for name, value in sorted(headers.items()):
        plain = value if is_switch(value, name) else template(value)
        if plain is not None:
            values[name] = plain
    return values


def in_process(target: str, name: str) -> Origin:
    """Describe an object in a file or module. Of a file outside, only the name is used."""
    path = Path(target)
    if target.endswith(".py"):
        folder = Path.cwd().resolve()
        full = path.resolve()
        target = full.relative_to(folder).as_posix() if full.is_relative_to(folder) else path.name
    document: dict[str, Json] = {"transport": "in-process", "target": f"{target}:{name}"}
    return Origin(document, Secrets(), {TARGET: f"{path.as_posix()}:{name}"})
