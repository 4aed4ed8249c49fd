"""Looks up servers by name in configuration files, and lists the known names."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mcpgen.errors import McpgenError, Notice, UsageError
from mcpgen.project.discovery import project_here
from mcpgen.servers.endpoint.host_files import host_config, hosts
from mcpgen.servers.endpoint.host_files.host_config import HostConfig
from mcpgen.servers.endpoint.host_files.reading import parse_file
from mcpgen.servers.endpoint.launchers import DEMO
from mcpgen.servers.endpoint.overrides import Overrides
from mcpgen.servers.endpoint.target import Offline, Target


def entry(config: HostConfig, name: str, overrides: Overrides) -> Target:
    """Return the target of an entry in a file."""
    if name in config.entries:
        return host_config.target_of(config, name, overrides)
    close = difflib.get_close_matches(name, config.entries, 1)
    raise UsageError(
        f"the file has no server {name!r}",
        str(config.path),
        f"did you mean {config.path}:{close[0]}?" if close else name_hint(sorted(config.entries)),
    )


def look_up(name: str, overrides: Overrides) -> Target:
    """Return the target of the first entry with this name, in any configuration file."""
    configs, broken = _configs()
    holding = [config for config in configs if name in config.entries]
    # Enabled servers are preferred to disabled ones.
    for config in sorted(holding, key=lambda item: host_config.is_disabled(item, name)):
        return _with_notices(host_config.target_of(config, name, overrides), broken)
    raise _not_listed(name, configs, broken)


def _not_listed(name: str, configs: Sequence[HostConfig], broken: Sequence[Notice]) -> UsageError:
    file, servers = _project()
    names = sorted({entry for config in configs for entry in config.entries} | {DEMO, *servers})
    close = difflib.get_close_matches(name, names, 1)
    searched = ", ".join([*file, *(str(config.path) for config in configs)])
    if broken:
        reasons = "; ".join(f"{notice.pointer}: {notice.reason}" for notice in broken)
        searched = f"{searched}; not read: {reasons}".removeprefix("; ")
    return UsageError(
        f"there is no server named {name!r}",
        f"searched {searched}" if searched else _NO_FILE,
        (f"did you mean {close[0]!r}? " if close else f"{name_hint(names)}. ")
        + "A command goes after --, a file needs its folder: ./NAME",
    )


_NO_FILE = f"no configuration file here that lists servers, such as {hosts.PROJECT_FILES[0]}"


def known_names() -> list[str]:
    """Return the known names. A file that can't be read has none."""
    return sorted({DEMO, *configured_servers()})


def configured_servers() -> dict[str, str]:
    """Map each configured server to its file, without contacting it.

    Disabled servers are left out. A file that can't be read has none.
    """
    configs, _ = _configs()
    files = {
        name: str(config.path)
        for config in reversed(configs)
        for name in config.entries
        if not host_config.is_disabled(config, name)
    }
    file, servers = _project()
    return dict(sorted({**files, **dict.fromkeys(servers, "".join(file))}.items()))


def name_hint(names: Sequence[str]) -> str:
    """List the first few names for a hint."""
    first = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"known are: {first}" if names else "it lists none"


def _configs() -> tuple[list[HostConfig], list[Notice]]:
    """Read all configuration files. A broken file doesn't affect the others."""
    configs: list[HostConfig] = []
    broken: list[Notice] = []
    for path in _files():
        try:
            if path.is_file() and host_config.is_host_config(parse_file(path), path):
                configs.append(host_config.read(path))
        except (McpgenError, OSError) as error:
            reason = error.problem if isinstance(error, McpgenError) else str(error.strerror)
            broken.append(Notice(str(path), f"{reason}; passed over", "configuration"))
    return configs, broken


def _with_notices(target: Target, broken: Sequence[Notice]) -> Target:
    if isinstance(target, Offline) or not broken:
        return target
    return replace(target, notices=(*target.notices, *broken))


def _project() -> tuple[list[str], Collection[str]]:
    """Return the file with a table [tool.mcpgen], if there is one, and the servers in it."""
    project = project_here()
    return ([], ()) if project is None else ([str(project.file)], project.settings.servers)


def _files() -> Iterator[Path]:
    """Yield the files from the current folder up to the repository root, then the user's own.

    Outside of a repository, only the current folder is trusted.
    """
    path = Path.cwd()
    folders = [path, *path.parents]
    root = next((n for n, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    for folder in folders[: root + 1]:
        yield from hosts.project_files(Path() if folder == path else folder)
    yield from hosts.user_files()
