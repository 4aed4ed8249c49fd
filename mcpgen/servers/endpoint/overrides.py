"""Options that take precedence over a configuration entry: environment, headers, folder,
transport.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.errors import UsageError
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.endpoint.variables import expand


@dataclass(frozen=True, slots=True)
class Overrides:
    """The values of ``--env``, ``--header``, ``--cwd`` and ``--transport``."""

    env: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    transport: Literal["stdio", "http", "sse"] | None = None
    expanded: Secrets = field(default_factory=Secrets)
    written_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    optional: frozenset[str] = frozenset()
    """Variables of ``env`` with a default value, and those omitted because they are empty."""

    def variables(self) -> Mapping[str, str]:
        """Return the variables for ``${VAR}``."""
        return {**os.environ, **self.env}


def has_default(written: str) -> bool:
    """Return True for a value that is one variable with a default, such as ``${PROXY:-}``."""
    return re.fullmatch(r"\$\{[A-Za-z_]\w*:-[^}]*\}", written) is not None


def parse_env(
    items: Sequence[str],
    expanded: dict[str, str] | None = None,
    optional: set[str] | None = None,
) -> dict[str, str]:
    """Parse ``K=V``, or ``K`` to pass this process's own value on. ``V`` may hold ``${VAR}``.

    The values of such variables are added to ``expanded``. Names whose value has a default are
    added to ``optional``, and left out of the result if the value is empty.
    """
    variables: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            # The item is not repeated: it may be a secret given in the wrong place.
            raise UsageError("--env needs NAME or NAME=VALUE", "--env")
        if not equals and name not in os.environ:
            hint = f"export {name}, or give its value: --env {name}=..."
            raise UsageError(f"the variable {name} is not set", "--env", hint)
        if not equals:
            variables[name] = os.environ[name]
            continue
        read = expand(value, os.environ, f"--env {name}")
        if optional is not None and has_default(read.written):
            optional.add(name)
            if not read.value:
                continue
        variables[name] = read.value
        if expanded is not None:
            expanded |= read.values
    return variables


@dataclass(frozen=True, slots=True)
class Headers:
    """Headers with and without expanded variables, and the variables' values."""

    sent_headers: Mapping[str, str]
    written: Mapping[str, str]
    expanded: Mapping[str, str]


def parse_headers(items: Sequence[str], variables: Mapping[str, str]) -> Headers:
    """Parse ``K: V``, in which ``V`` may contain ``${VAR}``."""
    headers_: dict[str, str] = {}
    written: dict[str, str] = {}
    expanded: dict[str, str] = {}
    for item in items:
        name, colon, value = item.partition(":")
        if not colon or not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name.strip()):
            raise UsageError("--header needs 'Name: value'", "--header")
        header = expand(value.strip(), variables, f"--header {name.strip()}")
        headers_[name.strip()] = header.value
        written[name.strip()] = header.written
        expanded |= header.values
    return Headers(headers_, written, expanded)
