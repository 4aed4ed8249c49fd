"""All that a call answered, and who records it: the calls of one ``response``."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .content import audio, blocks, images, resources, text
from .options import CallOptions

if TYPE_CHECKING:
    from mcp.types import (
        BlobResourceContents,
        CallToolResult,
        ContentBlock,
        TextResourceContents,
    )

    from .content import Answered, Binary

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Response(Generic[T_co]):
    """All that a server answered to a call; ``data`` is what the method returns.

    ``raw`` is the SDK's own result. Of a prompt or a resource it is a
    ``GetPromptResult`` or ``ReadResourceResult``, which its type does not say.
    """

    data: T_co
    raw: CallToolResult

    @property
    def content(self) -> list[ContentBlock]:
        """The content blocks, with their annotations.

        Of a prompt those of its messages, of a resource its contents as embedded ones.
        """
        return blocks(self.raw)

    @property
    def text(self) -> str:
        """All text, joined by line ends."""
        return text(self.raw)

    @property
    def images(self) -> list[Binary]:
        """The images."""
        return images(self.raw)

    @property
    def audio(self) -> list[Binary]:
        """The audio clips."""
        return audio(self.raw)

    @property
    def resources(self) -> list[TextResourceContents | BlobResourceContents]:
        """The resources in it; links to others are in ``content``."""
        return resources(self.raw)

    @property
    def meta(self) -> dict[str, Any]:
        """The result's ``_meta``."""
        return dict(self.raw.meta or {})


@dataclass
class Recorder:
    """Takes the results of one connection's calls until it is closed.

    ``options`` are those of the client that was asked, over each call's own.
    """

    connection: object
    options: CallOptions
    results: list[Answered] = field(default_factory=list["Answered"])
    is_open: bool = True

    def take(self, result: object) -> None:
        """Keep a result; what comes too late is nobody's."""
        if self.is_open:
            self.results.append(cast("Answered", result))

    def response(self, data: T, method: object) -> Response[T]:
        """Return the last result with the data that was made of it."""
        if not self.results:
            raise TypeError(f"{method!r} called nothing over this connection")
        return Response(data, cast("CallToolResult", self.results[-1]))


_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


@contextmanager
def recording(connection: object, options: CallOptions) -> Generator[Recorder]:
    """Record the calls of a connection, in this task and those that it starts."""
    recorder = Recorder(connection, options)
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
