"""What is put into an answer as it is, past the SDK, which would reword it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from mcpgen.jsontext import Json, is_object
from mcpgen.testing.mock.context import MODERN

_CONTENT = ("content", "contents", "messages")
"""What handlers leave empty where they put an answer."""

_kept: ContextVar[dict[str, Json] | None] = ContextVar("kept", default=None)


@contextmanager
def keeping() -> Generator[dict[str, Json]]:
    """Keep what is put while a request is answered, or a task runs."""
    kept: dict[str, Json] = {}
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)


def put(result: Mapping[str, Json]) -> None:
    """Answer the request with these members, whatever its handler returns."""
    kept = _kept.get()
    if kept is not None:
        kept.update(result)


def with_kept(result: Mapping[str, Json], kept: Mapping[str, Json]) -> dict[str, Json]:
    """Return a result with what was put in the place of its content, if anything was."""
    if not kept:
        return dict(result)
    own = {name: value for name, value in result.items() if name not in _CONTENT}
    return {**own, **kept}


def without_later(result: Mapping[str, Json], revision: str) -> Mapping[str, Json]:
    """Leave out structured content where clients of a revision would refuse it all."""
    if revision >= MODERN or is_object(result.get("structuredContent")):
        return result
    return {name: value for name, value in result.items() if name != "structuredContent"}
