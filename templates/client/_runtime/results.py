"""What comes back where no schema promises more: content of several kinds."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import InvalidResult
from .problem import Problem

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
    """The result of a tool that has no output schema; ``raw`` is the SDK's own.

    What cannot be read raises ``InvalidResult`` when it is asked for.
    """

    raw: CallToolResult
    tool: str = field(default="", repr=False, compare=False)

    @property
    def text(self) -> str:
        """All text content, joined by line ends."""
        return "\n".join(
            block.text for block in self.raw.content if block.type == "text"
        )

    def json(self) -> Any:
        """Return the structured content, or else the text read as JSON.

        Raises ``InvalidResult``, which is a ``ValueError``, if there is neither.
        """
        if has_structured_content(self.raw):
            return self.raw.structured_content
        try:
            return parsed(self.text)
        except ValueError as error:
            raise self._unreadable(f"not JSON: {error}") from None

    @property
    def images(self) -> list[Binary]:
        """The images."""
        return [
            self._decoded(block.data, block.mime_type)
            for block in self.raw.content
            if block.type == "image"
        ]

    @property
    def audio(self) -> list[Binary]:
        """The audio clips."""
        return [
            self._decoded(block.data, block.mime_type)
            for block in self.raw.content
            if block.type == "audio"
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

    def _decoded(self, data: str, mime_type: str) -> Binary:
        try:
            return _binary(data, mime_type)
        except ValueError as error:
            raise self._unreadable(f"not base64: {error}") from None

    def _unreadable(self, reason: str) -> InvalidResult:
        return InvalidResult(self.tool, [Problem("", reason)], self.raw)


@dataclass(frozen=True)
class ResourceResult:
    """The contents of a resource; ``raw`` is the SDK's own result.

    What cannot be read raises ``InvalidResult`` when it is asked for.
    """

    raw: ReadResourceResult
    uri: str = field(default="", repr=False, compare=False)

    @property
    def text(self) -> str:
        """All text contents, joined by line ends."""
        return "\n".join(self._texts())

    @property
    def blobs(self) -> list[Binary]:
        """The binary contents."""
        from mcp.types import BlobResourceContents

        found = (p for p in self.raw.contents if isinstance(p, BlobResourceContents))
        try:
            return [_binary(part.blob, part.mime_type or _ANY_TYPE) for part in found]
        except ValueError as error:
            raise self._unreadable(f"not base64: {error}") from None

    def json(self) -> Any:
        """Return the text read as JSON.

        Raises ``InvalidResult``, which is a ``ValueError``, if it is none.
        """
        try:
            return parsed(self.text)
        except ValueError as error:
            raise self._unreadable(f"not JSON: {error}") from None

    def _texts(self) -> Iterator[str]:
        from mcp.types import TextResourceContents

        for part in self.raw.contents:
            if isinstance(part, TextResourceContents):
                yield part.text

    def _unreadable(self, reason: str) -> InvalidResult:
        return InvalidResult(self.uri, [Problem("", reason)])


_ANY_TYPE = "application/octet-stream"


def parsed(text: str) -> Any:
    """Return the JSON that a text is; all that may go wrong is a ``ValueError``.

    A number beyond the range of a double is ``inf``, as it is in structured content.
    """
    try:
        return json.loads(text, parse_constant=_refused)
    except RecursionError:
        raise ValueError("it is too deeply nested") from None


def _refused(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")


def has_structured_content(result: CallToolResult) -> bool:
    """Tell structured content that is null from none."""
    return (
        result.structured_content is not None
        or "structured_content" in result.model_fields_set
    )


def _binary(data: str, mime_type: str) -> Binary:
    """Decode base64; line ends and spaces in it are ignored, other letters are not."""
    packed = "".join(data.split())
    return Binary(base64.b64decode(packed, validate=True), mime_type)
