"""Real arguments, from a file: recorded calls, or lines with a tool and its arguments."""

from __future__ import annotations

from mcpgen import jsontext
from mcpgen.errors import McpgenError, UsageError
from mcpgen.jsontext import Json, is_array, is_object


def read(content: bytes, where: str) -> dict[str, list[dict[str, Json]]]:
    """Return arguments by their tool, in the order of the file.

    A file has a JSON object on each line, with ``name`` and ``arguments`` as recorded calls have
    them, or is one JSON object of lists of arguments by the name of their tool.
    """
    try:
        whole = jsontext.loads(content, where)
    except McpgenError:
        whole = None
    if is_object(whole) and not _is_call(whole):
        return {name: _list(value, f"{where}#/{name}") for name, value in whole.items()}
    found: dict[str, list[dict[str, Json]]] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            _take(jsontext.loads(line, f"{where}:{number}"), f"{where}:{number}", found)
    return found


def _is_call(entry: dict[str, Json]) -> bool:
    """Say whether an object is a call, and not one of lists by the names of tools."""
    return "name" in entry or isinstance(entry.get("tool"), str)


def _list(value: Json, where: str) -> list[dict[str, Json]]:
    listed = value if is_array(value) else [value]
    if not all(is_object(each) for each in listed):
        raise UsageError("a list of objects with arguments is needed", where)
    return listed


def _take(entry: Json, where: str, found: dict[str, list[dict[str, Json]]]) -> None:
    if not is_object(entry):
        raise UsageError("a JSON object is needed on each line", where)
    name, arguments = entry.get("name", entry.get("tool")), entry.get("arguments", {})
    if entry.get("kind", "tool") != "tool":
        return
    if not isinstance(name, str) or not is_object(arguments):
        raise UsageError("an object with name and arguments is needed", where)
    known = found.setdefault(name, [])
    if arguments not in known:
        known.append(arguments)
