"""Parses results from their JSON without losing data.

The SDK's types drop unknown properties, such as the annotations of an embedded resource, and reject
a result with a content block of another type. So the SDK gets a result without its content, and the
JSON itself is parsed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from mcp.types import CallToolResult, GetPromptResult, ReadResourceResult

T = TypeVar("T")

METHODS = frozenset({"tools/call", "tasks/result", "prompts/get", "resources/read"})
"""Requests whose results have content."""

_RAW = "mcpgen/raw"
_COMPLETE = ("complete", None)
_CONTENT = ("content", "messages", "contents")

# The properties of the SDK's types.
_ANNOTATIONS = frozenset({"audience", "priority", "lastModified"})
_BLOCK = frozenset({"type", "annotations", "_meta"})
_MEDIA = _BLOCK | {"data", "mimeType"}
_LINK = "name title uri description mimeType size icons"
_BLOCKS: Mapping[str, frozenset[str]] = {
    "text": _BLOCK | {"text"},
    "image": _MEDIA,
    "audio": _MEDIA,
    "resource_link": _BLOCK | set(_LINK.split()),
    "resource": _BLOCK | {"resource"},
}
_CONTENTS = frozenset({"uri", "mimeType", "text", "blob", "_meta"})
_MESSAGE = frozenset({"role", "content"})
_RESULT = frozenset(
    "content structuredContent isError messages description contents _meta resultType"
    " ttlMs cacheScope".split()
)


@dataclass(eq=False)
class _Raw:
    result: dict[str, Any]


def without_content(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result for the SDK, without content that it can't represent.

    Its ``_meta`` carries the complete result past the SDK.
    """
    if _is_sdk_readable(result):
        return result
    listed = [name for name in _CONTENT if isinstance(result.get(name), list)]
    meta = result.get("_meta", {})
    is_complete = result.get("resultType") in _COMPLETE
    if not listed or not is_complete or not isinstance(meta, dict):
        return result
    members = cast("dict[str, Any]", meta)
    empty: dict[str, Any] = {name: [] for name in listed}
    return {**result, **empty, "_meta": {**members, _RAW: _Raw(result)}}


def _content(result: Mapping[str, Any]) -> Iterator[tuple[object, str]]:
    """Yield each part with content, and the list that it is in."""
    for name in _CONTENT:
        listed = result.get(name)
        if isinstance(listed, list):
            yield from ((part, name) for part in cast("list[object]", listed))


def _is_known(part: tuple[object, str]) -> bool:
    """Return True if the SDK can represent a block, a message or contents completely."""
    block, name = part
    if name == "contents":
        return _is_plain(block, _CONTENTS)
    if name == "messages":
        message = _object(block)
        return _is_plain(block, _MESSAGE) and _is_known((message.get("content"), ""))
    kind = _object(block).get("type")
    members = _BLOCKS.get(kind) if isinstance(kind, str) else None
    if members is None or not _is_plain(block, members):
        return False
    return kind != "resource" or _is_plain(_object(block).get("resource"), _CONTENTS)


def _is_plain(value: object, members: frozenset[str]) -> bool:
    parts = _object(value)
    annotations = parts.get("annotations")
    return parts.keys() <= members and _object(annotations).keys() <= _ANNOTATIONS


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def whole(result: T) -> T:
    """Return the complete result that the SDK returned without its content.

    Raises: ValidationError: It violates the specification.
    """
    raw = _raw_in(getattr(result, "meta", None))
    return result if raw is None else _read(type(result), raw)


def tool_result(raw: object) -> CallToolResult:
    """Parse the result of a tool.

    Raises:
        ValidationError: The JSON isn't a result of a tool.
    """
    from mcp.types import CallToolResult

    if isinstance(raw, dict):
        members = cast("dict[str, Any]", raw)
        members = _raw_in(members.get("_meta")) or members
        # A tool may return only structured content.
        raw = {"content": [], **members} if "structuredContent" in members else members
    return _read(CallToolResult, raw)


def prompt_result(raw: object) -> GetPromptResult:
    """Parse a prompt.

    Raises:
        ValidationError: The JSON isn't a prompt.
    """
    from mcp.types import GetPromptResult

    return _read(GetPromptResult, raw)


def resource_result(raw: object) -> ReadResourceResult:
    """Parse the contents of a resource.

    Raises:
        ValidationError: The JSON isn't the contents of a resource.
    """
    from mcp.types import ReadResourceResult

    return _read(ReadResourceResult, raw)


def problem(method: str, raw: object) -> str:
    """Return the first reason why a client would reject a result, or "".

    A result of text blocks is recognized without the SDK, which takes long to load.
    """
    if _is_plain_text(raw):
        return ""
    from pydantic import ValidationError

    try:
        _READERS.get(method, tool_result)(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{_pointer(first['loc'])}: {first['msg']}".lstrip(": ")
    return ""


def _pointer(steps: Sequence[int | str]) -> str:
    """Return a JSON pointer without the names of the SDK's types in a location."""
    return "".join(f"/{step}" for step in steps if not str(step)[:1].isupper())


def _is_plain_text(raw: object) -> bool:
    result = _object(raw)
    content = result.get("content")
    if not isinstance(content, list) or not result.keys() <= _PLAIN_RESULT:
        return False
    blocks = [_object(item) for item in cast("list[object]", content)]
    return isinstance(result.get("isError", False), bool) and all(
        len(block) == 2 and block.get("type") == "text" and isinstance(block.get("text"), str)
        for block in blocks
    )


_PLAIN_RESULT = frozenset({"content", "structuredContent", "isError"})
_READERS: Mapping[str, Callable[[object], object]] = {
    "prompts/get": prompt_result,
    "resources/read": resource_result,
}


def _read(kind: type[T], raw: object) -> T:
    """Parse a result as the SDK's type, or as ours if that would lose data."""
    model: Any = kind
    if not _is_sdk_readable(_object(raw)):
        from .whole_types import RESULTS

        model = next(RESULTS[base] for base in kind.__mro__ if base in RESULTS)
    result: T = model.model_validate(raw, by_name=False)
    return result


def _raw_in(meta: object) -> dict[str, Any] | None:
    raw = cast("dict[str, object]", meta).get(_RAW) if isinstance(meta, dict) else None
    return raw.result if isinstance(raw, _Raw) else None


def _is_sdk_readable(result: Mapping[str, Any]) -> bool:
    is_plain = _is_plain(result, _RESULT)
    # The SDK accepts "yes" as true.
    is_bool = isinstance(result.get("isError", False), bool)
    return is_plain and is_bool and all(map(_is_known, _content(result)))
