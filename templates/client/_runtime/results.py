"""What comes back where no schema promises more: content of several kinds."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.types import (
        BlobResourceContents,
        CallToolResult,
        ReadResourceResult,
        ResourceLink,
        TextResourceContents,
    )


@dataclass(frozen=True)
class Binary:
    """Decoded bytes with their MIME type."""

    data: bytes
    mime_type: str


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool that has no output schema; ``raw`` is the SDK's own."""

    raw: CallToolResult

    @property
    def text(self) -> str:
        """All text content, joined by line ends."""
        return "\n".join(
            block.text for block in self.raw.content if block.type == "text"
        )

    def json(self) -> Any:
        """Return the structured content, or else the text read as JSON.

        Raises ``ValueError`` if there is neither.
        """
        if has_structured_content(self.raw):
            return self.raw.structured_content
        return json.loads(self.text)

    @property
    def images(self) -> list[Binary]:
        """The images."""
        return [
            _decoded(b.data, b.mime_type) for b in self.raw.content if b.type == "image"
        ]

    @property
    def audio(self) -> list[Binary]:
        """The audio clips."""
        return [
            _decoded(b.data, b.mime_type) for b in self.raw.content if b.type == "audio"
        ]

    @property
    def resource_links(self) -> list[ResourceLink]:
        """Links to resources, which can be read with the client's ``resources``."""
        return [block for block in self.raw.content if block.type == "resource_link"]

    @property
    def resources(self) -> list[TextResourceContents | BlobResourceContents]:
        """Resources embedded in the result."""
        return [
            block.resource for block in self.raw.content if block.type == "resource"
        ]


@dataclass(frozen=True)
class ResourceResult:
    """The contents of a resource; ``raw`` is the SDK's own result."""

    raw: ReadResourceResult

    @property
    def text(self) -> str:
        """All text contents, joined by line ends."""
        return "\n".join(part for part in self._parts() if isinstance(part, str))

    @property
    def blobs(self) -> list[Binary]:
        """The binary contents."""
        return [part for part in self._parts() if isinstance(part, Binary)]

    def json(self) -> Any:
        """Return the text read as JSON; raises ``ValueError`` if it is none."""
        return json.loads(self.text)

    def _parts(self) -> Iterator[str | Binary]:
        from mcp.types import TextResourceContents

        for part in self.raw.contents:
            if isinstance(part, TextResourceContents):
                yield part.text
            else:
                yield _decoded(part.blob, part.mime_type or "application/octet-stream")


def has_structured_content(result: CallToolResult) -> bool:
    """Tell structured content that is null from none."""
    return (
        result.structured_content is not None
        or "structured_content" in result.model_fields_set
    )


def _decoded(data: str, mime_type: str) -> Binary:
    return Binary(base64.b64decode(data), mime_type)
