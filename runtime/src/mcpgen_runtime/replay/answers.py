"""Conversion of results and errors to and from their recorded JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ..connection.wire.results import prompt_result, resource_result, tool_result
from ..errors import (
    AuthorizationRequired,
    CallTimeout,
    ClientError,
    ConnectionFailed,
    ConnectionLost,
    HttpError,
    InvalidResult,
    ProtocolError,
    TaskCancelled,
)
from ..models.content import AnyResult
from ..problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_OF_EACH_ANSWER = {"resultType": "complete"}
"""Properties that only some revisions have and that carry no information."""

_FACTS: dict[type[ClientError], tuple[str, ...]] = {
    ProtocolError: ("code", "message", "data"),
    CallTimeout: (),
    HttpError: ("status", "retry_after", "challenge", "body", "reason"),
    AuthorizationRequired: ("reason", "scope"),
    ConnectionFailed: ("reason",),
    ConnectionLost: ("reason", "may_have_run"),
    TaskCancelled: ("task", "message"),
    InvalidResult: ("problems",),
}
"""The attributes of errors that are recorded. Output of the server's process isn't, because it
may contain anything.
"""


def result_json(result: AnyResult) -> dict[str, Any]:
    """Convert a result to the JSON that the server sent."""
    wire: dict[str, Any] = result.model_dump(by_alias=True, exclude_unset=True)
    meta: dict[str, Any] = wire.pop("_meta", None) or {}
    if meta_fields := {name: value for name, value in meta.items() if name != _SERVER_INFO}:
        wire["_meta"] = meta_fields
    return {n: v for n, v in wire.items() if _OF_EACH_ANSWER.get(n) != v}


def result_of(kind: str, wire: Mapping[str, Any]) -> AnyResult:
    """Parse the recorded result of a tool, a prompt or a resource.

    Raises:
        ValueError: The JSON isn't a valid result of that kind.
    """
    return _READERS[kind](wire)


_READERS: Mapping[str, Callable[[object], AnyResult]] = {
    "tool": tool_result,
    "prompt": prompt_result,
    "resource": resource_result,
}


def error_json(error: ClientError) -> dict[str, Any] | None:
    """Convert an error to its recorded form, or return None if it isn't a response."""
    facts = _FACTS.get(type(error))
    if facts is None:
        return None
    fields: dict[str, Any] = {"type": type(error).__name__}
    for fact in facts:
        value: Any = getattr(error, fact)
        if fact == "problems":
            value = [{"pointer": p.pointer, "reason": p.reason} for p in value]
        if value not in (None, ""):
            fields[_camel(fact)] = value
    if isinstance(error, ConnectionFailed) and error.http is not None:
        fields["http"] = error_json(error.http)
    return fields


def error_of(
    fields: Mapping[str, Any], target: str, server: str, seconds: float | None
) -> ClientError:
    """Rebuild a recorded error.

    Raises:
        ValueError: The error has an unknown type.
    """
    name = fields.get("type")
    kind = next((item for item in _FACTS if item.__name__ == name), None)
    if kind is None:
        error_names = ", ".join(sorted(entry.__name__ for entry in _FACTS))
        raise ValueError(f"its error type {name!r} is unknown; expected one of {error_names}")
    if kind is CallTimeout:
        return CallTimeout(target, seconds)
    facts: dict[str, Any] = {
        fact: fields[_camel(fact)] for fact in _FACTS[kind] if _camel(fact) in fields
    }
    if "problems" in facts:
        facts["problems"] = _problems(facts["problems"])
    if isinstance(fields.get("http"), dict):
        facts["http"] = error_of(fields["http"], target, server, seconds)
    make = cast("Callable[..., ClientError]", kind)
    try:
        if kind is ConnectionLost:
            return make(**facts)
        return make(server if issubclass(kind, ConnectionFailed) else target, **facts)
    except TypeError as error:
        raise ValueError(f"its {name} lacks something: {error}") from None


def _problems(fields: object) -> list[Problem]:
    if not isinstance(fields, list):
        return []
    return [
        Problem(str(entry.get("pointer", "")), str(entry.get("reason", "")))
        for entry in cast("list[Mapping[str, object]]", fields)
    ]


def _camel(name: str) -> str:
    first, *other_parts = name.split("_")
    return first + "".join(map(str.title, other_parts))
