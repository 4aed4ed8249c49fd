"""The folders and files that a server may use, as the client lists them on request."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    import logging

    from mcp import Client
    from mcp.client import ClientRequestContext
    from mcp.client.session import ListRootsFnT
    from mcp.types import ErrorData, ListRootsResult, Root

Place: TypeAlias = "str | os.PathLike[str]"
"""A path, or a URI that starts with ``file://``."""
Places: TypeAlias = "Place | Sequence[Place] | Mapping[str, Place]"
"""One or several roots, optionally by their names for the server."""
Roots: TypeAlias = "Places | Callable[[], Places | Awaitable[Places]]"
"""The roots, or a function that returns them for each request."""

_NO_NEWS_SINCE = "2026-07-28"


def check_roots(roots: Roots) -> None:
    """Raise ``ValueError`` for an invalid root if it is known before the call."""
    if not callable(roots):
        for _, place in _named(roots):
            _uri(place)


def listing(roots: Roots, logger: logging.Logger) -> ListRootsFnT:
    """Return the callback that lists the roots for the SDK."""
    from .callbacks import answer_of, failed

    async def answer(context: ClientRequestContext) -> ListRootsResult | ErrorData:
        from mcp.types import ListRootsResult

        del context
        try:
            places = await answer_of(roots) if callable(roots) else roots
            found = [_root(name, place) for name, place in _named(places)]
        except Exception as error:
            return failed("roots", error, logger)
        return ListRootsResult(roots=found)

    return answer


async def tell_changed(sdk: Client) -> None:
    """Notify the server that the roots have changed, if its revision supports that."""
    from mcp.types import RootsListChangedNotification

    if sdk.protocol_version < _NO_NEWS_SINCE:
        await sdk.session.send_notification(RootsListChangedNotification())


def _named(places: Places) -> list[tuple[str | None, Place]]:
    if isinstance(places, str | os.PathLike):
        return [(None, places)]
    if isinstance(places, Mapping):
        return list(cast("Mapping[str | None, Place]", places).items())
    return [(None, place) for place in places]


def _root(name: str | None, place: Place) -> Root:
    from mcp.types import Root

    return Root.model_validate({"uri": _uri(place), "name": name})


def _uri(place: Place) -> str:
    text = os.fspath(place)
    if text.startswith("file://"):
        return text
    if "://" in text:
        raise ValueError(f"a root is a path or a file:// URI, not {text!r}")
    path = Path(text).expanduser()
    return (path.resolve() if ".." in path.parts else path.absolute()).as_uri()
