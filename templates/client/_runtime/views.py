"""Base of the views of a client: its prompts and its resources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from pydantic import MISSING

from .caller import Caller
from .errors import InvalidArguments
from .problem import Problem
from .results import ResourceResult

if TYPE_CHECKING:
    from mcp.types import GetPromptResult


class PromptsView(Caller):
    """The prompts of a client."""

    async def _get(self, name: str, arguments: Mapping[str, object]) -> GetPromptResult:
        # Strings, in every revision (MCP, prompts, "Getting a Prompt").
        values: Any = _present(name, arguments, _is_string, "no string")
        return await self._connection.ask(
            lambda sdk, meta: sdk.get_prompt(name, values, meta=meta),
            name,
            self._options,
        )


class ResourcesView(Caller):
    """The resources of a client."""

    async def read(self, uri: str) -> ResourceResult:
        """Read any resource by its URI, such as that of a resource link."""
        return await self._read(uri)

    async def _read(self, uri: str) -> ResourceResult:
        result = await self._connection.ask(
            lambda sdk, meta: sdk.read_resource(uri, meta=meta), uri, self._options
        )
        return ResourceResult(result, uri)

    async def _expand(
        self, template: str, arguments: Mapping[str, object]
    ) -> ResourceResult:
        """Fill in a URI template (RFC 6570) and read the resource."""
        from mcp import UriTemplate

        values: Any = _present(template, arguments, _is_text, "no text, nor several")
        uri = UriTemplate.parse(template).expand(values)
        return await self._read(uri)


def _present(
    name: str,
    arguments: Mapping[str, object],
    is_valid: Callable[[object], bool],
    otherwise: str,
) -> dict[str, object]:
    """Return the arguments that are given, if all of them are of the right kind."""
    present = {key: value for key, value in arguments.items() if value is not MISSING}
    invalid = [key for key, value in present.items() if not is_valid(value)]
    if invalid:
        problems = [Problem(f"/{key}", f"it is {otherwise}") for key in invalid]
        raise InvalidArguments(name, problems)
    return present


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_text(value: object) -> bool:
    """Tell what a variable of a template may be: a string, or a list of strings."""
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return all(map(_is_string, cast("Sequence[object]", value)))
    return False
