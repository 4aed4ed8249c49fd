"""Reads arguments of tools from JSON, YAML or recorded calls."""

from __future__ import annotations

from mcpgen.contract import yaml_reader
from mcpgen.errors import McpgenError, UsageError
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object, loads
from mcpgen.servers.recording.request import read_file

Arguments = dict[str, Json]

_OF_TOOLS = "such as: {search: [{query: night}, {query: day}]}"
_OF_A_LINE = 'such as: {"name": "search", "arguments": {"query": "night"}}'


def read_arguments(path: str) -> dict[str, list[Arguments]]:
    """Return arguments by tool, in the order of the file.

    The file maps tools to an object of arguments or a list of them, or has a JSON object per line
    with ``name`` and ``arguments``, as recorded calls do. Recorded calls with redacted arguments
    are skipped.
    """
    return arguments_in(read_file(path), path)


def arguments_in(content: bytes, where: str) -> dict[str, list[Arguments]]:
    """Return the arguments that such a file has."""
    if where.endswith(yaml_reader.SUFFIXES):
        return _of_tools(yaml_reader.loads(content, where), where)
    try:
        whole = loads(content, where)
    except McpgenError:
        if content.lstrip()[:1] != b"{" or len(content.splitlines()) < 2:
            raise
    else:
        if not _is_call(whole):
            return _of_tools(whole, where)
    result: dict[str, list[Arguments]] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            _take(loads(line, f"{where}:{number}"), f"{where}:{number}", result)
    return result


def _is_call(entry: Json) -> bool:
    """Return True if an object is a call, not a map from tools to arguments."""
    return is_object(entry) and isinstance(entry.get("name", entry.get("tool")), str)


def _of_tools(document: Json, where: str) -> dict[str, list[Arguments]]:
    if not is_object(document):
        raise UsageError("arguments are an object, by the names of tools", where, _OF_TOOLS)
    return {tool: _several(tool, value, where) for tool, value in document.items()}


def _several(tool: str, value: Json, where: str) -> list[Arguments]:
    several = value if is_array(value) else [value]
    argumentses = [item for item in several if is_object(item)]
    if len(argumentses) < len(several):
        pointer = f"{where}#/{escape(tool)}"
        raise UsageError(f"the arguments of {tool} are not objects", pointer, _OF_TOOLS)
    return argumentses


def _take(entry: Json, where: str, collected: dict[str, list[Arguments]]) -> None:
    name = entry.get("name", entry.get("tool")) if is_object(entry) else None
    arguments = entry.get("arguments", {}) if is_object(entry) else None
    if not is_object(entry) or not isinstance(name, str) or not is_object(arguments):
        raise UsageError("expected an object with name and arguments", where, _OF_A_LINE)
    if entry.get("kind", "tool") != "tool" or _is_redacted(entry):
        return
    argumentses = collected.setdefault(name, [])
    if arguments not in argumentses:
        argumentses.append(arguments)


def _is_redacted(entry: Arguments) -> bool:
    pointers = entry.get("redacted")
    listed = pointers if is_array(pointers) else []
    return any(isinstance(value, str) and value.startswith("/arguments") for value in listed)
