"""The recorded tool definitions in ``contract.json``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from .abbreviate import count_noun, names, plain, quote_text

TASKS = "io.modelcontextprotocol/tasks"
"""The extension for tasks since revision 2026-07-28."""


@dataclass(frozen=True, repr=False)
class ToolInfo:
    """The recorded definition of a tool.

    The ``annotations`` are unverified. ``definition`` is the complete JSON.
    """

    name: str
    title: str
    description: str
    annotations: Mapping[str, Any]
    icons: tuple[Mapping[str, Any], ...]
    meta: Mapping[str, Any]
    definition: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<ToolInfo: {plain(self.name)}: {quote_text(self.title or self.description)}>"

    @property
    def is_harmless(self) -> bool:
        """Whether the annotations claim that the tool is read-only or not destructive.

        A tool without annotations counts as destructive (MCP, schema, ``ToolAnnotations``), and so
        does one with ``destructiveHint: true``.
        """
        claims = self.annotations
        if claims.get("destructiveHint") is True:
            return False
        return claims.get("readOnlyHint") is True or claims.get("destructiveHint") is False

    @property
    def task_support(self) -> Literal["forbidden", "optional", "required"]:
        """Whether calls run as tasks: never, on request, or always."""
        return _task_support(self.definition)


class ToolInfos(Mapping[str, ToolInfo]):
    """The tools of a contract by name, each parsed on first use."""

    def __init__(self, contract: Mapping[str, Any]) -> None:
        self._contract = contract
        self._entries: Mapping[str, Any] = contract.get("tools") or {}
        self._parsed: dict[str, ToolInfo] = {}

    def __getitem__(self, name: str) -> ToolInfo:
        info = self._parsed.get(name)
        if info is None:
            info = self._parsed[name] = tool_info(name, self._entries[name]["definition"])
        return info

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def instructions(self) -> str:
        """The server's recorded instructions for models, or ""."""
        text = self._contract.get("instructions")
        return text if isinstance(text, str) else ""

    def __repr__(self) -> str:
        return f"<{count_noun(len(self), 'tool')}: {names(self)}>"


def has_task_tools(contract: Mapping[str, Any]) -> bool:
    """Return True if the recorded server declared the tasks extension or tools that use it."""
    extensions = _object(_object(contract.get("capabilities")).get("extensions"))
    return TASKS in extensions or any(
        _task_support(entry["definition"]) != "forbidden" for entry in contract["tools"].values()
    )


def tool_info(name: str, raw: dict[str, Any]) -> ToolInfo:
    """Parse the definition of a tool."""
    annotations = _object(raw.get("annotations"))
    title = raw.get("title") or annotations.get("title")
    return ToolInfo(
        name=name,
        title=_text(title),
        description=_text(raw.get("description")),
        annotations=annotations,
        icons=tuple(_object(icon) for icon in _list(raw.get("icons"))),
        meta=_object(raw.get("_meta")),
        definition=raw,
    )


def _task_support(
    definition: Mapping[str, Any],
) -> Literal["forbidden", "optional", "required"]:
    """Return ``execution.taskSupport`` (MCP 2025-11-25, basic/utilities/tasks)."""
    support = _object(definition.get("execution")).get("taskSupport")
    return support if support in ("optional", "required") else "forbidden"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
