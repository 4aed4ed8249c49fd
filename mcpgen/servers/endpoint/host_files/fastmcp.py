"""Reads FastMCP's `fastmcp.json`: an object in a file, or a command with its own packages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.servers.endpoint.entries import Entry


def location(document: Mapping[str, Any], at: str) -> tuple[str, str]:
    """Return the file and the name of the server object in it."""
    source = document.get("source")
    path = source.get("path") if is_object(source) else source
    if not isinstance(path, str) or (is_object(source) and source.get("type") not in _KINDS):
        raise UsageError("the source isn't a file", f"{at}/source", "give the server itself")
    name = source.get("entrypoint") if is_object(source) else None
    file, _, after = path.rpartition(":") if path.count(":") and ".py:" in path else (path, "", "")
    return file, name if isinstance(name, str) else after


_KINDS = (None, "filesystem")


def read_entry(document: Mapping[str, Any], at: str) -> Entry | None:
    """Return the command that starts the server, or None if the server can be imported as it is."""
    packages = list(_packages(_table(document, "environment")))
    deployment = _table(document, "deployment")
    arguments = _texts(deployment.get("args"))
    cwd = deployment.get("cwd")
    env: Json = deployment.get("env")
    if not packages and not arguments and not isinstance(cwd, str):
        return None
    file, name = location(document, at)
    if isinstance(cwd, str) and not posixpath.isabs(file):
        file = posixpath.relpath(file, cwd)
    target = f"{file}:{name}" if name else file
    start = ("fastmcp", "run", target, "--transport", "stdio", "--no-banner")
    uv = ("uv", "run", "--with", "fastmcp", *packages) if packages else ()
    return Entry(
        argv=(*uv, *start, *(("--", *arguments) if arguments else ())),
        env=environment(document) if is_object(env) else {},
        cwd=cwd if isinstance(cwd, str) else "",
    )


def environment(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment variables of the server."""
    env: Json = _table(document, "deployment").get("env")
    return {k: str(v) for k, v in env.items() if v is not None} if is_object(env) else {}


def _packages(table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options of uv for the environment."""
    for option in ("python", "project"):
        if isinstance(table.get(option), str):
            yield from (f"--{option}", table[option])
    for text in _texts(table.get("dependencies")):
        yield from ("--with", text)
    if isinstance(table.get("requirements"), str):
        yield from ("--with-requirements", table["requirements"])
    editable = table.get("editable")
    for text in (editable,) if isinstance(editable, str) else _texts(editable):
        yield from ("--with-editable", text)


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = document.get(name)
    return table if is_object(table) else {}


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if is_array(value) else ()
