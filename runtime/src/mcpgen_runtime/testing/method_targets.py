"""Finds out what a method of a client asks for, by calling it without a server."""

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
"""What was given, by the names on the wire; a text is the URI of a resource."""

WHOLE = ""
"""The name on the wire of what takes all arguments, or the URI, as a whole."""

_is_asking: ContextVar[bool] = ContextVar("is_asking", default=False)


class Given(str):
    """Stands for an argument, whose name in Python it is."""

    __slots__ = ()


@dataclass(eq=False)
class Found(BaseException):
    """What a method asks for; of a template the variables, by their names."""

    kind: Kind
    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Target:
    """A tool, a prompt, a resource or a template: what a method asks for.

    ``parameters`` are the method's, by the names on the wire. Of a resource the name is
    the URI or the template, and empty where it may be any.
    """

    kind: Kind
    name: str
    method: str
    parameters: Mapping[str, str]

    def variables(self, kind: Kind, name: str, wire: Mapping[str, Any]) -> Any:
        """Return the arguments of a request, if it is one for this; else ``None``."""
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
        """Return arguments by their names on the wire, as JSON; absent ones stay.

        Raises ``TypeError`` for one that the method does not have.
        """
        wires = {python: wire for wire, python in self.parameters.items()}
        if unknown := [name for name in named if name not in wires]:
            known = ", ".join(wires) or "none"
            raise TypeError(f"{self.method} has no argument {unknown[0]!r}: {known}")
        found: dict[str, Any] = {}
        for name, value in named.items():
            is_absent = value is MISSING
            found[wires[name]] = value if is_absent else to_wire({"": value})[""]
        return found

    def called(self, wire: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments by their names in Python, as the method is given them."""
        if WHOLE in self.parameters:
            whole = wire.get(WHOLE, dict(wire))
            return {self.parameters[WHOLE]: whole}
        return {self.parameters[n]: v for n, v in wire.items() if n in self.parameters}


def is_asking() -> bool:
    """Tell whether a method is only asked what it is of."""
    return _is_asking.get()


def target_of(client: Caller, method: Callable[..., object]) -> Target:
    """Return what a method of a fake, or of its prompts and resources, asks for."""
    bound = _asynchronous(client, method)
    names = inspect.signature(bound).parameters
    found = asked(bound, **{name: Given(name) for name in names})
    if isinstance(found.name, Given):
        return Target(found.kind, "", bound.__name__, {WHOLE: str(found.name)})
    if isinstance(found.arguments, Given):
        parameters = {WHOLE: str(found.arguments)}
    else:
        given = found.arguments.items()
        parameters = {wire: str(name) for wire, name in given}
    return Target(found.kind, found.name, bound.__name__, parameters)


def request_of(
    client: Caller, method: Callable[..., object], *args: Any, **kwargs: Any
) -> dict[str, Any]:
    """Return the arguments that a call of a method would send; a URI as a whole."""
    found = asked(_asynchronous(client, method), *args, **kwargs)
    is_free = found.kind == "resource" and method.__name__ == "read"
    return {WHOLE: found.name} if is_free else to_wire(found.arguments)


def asked(bound: Callable[..., Any], *args: Any, **kwargs: Any) -> Found:
    """Return what a call of a method would ask for."""
    token = _is_asking.set(True)
    try:
        coroutine = bound(*args, **kwargs)
        try:
            coroutine.send(None)
        finally:
            coroutine.close()
    except Found as found:
        return found
    except Exception as error:
        raise TypeError(f"{bound!r} is no method of one tool: {error}") from error
    finally:
        _is_asking.reset(token)
    raise TypeError(f"{bound!r} asks for no tool, prompt or resource")


def _asynchronous(client: Caller, method: Callable[..., object]) -> Any:
    """Return a method, or the one that it waits for, if it is of this client."""
    owner: object = getattr(method, "__self__", None)
    of: object = getattr(owner, "_asynchronous", owner)
    if isinstance(of, Caller) and connection_of(of) is connection_of(client):
        return getattr(of, method.__name__)
    raise TypeError(f"{method!r} is no method of this fake")
