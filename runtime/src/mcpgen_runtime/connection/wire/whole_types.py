"""The SDK's types of results and content, with every property that a server sends.

They take a while to build, so they are imported with the first result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from mcp.types import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    PromptMessage,
    ReadResourceResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel, ConfigDict, Discriminator, StrictBool, Tag

_OTHER = "of another type"


class UnknownContent(BaseModel):
    """A content block of a type that the SDK doesn't know, with all its properties."""

    model_config = ConfigDict(extra="allow")

    type: str


def _type_of(block: object) -> str | None:
    kind: object = getattr(block, "type", None)
    if isinstance(block, Mapping):
        kind = cast("Mapping[str, object]", block).get("type")
    if not isinstance(kind, str):
        return None
    return kind if kind in _KNOWN else _OTHER


_KNOWN = frozenset({"text", "image", "audio", "resource_link", "resource"})

if TYPE_CHECKING:
    RESULTS: Mapping[type[Any], type[Any]]
    Block: TypeAlias = Any
else:

    class _WholeAnnotations(Annotations):
        model_config = ConfigDict(extra="allow")

    class _Whole:
        model_config = ConfigDict(extra="allow")

        annotations: _WholeAnnotations | None = None

    class _WholeText(_Whole, TextContent): ...

    class _WholeImage(_Whole, ImageContent): ...

    class _WholeAudio(_Whole, AudioContent): ...

    class _WholeLink(_Whole, ResourceLink): ...

    class _WholeTextContents(_Whole, TextResourceContents):
        title: str | None = None

    class _WholeBlobContents(_Whole, BlobResourceContents):
        title: str | None = None

    class _WholeResource(_Whole, EmbeddedResource):
        resource: _WholeTextContents | _WholeBlobContents

    Block = Annotated[
        Annotated[_WholeText, Tag("text")]
        | Annotated[_WholeImage, Tag("image")]
        | Annotated[_WholeAudio, Tag("audio")]
        | Annotated[_WholeLink, Tag("resource_link")]
        | Annotated[_WholeResource, Tag("resource")]
        | Annotated[UnknownContent, Tag(_OTHER)],
        Discriminator(_type_of),
    ]

    class _WholeToolResult(CallToolResult):
        model_config = ConfigDict(extra="allow")

        content: list[Block]
        is_error: StrictBool = False

    class _WholeMessage(PromptMessage):
        model_config = ConfigDict(extra="allow")

        content: Block

    class _WholePrompt(GetPromptResult):
        model_config = ConfigDict(extra="allow")

        messages: list[_WholeMessage]

    class _WholeContents(ReadResourceResult):
        model_config = ConfigDict(extra="allow")

        contents: list[_WholeTextContents | _WholeBlobContents]

    RESULTS = {
        CallToolResult: _WholeToolResult,
        GetPromptResult: _WholePrompt,
        ReadResourceResult: _WholeContents,
    }
