"""Requests that a fake has received, and its responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Generic, TypeVar, cast

from pydantic import ValidationError

from ..abbreviate import plain, value
from ..calls.middleware import Kind
from ..models.content import AnyResult
from ..package import Package

T_co = TypeVar("T_co", covariant=True)
A = TypeVar("A")


@dataclass(eq=False, repr=False)
class FakeCall(Generic[T_co]):
    """A request that reached a fake. Each attempt of a retried call is a request.

    Attributes:
        name: The JSON name of the tool or prompt, or the URI of the resource.
        sent: The arguments as JSON.
        error: The exception that was raised instead of a result.
        replies: The client's answers to questions of the fake.
    """

    package: Package
    kind: Kind
    name: str
    sent: Mapping[str, Any]
    meta: Mapping[str, Any]
    error: BaseException | None = None
    replies: list[Any] = field(default_factory=list[Any])
    raw: AnyResult | None = None

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value(of)}" for name, of in self.sent.items())
        name = plain(self.name)
        return f"<FakeCall: {name}{f'({arguments})' if self.kind != 'resource' else ''}>"

    @property
    def arguments(self) -> Any:
        """The arguments as an instance of the tool's argument class.

        Without such a class this is a ``TypedDict`` or plain JSON, and a
        ``SimpleNamespace`` for prompts and templates.
        """
        if self.kind != "tool":
            return SimpleNamespace(**self.sent)
        return typed_arguments(self.package, self.name, self.sent)

    def arguments_as(self, kind: type[A]) -> A:
        """Return the arguments as the class of the tool's arguments.

        Raises:
            TypeError: They are not of this class.
        """
        arguments = self.arguments
        if not isinstance(arguments, kind):
            raise TypeError(f"the arguments of {self.name} are not {kind.__name__}")
        return arguments

    @property
    def result(self) -> T_co:
        """The return value of the method. Raises ``error`` if there is one."""
        if self.error is not None:
            raise self.error
        if self.raw is None:
            raise LookupError(f"{self.name} has not been answered yet")
        return cast("T_co", _read(self.package, self.name, self.raw))


def typed_arguments(package: Package, tool: str, wire_arguments: Mapping[str, Any]) -> Any:
    """Return arguments as an instance of the tool's argument class, or as JSON without one."""
    adapter = package.tool(tool).arguments
    wire = dict(wire_arguments)
    if adapter is None:
        return wire
    try:
        return adapter.validate_python(wire, by_alias=True, by_name=False)
    except ValidationError:  # the schema allows more than the type
        return wire


def _read(package: Package, name: str, raw: AnyResult) -> object:
    from mcp.types import CallToolResult, ReadResourceResult

    from ..models.results import ResourceResult
    from ..models.values import decode_result

    if isinstance(raw, CallToolResult):
        return decode_result(package.tool(name), raw, "ignore")
    return ResourceResult(raw, name) if isinstance(raw, ReadResourceResult) else raw
