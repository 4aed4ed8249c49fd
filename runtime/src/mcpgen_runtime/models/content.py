"""The content of results: text, images, audio and resources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

from ..abbreviate import count_noun, plain
from ..errors import InvalidResult
from ..problem import Problem

if TYPE_CHECKING:
    from mcp.types import (
        BlobResourceContents,
        CallToolResult,
        ContentBlock,
        GetPromptResult,
        ReadResourceResult,
        TextResourceContents,
    )

    from ..display import Html

AnyResult: TypeAlias = "CallToolResult | GetPromptResult | ReadResourceResult"
"""The SDK's result of a tool, a prompt or a resource."""

ANY_TYPE = "application/octet-stream"


@dataclass(frozen=True, repr=False)
class Binary:
    """Decoded bytes with their MIME type."""

    data: bytes
    mime_type: str

    def save(self, path: str | PathLike[str]) -> None:
        """Write the bytes to a file, replacing it."""
        from pathlib import Path

        Path(path).write_bytes(self.data)

    def __repr__(self) -> str:
        size = count_noun(len(self.data), "byte")
        return f"<Binary: {size} of {plain(self.mime_type)}>"

    def _repr_html_(self) -> Html:
        from .binary_html import binary_html

        return binary_html(self)


def blocks(result: AnyResult) -> list[ContentBlock]:
    """Return the content blocks of a result or of a prompt's messages."""
    from mcp.types import CallToolResult, EmbeddedResource, GetPromptResult

    if isinstance(result, CallToolResult):
        return result.content
    if isinstance(result, GetPromptResult):
        return [message.content for message in result.messages]
    return [EmbeddedResource(type="resource", resource=contents) for contents in result.contents]


def text(result: AnyResult) -> str:
    """Return all text, joined by newlines."""
    from mcp.types import ReadResourceResult, TextResourceContents

    if isinstance(result, ReadResourceResult):
        parts = [
            contents.text
            for contents in result.contents
            if isinstance(contents, TextResourceContents)
        ]
    else:
        parts = [block.text for block in blocks(result) if block.type == "text"]
    return "\n".join(parts)


def images(result: AnyResult, target: str = "") -> list[Binary]:
    """Return all images."""
    return _decode_media(result, "image", target)


def audio(result: AnyResult, target: str = "") -> list[Binary]:
    """Return all audio."""
    return _decode_media(result, "audio", target)


def resources(result: AnyResult) -> list[TextResourceContents | BlobResourceContents]:
    """Return the resources embedded in a result."""
    return [block.resource for block in blocks(result) if block.type == "resource"]


def _decode_media(result: AnyResult, kind: str, target: str) -> list[Binary]:
    from mcp.types import CallToolResult

    try:
        return [binary(data, mime) for data, mime in _encoded_media(result, kind)]
    except ValueError as error:
        problem = Problem("", f"not base64: {error}")
        raw = result if isinstance(result, CallToolResult) else None
        raise InvalidResult(target, [problem], raw) from None


def _encoded_media(result: AnyResult, kind: str) -> Iterator[tuple[str, str]]:
    """Yield the media of a kind as base64, with their MIME types."""
    from mcp.types import (
        AudioContent,
        BlobResourceContents,
        ImageContent,
        ReadResourceResult,
    )

    if isinstance(result, ReadResourceResult):
        for contents in result.contents:
            mime = contents.mime_type or ANY_TYPE
            is_of_kind = mime.startswith(f"{kind}/")
            if isinstance(contents, BlobResourceContents) and is_of_kind:
                yield contents.blob, mime
        return
    for block in blocks(result):
        if isinstance(block, ImageContent | AudioContent) and block.type == kind:
            yield block.data, block.mime_type


def binary(data: str, mime_type: str) -> Binary:
    """Decode Base64, ignoring line breaks and spaces but no other characters."""
    import base64

    packed = "".join(data.split())
    return Binary(base64.b64decode(packed, validate=True), mime_type)
