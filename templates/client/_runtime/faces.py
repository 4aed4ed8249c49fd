"""The other faces of a client: raw results, prompts, resources."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, cast

from pydantic import MISSING

from .calls import Line, asked
from .errors import InvalidArguments
from .problem import Problem
from .results import ResourceResult
from .tool import Meta, OnProgress, Tool

if TYPE_CHECKING:
    from mcp.types import CallToolResult, GetPromptResult

P = ParamSpec("P")


class RawFace:
    """The tools of a client, answered with the SDK's own results, be they errors."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object],
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        meta: Meta | None = None,
    ) -> CallToolResult:
        """Call a tool by its name on the wire, with arguments as JSON."""
        return await self._call(
            asked(tool),
            arguments,
            timeout=timeout,
            on_progress=on_progress,
            meta=meta,
        )

    async def _call(
        self,
        tool: Tool[Any],
        arguments: Mapping[str, object],
        *,
        timeout: float | None,
        on_progress: OnProgress | None,
        meta: Meta | None,
    ) -> CallToolResult:
        return await self._line.call(
            tool,
            arguments,
            _as_it_is,
            timeout=timeout,
            on_progress=on_progress,
            meta=meta,
        )


def _as_it_is(result: CallToolResult) -> CallToolResult:
    return result


def raw(
    method: Callable[Concatenate[Any, P], Coroutine[Any, Any, object]],
) -> Callable[Concatenate[RawFace, P], Coroutine[Any, Any, CallToolResult]]:
    """Make of a client's method one that returns the SDK's result."""

    @functools.wraps(method)
    async def face(self: RawFace, *args: P.args, **kwargs: P.kwargs) -> CallToolResult:
        return cast("CallToolResult", await method(self, *args, **kwargs))

    return cast(
        "Callable[Concatenate[RawFace, P], Coroutine[Any, Any, CallToolResult]]", face
    )


class PromptFace:
    """The prompts of a client."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def _get(
        self,
        name: str,
        arguments: Mapping[str, object],
        *,
        timeout: float | None,
        meta: Meta | None,
    ) -> GetPromptResult:
        # Strings, in every revision (MCP, prompts, "Getting a Prompt").
        given: Any = _present(name, arguments, _is_string, "no string")
        return await self._line.ask(
            lambda: self._line.link.sdk.get_prompt(
                name, given, meta=cast("Any", meta)
            ),
            name,
            timeout,
        )


class ResourceFace:
    """The resources of a client."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def read(
        self, uri: str, *, timeout: float | None = None, meta: Meta | None = None
    ) -> ResourceResult:
        """Read any resource by its URI, such as that of a resource link."""
        return await self._read(uri, timeout=timeout, meta=meta)

    async def _read(
        self, uri: str, *, timeout: float | None, meta: Meta | None
    ) -> ResourceResult:
        result = await self._line.ask(
            lambda: self._line.link.sdk.read_resource(uri, meta=cast("Any", meta)),
            uri,
            timeout,
        )
        return ResourceResult(result, uri)

    async def _expand(
        self,
        template: str,
        arguments: Mapping[str, object],
        *,
        timeout: float | None,
        meta: Meta | None,
    ) -> ResourceResult:
        """Fill in a URI template (RFC 6570) and read the resource."""
        from mcp import UriTemplate

        given: Any = _present(template, arguments, _is_text, "no text, nor several")
        uri = UriTemplate.parse(template).expand(given)
        return await self._read(uri, timeout=timeout, meta=meta)


def _present(
    name: str,
    arguments: Mapping[str, object],
    is_valid: Callable[[object], bool],
    otherwise: str,
) -> dict[str, object]:
    """Return the arguments that are given, if all of them are of the right kind."""
    given = {key: value for key, value in arguments.items() if value is not MISSING}
    wrong = [key for key, value in given.items() if not is_valid(value)]
    if wrong:
        found = [Problem(f"/{key}", f"it is {otherwise}") for key in wrong]
        raise InvalidArguments(name, found)
    return given


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_text(value: object) -> bool:
    """Tell what a variable of a template may be: a string, or a list of strings."""
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return all(map(_is_string, cast("Sequence[object]", value)))
    return False
