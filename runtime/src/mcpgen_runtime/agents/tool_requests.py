"""Parses tool calls that a model requests, in the format of each API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from ..models.results import parse_json

AgentApi: TypeAlias = Literal["openai", "openai-responses", "anthropic", "gemini", "mcp"]
"""An API for tools: Chat Completions, Responses, Messages, Gemini or MCP."""

APIS: tuple[str, ...] = get_args(AgentApi)


@dataclass(frozen=True)
class ToolRequest:
    """A tool call that a model requests, and its API.

    ``problem`` is the reason if the arguments are unreadable.
    """

    api: AgentApi
    name: str
    arguments: Mapping[str, Any]
    id: str | None = None
    problem: str = ""


def parse_call(call: object, api: AgentApi | None = None) -> ToolRequest:
    """Parse a tool call, given as a mapping or an object of an SDK.

    Raises:
        TypeError: It isn't a tool call.
    """
    if api is not None and api not in APIS:
        raise ValueError(f"api is one of {APIS}, not {api!r}")
    function = _get(call, "function")
    if function is not None and api in (None, "openai"):
        return _parse_request("openai", function, "arguments", _get(call, "id"))
    kind = _get(call, "type")
    if kind == "function_call" and api in (None, "openai-responses"):
        return _parse_request("openai-responses", call, "arguments", _get(call, "call_id"))
    if kind == "tool_use" and api in (None, "anthropic"):
        return _parse_request("anthropic", call, "input", _get(call, "id"))
    part = _get(call, "function_call", "functionCall")
    if part is not None and api in (None, "gemini"):
        return _parse_request("gemini", part, "args", _get(part, "id"))
    if kind is None and api in (None, "gemini", "mcp"):
        params = _get(call, "params") if api in (None, "mcp") else None
        return _parse_mcp_or_gemini(call if params is None else params, api)
    raise _no_call(call, api)


def _parse_mcp_or_gemini(call: object, api: AgentApi | None) -> ToolRequest:
    """Distinguish the APIs whose calls have only a name and arguments."""
    has_args = _get(call, "args") is not None or _has(call, "args")
    is_mcp = _has(call, "arguments") or not (has_args or _get(call, "id") is not None)
    if api == "mcp" or (api is None and is_mcp):
        return _parse_request("mcp", call, "arguments", None)
    return _parse_request("gemini", call, "args", _get(call, "id"))


def _parse_request(api: AgentApi, call: object, member: str, id: object) -> ToolRequest:
    name = _get(call, "name")
    if not isinstance(name, str):
        raise _no_call(call, api)
    raw_arguments = _get(call, member)
    known_id = id if isinstance(id, str) else None
    try:
        return ToolRequest(api, name, arguments_of(raw_arguments), known_id)
    except ValueError as error:
        return ToolRequest(api, name, {}, known_id, str(error))


def arguments_of(raw_arguments: object) -> Mapping[str, Any]:
    """Parse arguments, which some APIs send as a string. An empty string means none.

    Raises:
        ValueError: They are invalid. The text is for the model.
    """
    value = raw_arguments
    if isinstance(raw_arguments, str):
        try:
            value = parse_json(raw_arguments) if raw_arguments.strip() else None
        except ValueError as error:
            raise ValueError(f"The arguments aren't JSON: {error}") from None
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError("The arguments aren't a JSON object.")
    return cast("Mapping[str, Any]", value)


def _get(call: object, *names: str) -> object:
    for name in names:
        if isinstance(call, Mapping):
            value = cast("Mapping[str, object]", call).get(name)
        else:
            value = getattr(call, name, None)
        if value is not None:
            return value
    return None


def _has(call: object, name: str) -> bool:
    return name in call if isinstance(call, Mapping) else hasattr(call, name)


def _no_call(call: object, api: AgentApi | None) -> TypeError:
    of = f"the API {api!r}" if api else "any API"
    description = "None" if call is None else f"a value of type {type(call).__name__}"
    return TypeError(
        f"{description} is not a tool call of {of}: pass one from a response of the model"
    )
