"""Resolves ``<server>`` in this order: command, URL, demo, file, entry, name.

The readers of configuration files are loaded only for words that may be names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcpgen.contract.yaml_reader import SUFFIXES as YAML
from mcpgen.errors import UsageError
from mcpgen.servers.endpoint import python
from mcpgen.servers.endpoint.launchers import DEMO, DEMO_MODULE
from mcpgen.servers.endpoint.overrides import Overrides
from mcpgen.servers.endpoint.target import Http, InProcess, Offline, Stdio, Target

if TYPE_CHECKING:
    from mcpgen.servers.endpoint.entries import HttpTransport

STDIN = "-"

# An address on this machine, as servers print it. Secrets sent to it stay on this machine.
_LOCAL = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}(?:/.*)?", re.IGNORECASE)
_FILE = re.compile(r"\.(?:py|jsonc?|toml|ya?ml)$")
_HOST = re.compile(r"(?:[\w-]+\.)+[A-Za-z][\w-]+(?::\d{1,5})?(?:/.*)?|[\w.-]+:\d{1,5}/.*")


def resolve(server: str | None, command: Sequence[str], overrides: Overrides) -> Target:
    """Resolve a server on the command line, without starting it."""
    if server is not None and command:
        raise UsageError("give a server or a command after --, not both", server)
    target = _command(command, overrides) if server is None else _word(server, overrides)
    _check_overrides(target, overrides)
    return target


def _command(argv: Sequence[str], overrides: Overrides) -> Stdio:
    if any("\0" in token for token in argv):
        raise UsageError("the command holds a NUL character")
    return Stdio(
        tuple(argv),
        tuple(argv),
        overrides.env,
        overrides.cwd,
        overrides.expanded,
        optional=overrides.optional,
    )


def _word(server: str, overrides: Overrides) -> Target:
    if re.match(r"https?://", server, re.IGNORECASE):
        return _url(server, overrides)
    if _LOCAL.fullmatch(server) and not Path(server).exists():
        return _url(f"http://{server}", overrides)
    if server == STDIN:
        return Offline(server)
    if server == DEMO:
        return _command(python.running(DEMO_MODULE), overrides)
    path = Path(server)
    # A bare word is a name. A file with that name must be given with its folder.
    if path.is_file() and (path.suffix or path.name != server):
        return _file(path, overrides)
    return _qualified_server(server, overrides) or _named_server(server, overrides)


def _named_server(server: str, overrides: Overrides) -> Target:
    from mcpgen.servers.endpoint.host_files import server_names

    return server_names.look_up(server, overrides)


def _url(url: str, overrides: Overrides) -> Http:
    path = re.split(r"[?#]", url)[0].rstrip("/")
    is_sse = overrides.transport == "sse" or (overrides.transport is None and path.endswith("/sse"))
    kind: HttpTransport = "sse" if is_sse else "http"
    return Http(url, url, overrides.headers, kind, overrides.expanded, overrides.written_headers)


def _file(path: Path, overrides: Overrides) -> Target:
    if path.suffix == ".py":
        return InProcess(str(path), env=overrides.env, expanded=overrides.expanded)
    if path.suffix in YAML and not _lists_servers(path):
        return Offline(str(path))  # a contract written by hand
    from mcpgen.servers.endpoint.host_files.reading import lists_tools, parse_strictly

    document, is_json = parse_strictly(path)
    if lists_tools(document):
        return Offline(str(path), document if is_json else None)
    from mcpgen.servers.endpoint.host_files import host_config  # a contract doesn't need it

    if host_config.is_host_config(document, path):
        names = sorted(host_config.read(path).entries)
        if len(names) == 1:
            return host_config.target_of(host_config.read(path), names[0], overrides)
        from mcpgen.servers.endpoint.host_files.server_names import name_hint

        raise UsageError(f"which of its servers? {name_hint(names)}", str(path), f"{path}:NAME")
    return Offline(str(path), document if is_json else None)


def _lists_servers(path: Path) -> bool:
    from mcpgen.servers.endpoint.host_files import host_config
    from mcpgen.servers.endpoint.host_files.reading import parse_file

    try:
        return host_config.is_host_config(parse_file(path), path)
    except UsageError:
        return False  # errors are reported when the file is read as a contract


def _qualified_server(server: str, overrides: Overrides) -> Target | None:
    """Resolve ``FILE:NAME``, ``file.py:object`` or ``package.module:object``."""
    for colon in (match.start() for match in re.finditer(":", server)):
        file, name = server[:colon], server[colon + 1 :]
        if Path(file).is_file():
            if file.endswith(".py"):
                return InProcess(file, name, overrides.env, overrides.expanded)
            from mcpgen.servers.endpoint.host_files import host_config, server_names

            return server_names.entry(host_config.read(Path(file)), name, overrides)
    module, _, name = server.rpartition(":")
    if _FILE.search(module or server) or "/" in server or "\\" in server:
        hint = _close_files(module or server)
        if not hint and _HOST.fullmatch(server) and not _FILE.search(server):
            hint = f"did you mean https://{server}?"
        raise UsageError("there is no such file", module or server, hint)
    if re.fullmatch(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", server):
        return InProcess(module, name, overrides.env, overrides.expanded)
    return None


def _close_files(file: str) -> str:
    path = Path(file)
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, beside, 1)
    return f"did you mean {path.parent / close[0]}?" if close else ""


def _check_overrides(target: Target, overrides: Overrides) -> None:
    """Reject an option that doesn't apply to this kind of server."""
    if overrides.headers and not isinstance(target, Http):
        raise UsageError("--header requires a server with a URL", "--header")
    if isinstance(target, Http):
        _check_http(target)
    if overrides.env and isinstance(target, Offline):
        raise UsageError("--env is for a server, and this is a file", "--env")
    if overrides.cwd and not isinstance(target, Stdio):
        raise UsageError("--cwd requires a server started by a command", "--cwd")
    transport = overrides.transport
    if transport and (transport == "stdio") != isinstance(target, Stdio):
        raise UsageError(f"--transport {transport} does not fit this server", "--transport")
    if isinstance(target, Stdio) and target.cwd and not Path(target.cwd).is_dir():
        raise UsageError("there is no such folder", target.cwd, "check --cwd")


def _check_http(target: Http) -> None:
    if not _is_url(target.url):
        # It may contain a secret, so it is not repeated.
        raise UsageError("the address isn't an http(s) URL", hint="expected https://host/path")
    for name, value in target.headers.items():
        if not value.isascii() or not value.isprintable():
            raise UsageError("the value has characters that a header cannot", f"--header {name}")


def _is_url(url: str) -> bool:
    try:
        address = urlsplit(url)
        return address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        return False
