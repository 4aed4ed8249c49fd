"""The server that the contract was recorded from, with secrets from the environment."""

from __future__ import annotations

import importlib
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from ...errors import ConnectionFailed
from ...package import Package
from ...redaction.credentials import CREDENTIALS
from ...redaction.names import is_secret_name

if TYPE_CHECKING:
    from ...auth.options import HttpOptions

_AUTHORIZATION = "authorization"
_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_]\w*)(?P<default>:-[^}]*)?\}")


def recorded_server(http: HttpOptions, package: Package) -> tuple[Any, dict[str, str]]:
    """Return the contract's server, and its headers from the environment.

    Headers that the caller passes, or that a stored login provides, aren't looked up.
    """
    from mcp import StdioServerParameters

    origin: Any = package.contract.get("origin") or {}
    kind = origin.get("transport")
    if kind == "stdio":
        arguments, cwd = origin.get("args", []), origin.get("cwd")
        optional = [name for name in origin.get("optionalEnv", ()) if name in os.environ]
        names = [*origin.get("env", ()), *optional]
        env = {name: f"${{{name}}}" for name in names}
        variables = [f"{name}={value}" for name, value in env.items()]
        printed = " ".join([*variables, origin["command"], *arguments])
        _require(printed + (f" in {cwd}" if cwd else ""))
        command = expand_variables(origin["command"])
        return (
            StdioServerParameters(
                # The interpreter that runs this code, not the one on PATH.
                command=sys.executable if command == "python" else command,
                args=[expand_variables(argument) for argument in arguments],
                env={name: expand_variables(value) for name, value in env.items()},
                cwd=None if cwd is None else expand_variables(cwd),
            ),
            {},
        )
    if kind in ("http", "sse"):
        header_names = {name.lower() for name in http.headers or ()}
        values = {name: f"${{{_header(package, name)}}}" for name in origin.get("headers", [])}
        values |= origin.get("headerValues", {})
        other_values = {k: value for k, value in values.items() if k.lower() not in header_names}
        recorded = _add_authorization(other_values, expand_variables(origin["url"]), http, package)
        lines = [f"{name}: {value}" for name, value in recorded.items()]
        _require(" with ".join([origin["url"], *lines]))
        return expand_variables(origin["url"]), {
            k: expand_variables(v) for k, v in recorded.items()
        }
    if kind == "in-process":
        return _import_object(origin["target"]), {}
    raise ConnectionFailed(
        "the recorded server",
        "the contract doesn't contain its address; pass a URL, a command, ...",
    )


def _add_authorization(
    headers: dict[str, str], url: str, http: HttpOptions, package: Package
) -> dict[str, str]:
    """Add the authorization header if its environment variable is set."""
    mine = [name for name in headers if name.lower() == _AUTHORIZATION]
    other_headers = {name: value for name, value in headers.items() if name not in mine}
    if http.authorizes:
        return other_headers
    if not mine:
        variable = _header(package, _AUTHORIZATION)
        authorization = {"Authorization": f"${{{variable}}}"} if variable in os.environ else {}
        return headers | authorization
    is_missing = any(_missing(headers[name]) for name in mine)
    return other_headers if is_missing and _has_login(url) else headers


def _has_login(url: str) -> bool:
    from ...auth.authorization import has_login

    return has_login(url)


def _header(package: Package, name: str) -> str:
    """Return the variable that holds a header, such as ``WEATHER_AUTHORIZATION``."""
    variable = f"{package.name.rpartition('.')[2]}_{name}"
    return re.sub(r"[^A-Z0-9]+", "_", variable.upper())


def _require(recorded: str) -> None:
    """Raise an error that names the missing variable and the recorded server."""
    if missing := _missing(recorded):
        are = "variable {} is" if len(missing) == 1 else "variables {} are"
        reason = f"the environment {are.format(' and '.join(missing))} not set"
        raise ConnectionFailed("the recorded server", f"{reason}; recorded was: {recorded}")


def _missing(text: str) -> list[str]:
    names = [m["name"] for m in _VARIABLE.finditer(text) if m["default"] is None]
    return [name for name in dict.fromkeys(names) if name not in os.environ]


def expand_variables(text: str) -> str:
    """Expand the variables in a string from the environment."""
    return _VARIABLE.sub(_value, text)


def command_variable(recorded: str, label: str) -> str:
    """Return the variable of the recorded command, or "" for another command."""
    match = _VARIABLE.search(recorded)
    is_recorded = label.split(" ", maxsplit=1)[0] == expand_variables(recorded).split(" ")[0]
    return match["name"] if match is not None and is_recorded else ""


def _value(match: re.Match[str]) -> str:
    """Return the value of a variable, or its default, which follows ``:-``."""
    value = os.environ.get(match["name"], (match["default"] or "")[2:])
    if is_secret_name(match["name"]):
        CREDENTIALS.add(value)
    return value


def _import_object(target: str) -> object:
    module, _, name = target.rpartition(":")
    if module.endswith(".py"):
        reason = f"import {name} from {module} yourself, and pass it: connect({name})"
        raise ConnectionFailed(target, reason)
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConnectionFailed(target, str(error)) from None
