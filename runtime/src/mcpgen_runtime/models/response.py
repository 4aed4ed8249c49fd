"""``Response``: all that the server answered to one call."""

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
    """All that a server answered to a call; ``data`` is what the method returns.

    ``raw`` is the SDK's own result: of a tool, a prompt or a resource, as its class
    says.
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
        """The content blocks, with their annotations.

        Of a prompt those of its messages, of a resource its contents as embedded ones.
        """
        return content.blocks(self.raw)

    @property
    def text(self) -> str:
        """All text, joined by line ends."""
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
        """The resources in it; links to others are in ``content``."""
        return content.resources(self.raw)

    @property
    def meta(self) -> dict[str, Any]:
        """The result's ``_meta``."""
        return dict(self.raw.meta or {})


@dataclass
class Recorder:
    """Takes the results of one connection's calls until it is closed.

    ``options`` are those of the client that was asked, over each call's own. One that
    ``is_capturing`` lets no call be made.
    """

    connection: object
    options: CallOptions
    results: list[AnyResult] = field(default_factory=list["AnyResult"])
    is_open: bool = True
    is_capturing: bool = False

    def take(self, result: object) -> None:
        """Keep a result; what comes too late is nobody's."""
        if self.is_open:
            self.results.append(cast("AnyResult", result))

    def response(self, data: T, method: object) -> Response[T]:
        """Return the last result with the data that was made of it."""
        if not self.results:
            raise TypeError(f"{method!r} called nothing over this connection")
        return Response(data, self.results[-1])


_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


@contextmanager
def recording(
    connection: object, options: CallOptions, *, is_capturing: bool = False
) -> Generator[Recorder]:
    """Record the calls of a connection, in this task and those that it starts."""
    recorder = Recorder(connection, options, is_capturing=is_capturing)
    token = _recorder.set(recorder)
    try:
        yield recorder
    finally:
        _recorder.reset(token)
        recorder.is_open = False


@contextmanager
def unrecorded() -> Generator[None]:
    """Let callbacks make calls of their own that no ``response`` takes for its own."""
    token = _recorder.set(None)
    try:
        yield
    finally:
        _recorder.reset(token)


def recorder_of(connection: object) -> Recorder | None:
    """Return who records the calls of a connection now."""
    recorder = _recorder.get()
    if recorder is None or not recorder.is_open:
        return None
    return recorder if recorder.connection is connection else None
