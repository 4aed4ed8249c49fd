"""What a fake was asked, and what it answered."""

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
    """A request that reached a fake; one that was repeated is several.

    ``name`` is that of the tool or prompt on the wire, or the URI of the resource,
    ``sent`` the arguments as JSON, ``error`` what was raised in place of a result.
    ``replies`` are what the client answered where the fake asked it something.
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
        """The arguments by their attributes: those of the tool's own class.

        Where there is no such class, a ``TypedDict`` or plain JSON; of prompts and
        templates a ``SimpleNamespace``.
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
        """What the method returned; raises ``error`` if there is one."""
        if self.error is not None:
            raise self.error
        if self.raw is None:
            raise LookupError(f"{self.name} has not been answered yet")
        return cast("T_co", _read(self.package, self.name, self.raw))


def typed_arguments(package: Package, tool: str, sent: Mapping[str, Any]) -> Any:
    """Return arguments as the class of the tool's own; JSON where there is none."""
    adapter = package.tool(tool).arguments
    wire = dict(sent)
    if adapter is None:
        return wire
    try:
        return adapter.validate_python(wire, by_alias=True, by_name=False)
    except ValidationError:  # the schema allows what the type does not
        return wire


def _read(package: Package, name: str, raw: AnyResult) -> object:
    from mcp.types import CallToolResult, ReadResourceResult

    from ..models.results import ResourceResult
    from ..models.values import decode_result

    if isinstance(raw, CallToolResult):
        return decode_result(package.tool(name), raw, "ignore")
    return ResourceResult(raw, name) if isinstance(raw, ReadResourceResult) else raw
