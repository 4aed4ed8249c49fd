"""Asks for consent before a contract's origin is started or contacted.

The file may come from anywhere. A command has all rights of the user, and a URL may contain
environment variables. Consent is stored per user, by the digest of the origin.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from mcpgen_runtime.display import on_one_line

from mcpgen.codegen import environment
from mcpgen.errors import UsageError
from mcpgen.files import write
from mcpgen.files.user_folders import config_folder
from mcpgen.jsontext import Json, is_array, is_object, sha256
from mcpgen.servers.endpoint import python
from mcpgen.servers.endpoint.launchers import DEMO_MODULE
from mcpgen.servers.recording.request import Say

_FILE = "origins.json"


def digest(origin: Mapping[str, Json]) -> str:
    """Return the first 16 hex digits of an origin's hash."""
    return sha256(dict(origin))[:16]


def require(origin: Mapping[str, Json], where: str, accepted: str, say: Say) -> None:
    """Ask for consent to use an origin.

    Raises:
        UsageError: The user refused, or there is no terminal.
    """
    number = digest(origin)
    if not origin or _is_example(origin) or number == accepted or number in _accepted_digests():
        return
    lines = origin_lines(origin)
    if _is_terminal():
        say("\n".join([f"{on_one_line(where)} names a server that you have not used:", *lines]))
        sys.stderr.write("Use it? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() in ("y", "yes"):
            store(origin)
            return
        raise UsageError("the origin of the contract was not accepted", where)
    problem = f"the contract names a server that you have not used: {'; '.join(lines)}"
    raise UsageError(problem, where, f"to accept it: --accept-origin {number}")


def _is_example(origin: Mapping[str, Json]) -> bool:
    """Return True for the example server, which is a part of mcpgen."""
    arguments = (["-I", "-m", DEMO_MODULE], ["-c", python.code(DEMO_MODULE)])
    return (
        origin.get("transport") == "stdio"
        and origin.get("command") == "python"
        and origin.get("args") in arguments
        and not origin.keys() & {"env", "optionalEnv", "cwd"}
    )


def origin_lines(origin: Mapping[str, Json]) -> list[str]:
    """Return the command or URL of an origin, and the variables it reads."""
    names = [need.variable for need in environment.needs(origin, "PACKAGE")]
    variables = [f"variables: {', '.join(map(on_one_line, names))}"] if names else []
    return [*endpoint(origin), *variables]


def endpoint(origin: Mapping[str, Json]) -> list[str]:
    """Return the command to start, or the host and URL to contact."""
    target = on_one_line(environment.endpoint_text(origin))
    if origin.get("transport") == "stdio":
        return [f"command: {target}"]
    if origin.get("transport") == "in-process":
        return [f"Python object: {on_one_line(str(origin.get('target')))}"]
    host = on_one_line(_host(str(origin.get("url", ""))))
    return [f"host: {host}", f"URL: {target}"]


def sends_variables(origin: Mapping[str, Json]) -> bool:
    """Return True if a variable is part of a URL's host or query."""
    url = str(origin.get("url", ""))
    start, _, query = url.partition("?")
    return "${" in _host(start) or "${" in query


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return url


def store(origin: Mapping[str, Json]) -> None:
    """Store that this user accepted an origin, unless there is no home folder."""
    if not origin:
        return
    digests = _accepted_digests()
    number = digest(origin)
    if number in digests:
        return
    with suppress(OSError, UsageError):
        text = json.dumps({"accepted": sorted({*digests, number})}, indent=2)
        write.replace(config_folder() / _FILE, f"{text}\n")


def _accepted_digests() -> set[str]:
    try:
        document: Json = json.loads((config_folder() / _FILE).read_bytes())
    except (OSError, ValueError):
        return set()
    accepted: Json = document.get("accepted") if is_object(document) else None
    return {value for value in accepted if isinstance(value, str)} if is_array(accepted) else set()


def _is_terminal() -> bool:
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False
