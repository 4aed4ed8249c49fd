"""The target of a client's method, found by calling it without a server."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import MISSING

from ..calls.caller import Caller, connection_of
from ..calls.middleware import Kind
from ..models.values import to_wire

Arguments: TypeAlias = "Mapping[str, object] | str"
"""Arguments by JSON name, or the URI of a resource."""

WHOLE = ""
"""The JSON name of a parameter that takes all arguments or the complete URI."""

_is_asking: ContextVar[bool] = ContextVar("is_asking", default=False)


class ArgumentMarker(str):
    """Placeholder for an argument, with its Python name."""

    __slots__ = ()


@dataclass(eq=False)
class ResolvedTarget(BaseException):
    """Carries the request of a method. For a template it has the variables by name."""

    kind: Kind
    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Target:
    """The target of a method: a tool, prompt, resource or template.

    ``parameters`` are the parameters of the method by JSON name. ``name`` of a resource is
    its URI or URI template, or ``""`` for any URI.
    """

    kind: Kind
    name: str
    method: str
    parameters: Mapping[str, str]

    def variables(self, kind: Kind, name: str, wire: Mapping[str, Any]) -> Any:
        """Return the arguments of a request to this target, or None for another target."""
        if kind != self.kind:
            return None
        if kind != "resource":
            return wire if name == self.name else None
        if not self.name:
            return {WHOLE: name}
        if not self.parameters:
            return wire if name == self.name else None
        from mcp import UriTemplate

        return UriTemplate.parse(self.name).match(name)

    def on_the_wire(self, named: Mapping[str, object]) -> dict[str, Any]:
        """Convert arguments to JSON by their JSON names. Absent ones stay absent.

        Raises:
            TypeError: The method lacks a parameter.
        """
        wires = {python: wire for wire, python in self.parameters.items()}
        if unknown := [name for name in named if name not in wires]:
            names = ", ".join(wires) or "none"
            raise TypeError(f"{self.method} has no argument {unknown[0]!r}: {names}")
        arguments: dict[str, Any] = {}
        for name, value in named.items():
            is_absent = value is MISSING
            arguments[wires[name]] = value if is_absent else to_wire({"": value})[""]
        return arguments

    def python_arguments(self, wire: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments by their Python names, as passed to the method."""
        if WHOLE in self.parameters:
            whole = wire.get(WHOLE, dict(wire))
            return {self.parameters[WHOLE]: whole}
        return {self.parameters[n]: v for n, v in wire.items() if n in self.parameters}


def is_asking() -> bool:
    """Return True while a method is called only to find its target."""
    return _is_asking.get()


def target_of(client: Caller, method: Callable[..., object]) -> Target:
    """Return the target of a method of a fake, or of its prompts and resources."""
    bound = _asynchronous(client, method)
    names = inspect.signature(bound).parameters
    target = resolve_call(bound, **{name: ArgumentMarker(name) for name in names})
    if isinstance(target.name, ArgumentMarker):
        return Target(target.kind, "", bound.__name__, {WHOLE: str(target.name)})
    if isinstance(target.arguments, ArgumentMarker):
        parameters = {WHOLE: str(target.arguments)}
    else:
        items = target.arguments.items()
        parameters = {wire: str(name) for wire, name in items}
    return Target(target.kind, target.name, bound.__name__, parameters)


def request_of(
    client: Caller, method: Callable[..., object], *args: Any, **kwargs: Any
) -> dict[str, Any]:
    """Return the arguments that a call of a method would send, or a complete URI."""
    target = resolve_call(_asynchronous(client, method), *args, **kwargs)
    is_free = target.kind == "resource" and method.__name__ == "read"
    return {WHOLE: target.name} if is_free else to_wire(target.arguments)


def resolve_call(bound: Callable[..., Any], *args: Any, **kwargs: Any) -> ResolvedTarget:
    """Return the request that a call of a method would send."""
    token = _is_asking.set(True)
    try:
        coroutine = bound(*args, **kwargs)
        try:
            coroutine.send(None)
        finally:
            coroutine.close()
    except ResolvedTarget as found:
        return found
    except Exception as error:
        raise TypeError(f"{bound!r} isn't a method of one tool: {error}") from error
    finally:
        _is_asking.reset(token)
    raise TypeError(f"{bound!r} asks for no tool, prompt or resource")


def _asynchronous(client: Caller, method: Callable[..., object]) -> Any:
    """Return a client's method, or the asynchronous method behind a synchronous one."""
    owner: object = getattr(method, "__self__", None)
    of: object = getattr(owner, "_asynchronous", owner)
    if isinstance(of, Caller) and connection_of(of) is connection_of(client):
        return getattr(of, method.__name__)
    raise TypeError(f"{method!r} isn't a method of this fake")
