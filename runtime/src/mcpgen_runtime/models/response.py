"""The complete response to a call."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ..abbreviate import kinds, value
from ..options import CallOptions
from . import content

if TYPE_CHECKING:
    from mcp.types import (
        BlobResourceContents,
        ContentBlock,
        TextResourceContents,
    )

    from ..display import Html
    from .content import AnyResult, Binary

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, repr=False)
class Response(Generic[T_co]):
    """The complete response to a call.

    ``data`` is what the method returns. ``raw`` is the SDK's result of the tool, prompt or
    resource.
    """

    data: T_co
    raw: AnyResult

    def __repr__(self) -> str:
        kinds_of_content = kinds(block.type for block in self.content) or "no content"
        return f"<Response: {value(self.data)} with {kinds_of_content}>"

    def _repr_html_(self) -> Html:
        from .display import result_html
        from .results import ResourceResult, ToolResult

        is_content = isinstance(self.data, ToolResult | ResourceResult)
        is_shown_whole = is_content or self.data is self.raw
        return result_html(self.raw, None if is_shown_whole else self.data)

    @property
    def content(self) -> list[ContentBlock]:
        """The content blocks with their annotations.

        For a prompt these are the blocks of its messages, for a resource its contents as
        embedded resources.
        """
        return content.blocks(self.raw)

    @property
    def text(self) -> str:
        """The text blocks, joined by newlines."""
        return content.text(self.raw)

    @property
    def images(self) -> list[Binary]:
        """The images."""
        return content.images(self.raw)

    @property
    def audio(self) -> list[Binary]:
        """The audio clips."""
        return content.audio(self.raw)

    @property
    def resources(self) -> list[TextResourceContents | BlobResourceContents]:
        """The embedded resources. Resource links are in ``content``."""
        return content.resources(self.raw)

    @property
    def meta(self) -> dict[str, Any]:
        """The result's ``_meta``."""
        return dict(self.raw.meta or {})


@dataclass
class Recorder:
    """Collects the results of one connection's calls.

    ``options`` take precedence over those of each call. With ``is_capturing`` calls are
    captured instead of sent.
    """

    connection: object
    options: CallOptions
    results: list[AnyResult] = field(default_factory=list["AnyResult"])
    is_open: bool = True
    is_capturing: bool = False

    def take(self, result: object) -> None:
        """Add a result, unless the recorder is closed."""
        if self.is_open:
            self.results.append(cast("AnyResult", result))

    def response(self, data: T, method: object) -> Response[T]:
        """Return the response with the last result."""
        if not self.results:
            raise TypeError(f"{method!r} called nothing over this connection")
        return Response(data, self.results[-1])


_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


@contextmanager
def recording(
    connection: object, options: CallOptions, *, is_capturing: bool = False
) -> Generator[Recorder]:
    """Record the calls that this task and its child tasks make over a connection."""
    recorder = Recorder(connection, options, is_capturing=is_capturing)
    token = _recorder.set(recorder)
    try:
        yield recorder
    finally:
        _recorder.reset(token)
        recorder.is_open = False


@contextmanager
def suspend_recording() -> Generator[None]:
    """Hide calls that a callback makes from the enclosing ``response``."""
    token = _recorder.set(None)
    try:
        yield
    finally:
        _recorder.reset(token)


def recorder_of(connection: object) -> Recorder | None:
    """Return the active recorder of a connection, or None."""
    recorder = _recorder.get()
    if recorder is None or not recorder.is_open:
        return None
    return recorder if recorder.connection is connection else None
