"""The order in which ``<server>`` is understood: command, URL, demo, file, entry, name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from mcpgen.endpoint import config, hosts, python
from mcpgen.endpoint.files import YAML
from mcpgen.endpoint.given import Given
from mcpgen.endpoint.launchers import DEMO_MODULE
from mcpgen.endpoint.target import Http, InProcess, Offline, Stdio, Target
from mcpgen.errors import McpgenError, Notice, UsageError
from mcpgen.project.find import find_project

DEMO = "demo"
STDIN = "-"

# A port of this machine, as servers print it; nobody's secret travels further.
_LOCAL = re.compile(r"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}(?:/.*)?", re.IGNORECASE)
_FILE = re.compile(r"\.(?:py|jsonc?|toml|ya?ml)$")
_HOST = re.compile(r"(?:[\w-]+\.)+[A-Za-z][\w-]+(?::\d{1,5})?(?:/.*)?|[\w.-]+:\d{1,5}/.*")


def resolve(server: str | None, command: Sequence[str], given: Given) -> Target:
    """Say what a server on the command line is; nothing is started."""
    if server is not None and command:
        raise UsageError("give a server or a command after --, not both", server)
    target = _command(command, given) if server is None else _word(server, given)
    _refuse_what_does_not_apply(target, given)
    return target


def _command(argv: Sequence[str], given: Given) -> Stdio:
    if any("\0" in word for word in argv):
        raise UsageError("the command holds a NUL character")
    return Stdio(tuple(argv), tuple(argv), given.env, given.cwd, given.expanded)


def _word(server: str, given: Given) -> Target:
    if re.match(r"https?://", server, re.IGNORECASE):
        return _url(server, given)
    if _LOCAL.fullmatch(server) and not Path(server).exists():
        return _url(f"http://{server}", given)
    if server == STDIN:
        return Offline(server)
    if server == DEMO:
        return _command(python.running(DEMO_MODULE), given)
    path = Path(server)
    # A bare word is a name: a file of that name must be written with its folder.
    if path.is_file() and (path.suffix or path.name != server):
        return _file(path, given)
    return _qualified(server, given) or _named(server, given)


def _url(url: str, given: Given) -> Http:
    path = re.split(r"[?#]", url)[0].rstrip("/")
    is_sse = given.transport == "sse" or (given.transport is None and path.endswith("/sse"))
    kind: Literal["http", "sse"] = "sse" if is_sse else "http"
    return Http(url, url, given.headers, kind, given.expanded, given.written_headers)


def _file(path: Path, given: Given) -> Target:
    if path.suffix == ".py":
        return InProcess(str(path), env=given.env, expanded=given.expanded)
    if path.suffix in YAML and not _lists_servers(path):
        return Offline(str(path))  # a contract that was written by hand
    if config.is_config(config.document_of(path), path):
        names = sorted(config.read(path).entries)
        if len(names) == 1:
            return config.entry(config.read(path), names[0], given)
        raise UsageError(f"which of its servers? {_listed(names)}", str(path), f"{path}:NAME")
    return Offline(str(path))


def _lists_servers(path: Path) -> bool:
    try:
        return config.is_config(config.document_of(path), path)
    except UsageError:
        return False  # what is wrong with it is said where it is read as a contract


def _qualified(server: str, given: Given) -> Target | None:
    """Read ``FILE:NAME``, ``file.py:object`` or ``package.module:object``."""
    for colon in (match.start() for match in re.finditer(":", server)):
        place, name = server[:colon], server[colon + 1 :]
        if Path(place).is_file():
            if place.endswith(".py"):
                return InProcess(place, name, given.env, given.expanded)
            return _entry(config.read(Path(place)), name, given)
    place, _, name = server.rpartition(":")
    if _FILE.search(place or server) or "/" in server or "\\" in server:
        hint = _close_files(place or server)
        if not hint and _HOST.fullmatch(server) and not _FILE.search(server):
            hint = f"did you mean https://{server}?"
        raise UsageError("there is no such file", place or server, hint)
    if re.fullmatch(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", server):
        return InProcess(place, name, given.env, given.expanded)
    return None


def _entry(found: config.Config, name: str, given: Given) -> Target:
    if name in found.entries:
        return config.entry(found, name, given)
    close = difflib.get_close_matches(name, found.entries, 1)
    raise UsageError(
        f"the file has no server {name!r}",
        str(found.path),
        f"did you mean {found.path}:{close[0]}?" if close else _listed(sorted(found.entries)),
    )


def _named(name: str, given: Given) -> Target:
    configs, broken = _configs()
    holding = [found for found in configs if name in found.entries]
    # One that is switched off is looked for elsewhere first.
    for found in sorted(holding, key=lambda each: config.is_off(each, name)):
        return _noticed(config.entry(found, name, given), broken)
    file, servers = _project()
    listed = sorted({entry for found in configs for entry in found.entries} | {DEMO, *servers})
    close = difflib.get_close_matches(name, listed, 1)
    searched = ", ".join([*file, *(str(found.path) for found in configs)])
    if broken:
        said = "; ".join(f"{notice.pointer}: {notice.reason}" for notice in broken)
        searched = f"{searched}; not read: {said}".removeprefix("; ")
    raise UsageError(
        f"there is no server named {name!r}",
        f"searched {searched}" if searched else f"found none of {', '.join(config.PLACES)}",
        (f"did you mean {close[0]!r}? " if close else f"{_listed(listed)}. ")
        + "A command goes after --, a file needs its folder: ./NAME",
    )


def known() -> list[str]:
    """Return the names that would be understood here; a file that cannot be read has none."""
    configs, _ = _configs()
    return sorted({DEMO, *_project()[1], *(name for found in configs for name in found.entries)})


def _configs() -> tuple[list[config.Config], list[Notice]]:
    """Read the files that may list servers; one that cannot be read hides no other."""
    found: list[config.Config] = []
    broken: list[Notice] = []
    for path in _places():
        try:
            if path.is_file() and hosts.listed(config.document_of(path), path) is not None:
                found.append(config.read(path))
        except (McpgenError, OSError) as error:
            said = error.problem if isinstance(error, McpgenError) else str(error.strerror)
            broken.append(Notice(str(path), f"{said}; passed over", "configuration"))
    return found, broken


def _noticed(target: Target, broken: Sequence[Notice]) -> Target:
    if isinstance(target, Offline) or not broken:
        return target
    return replace(target, notices=(*target.notices, *broken))


def _project() -> tuple[list[str], Collection[str]]:
    """Return the file with a table [tool.mcpgen], if there is one, and the servers in it."""
    try:
        found = find_project()
    except UsageError:
        return [], ()
    return [str(found.file)], found.settings.servers


def _places() -> Iterator[Path]:
    """Walk from here up to the repository root, then to the user's own files.

    Outside a repository only here is trusted.
    """
    here = Path.cwd()
    folders = [here, *here.parents]
    root = next((n for n, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    for folder in folders[: root + 1]:
        yield from hosts.project_places(Path() if folder == here else folder)
    yield from hosts.users()


def _close_files(place: str) -> str:
    path = Path(place)
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, beside, 1)
    return f"did you mean {path.parent / close[0]}?" if close else ""


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"known are: {shown}" if names else "it lists none"


def _is_url(url: str) -> bool:
    try:
        address = urlsplit(url)
        return address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        return False


def _refuse_what_does_not_apply(target: Target, given: Given) -> None:
    if given.headers and not isinstance(target, Http):
        raise UsageError("--header is for a server that is reached by URL", "--header")
    if isinstance(target, Http) and not _is_url(target.url):
        # It is not repeated: it may hold a secret.
        raise UsageError("this is no http(s) URL", hint="expected https://host/path")
    for name, value in target.headers.items() if isinstance(target, Http) else ():
        if not value.isascii() or not value.isprintable():
            raise UsageError("the value has characters that a header cannot", f"--header {name}")
    if given.env and isinstance(target, Offline):
        raise UsageError("--env is for a server, and this is a file", "--env")
    if given.cwd and not isinstance(target, Stdio):
        raise UsageError("--cwd is for a server that is started by a command", "--cwd")
    if given.transport and (given.transport == "stdio") != isinstance(target, Stdio):
        raise UsageError(f"--transport {given.transport} does not fit this server", "--transport")
    if isinstance(target, Stdio) and target.cwd and not Path(target.cwd).is_dir():
        raise UsageError("there is no such folder", target.cwd, "check --cwd")
