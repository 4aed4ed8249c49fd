"""Results of tools without an output schema, and of resources."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..abbreviate import kinds, plain, quote_text
from ..errors import InvalidResult
from ..problem import Problem
from .content import ANY_TYPE, Binary, audio, binary, images, resources, text

if TYPE_CHECKING:
    from mcp.types import (
        BlobResourceContents,
        CallToolResult,
        ReadResourceResult,
        ResourceLink,
        TextResourceContents,
    )

    from ..display import Html


@dataclass(frozen=True, repr=False)
class ToolResult:
    """The result of a tool without an output schema.

    ``raw`` is the SDK's result. Properties raise ``InvalidResult`` if the content can't be
    decoded.
    """

    raw: CallToolResult
    tool: str = field(default="", compare=False)

    def __repr__(self) -> str:
        blocks = kinds(block.type for block in self.raw.content)
        return f"<ToolResult: {blocks or 'no content'}: {quote_text(self.text)}>"

    def _repr_html_(self) -> Html:
        from .display import result_html

        return result_html(self.raw)

    @property
    def text(self) -> str:
        """The text blocks, joined by newlines."""
        return text(self.raw)

    def json(self) -> Any:
        """Return the structured content, or parse the text as JSON.

        Raises:
            InvalidResult: There is neither structured content nor valid JSON.
        """
        if has_structured_content(self.raw):
            return self.raw.structured_content
        try:
            return parse_json(self.text)
        except ValueError as error:
            raise self._unreadable(f"not JSON: {error}") from None

    @property
    def images(self) -> list[Binary]:
        """The images."""
        return images(self.raw, self.tool)

    @property
    def audio(self) -> list[Binary]:
        """The audio clips."""
        return audio(self.raw, self.tool)

    @property
    def resource_links(self) -> list[ResourceLink]:
        """Links to resources, which ``client.resources.read`` reads."""
        return [block for block in self.raw.content if block.type == "resource_link"]

    @property
    def resources(self) -> list[TextResourceContents | BlobResourceContents]:
        """The embedded resources."""
        return resources(self.raw)

    def _unreadable(self, reason: str) -> InvalidResult:
        return InvalidResult(self.tool, [Problem("", reason)], self.raw)


@dataclass(frozen=True, repr=False)
class ResourceResult:
    """The contents of a resource.

    ``raw`` is the SDK's result. Properties raise ``InvalidResult`` if the contents can't be
    decoded.
    """

    raw: ReadResourceResult
    uri: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return f"<ResourceResult: {plain(self.uri)}: {quote_text(self.text)}>"

    def _repr_html_(self) -> Html:
        from .display import result_html

        return result_html(self.raw)

    @property
    def text(self) -> str:
        """The text contents, joined by newlines."""
        return text(self.raw)

    @property
    def blobs(self) -> list[Binary]:
        """The binary contents."""
        from mcp.types import BlobResourceContents

        contents = (p for p in self.raw.contents if isinstance(p, BlobResourceContents))
        try:
            return [binary(part.blob, part.mime_type or ANY_TYPE) for part in contents]
        except ValueError as error:
            raise self._unreadable(f"not base64: {error}") from None

    def json(self) -> Any:
        """Parse the text as JSON.

        Raises:
            InvalidResult: The text isn't valid JSON.
        """
        try:
            return parse_json(self.text)
        except ValueError as error:
            raise self._unreadable(f"not JSON: {error}") from None

    def _unreadable(self, reason: str) -> InvalidResult:
        return InvalidResult(self.uri, [Problem("", reason)])


def parse_json(text: str) -> Any:
    """Parse JSON. A number beyond the range of a double becomes ``inf``.

    Raises:
        ValueError: The text isn't valid JSON, or is nested too deeply.
    """
    import json

    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def has_structured_content(result: CallToolResult) -> bool:
    """Return True if a result has structured content, even if it is null."""
    return result.structured_content is not None or "structured_content" in result.model_fields_set
