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
        for _, location in _name_roots(roots):
            _uri(location)


def listing(roots: Roots, logger: logging.Logger) -> ListRootsFnT:
    """Return the callback that lists the roots for the SDK."""
    from .callbacks import answer_of, error_data

    async def answer(context: ClientRequestContext) -> ListRootsResult | ErrorData:
        from mcp.types import ListRootsResult

        del context
        try:
            locations = await answer_of(roots) if callable(roots) else roots
            root_list = [_root(name, location) for name, location in _name_roots(locations)]
        except Exception as error:
            return error_data("roots", error, logger)
        return ListRootsResult(roots=root_list)

    return answer


async def tell_changed(sdk: Client) -> None:
    """Notify the server that the roots have changed, if its revision supports that."""
    from mcp.types import RootsListChangedNotification

    if sdk.protocol_version < _NO_NEWS_SINCE:
        await sdk.session.send_notification(RootsListChangedNotification())


def _name_roots(locations: Places) -> list[tuple[str | None, Place]]:
    if isinstance(locations, str | os.PathLike):
        return [(None, locations)]
    if isinstance(locations, Mapping):
        return list(cast("Mapping[str | None, Place]", locations).items())
    return [(None, location) for location in locations]


def _root(name: str | None, location: Place) -> Root:
    from mcp.types import Root

    return Root.model_validate({"uri": _uri(location), "name": name})


def _uri(location: Place) -> str:
    text = os.fspath(location)
    if text.startswith("file://"):
        return text
    if "://" in text:
        raise ValueError(f"a root is a path or a file:// URI, not {text!r}")
    path = Path(text).expanduser()
    return (path.resolve() if ".." in path.parts else path.absolute()).as_uri()
