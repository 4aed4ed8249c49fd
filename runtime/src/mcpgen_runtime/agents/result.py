"""The result of a call for a model: text and media."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..abbreviate import count_noun, kinds, plain, quote_text
from ..models.content import ANY_TYPE, Binary, binary
from ..models.results import has_structured_content, parse_json

if TYPE_CHECKING:
    from mcp.types import BlobResourceContents, CallToolResult, ContentBlock

NOTHING = "The call succeeded, and returned nothing."
HIDDEN = "The call succeeded. Its result is only for the user and isn't shown here."


@dataclass(frozen=True, repr=False)
class AgentResult:
    """The result of a call for a model.

    Attributes:
        media: Images and audio.
        structured: The structured content, if there is any.
        raw: The SDK's result, only for the program.
        error: The exception, only for the program.
    """

    text: str
    media: tuple[Binary, ...] = ()
    is_error: bool = False
    structured: Any = None
    raw: CallToolResult | None = None
    error: Exception | None = None
    parts: tuple[str | Binary, ...] = ()
    """Strings and media in the order of the result's content blocks."""

    def __repr__(self) -> str:
        what = "error" if self.is_error else "text"
        media = kinds(f"of {item.mime_type}" for item in self.media)
        summary = f"{what}{f' and {media}' if media else ''}"
        return f"<AgentResult: {summary}: {quote_text(self.text)}>"

    @property
    def ordered(self) -> tuple[str | Binary, ...]:
        """Strings and media in order. If the text was changed, it comes first."""
        texts = [part for part in self.parts if isinstance(part, str)]
        if "\n".join(texts) == self.text:
            return self.parts
        return (*([self.text] if self.text else []), *self.media)

    @property
    def images(self) -> tuple[Binary, ...]:
        """The images."""
        return tuple(item for item in self.media if is_image(item))


def is_image(part: Binary) -> bool:
    """Return True for an image, False for audio."""
    return part.mime_type.startswith("image/")


def agent_result(result: CallToolResult) -> AgentResult:
    """Convert a result, without content that is only for the user."""
    blocks = [block for block in result.content if _is_for_model(block)]
    parts = tuple(part for part in _parts(blocks) if part)
    texts = [part for part in parts if isinstance(part, str)]
    media = [part for part in parts if isinstance(part, Binary)]
    structured = result.structured_content
    if has_structured_content(result):
        texts = _once(texts, structured)
    text = "\n".join(text for text in texts if text)
    if not text and not media and not result.is_error:
        text = HIDDEN if result.content else NOTHING
    return AgentResult(text, tuple(media), result.is_error, structured, result, parts=parts)


def _is_for_model(block: ContentBlock) -> bool:
    """Apply the audience of a block (MCP 2025-11-25, server/resources, "Annotations")."""
    parts = (block, getattr(block, "resource", None))
    audiences = (getattr(getattr(part, "annotations", None), "audience", None) for part in parts)
    return all(not audience or "assistant" in audience for audience in audiences)


def _parts(blocks: Sequence[ContentBlock]) -> Iterator[str | Binary]:
    from mcp.types import AudioContent, ImageContent

    for block in blocks:
        if block.type == "text":
            yield block.text
        elif isinstance(block, ImageContent | AudioContent):
            yield _decode_media(block.data, block.mime_type, block.type)
        elif block.type == "resource_link":
            about = (block.title or block.name, block.mime_type, block.description)
            details = ", ".join(text for text in about if text)
            yield f"[resource {block.uri}: {details}]"
        elif block.type != "resource":
            yield f"[content of the type {plain(block.type)}, not shown]"
        else:
            resource = block.resource
            text = getattr(resource, "text", None)
            if isinstance(text, str):
                yield f"[resource {resource.uri}]\n{text}"
            else:
                yield _blob(resource)


def _blob(resource: Any) -> str | Binary:
    contents: BlobResourceContents = resource
    mime = contents.mime_type or ANY_TYPE
    media = _decode_media(contents.blob, mime, "resource")
    if isinstance(media, str) or mime.startswith(("image/", "audio/")):
        return media
    size = count_noun(len(media.data), "byte")
    return f"[resource {contents.uri}: {size} of {plain(mime)}, not shown]"


def _decode_media(data: str, mime_type: str, kind: str) -> str | Binary:
    try:
        return binary(data, mime_type)
    except ValueError:
        return f"[an unreadable part of the kind {kind}]"


def _once(texts: list[str], structured: Any) -> list[str]:
    """Add structured content to strings that don't contain it already.

    Servers repeat it as JSON, as its only property, or item by item.
    """
    structured_json = json.dumps(structured, ensure_ascii=False)
    values = [_value(text) for text in texts]
    if not texts or values == [structured]:
        return [structured_json]
    if isinstance(structured, dict):
        member_values = [*cast("dict[str, Any]", structured).values()]
        if len(member_values) == 1 and texts == member_values:
            return texts  # without the quotes and escapes of JSON
        if member_values in (values, [values]):
            return [structured_json]
    return [*texts, structured_json]


def _value(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError:
        return text
