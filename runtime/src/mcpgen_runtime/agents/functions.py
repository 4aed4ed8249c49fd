"""The methods of a client as plain functions, for frameworks that read signatures.

Signatures contain less than the server's schema. They lack bounds, patterns and formats, and have
Python names. The schema still validates each call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_type_hints

from ..abbreviate import count_noun
from ..abbreviate import names as shown_names
from ..contract import ToolInfo
from ..errors import ClientError
from ..package import Package
from .error_messages import error_result
from .messages import text_for
from .result import AgentResult, agent_result

Function = Callable[..., Any]


class Functions(Mapping[str, Function]):
    """The functions by method name, each made on first access.

    They have no call options, resolved annotations, and return text.
    """

    def __init__(self, client: Any, *, waits: bool) -> None:
        self._client = client
        self._waits = waits

    def __getitem__(self, name: str) -> Function:
        if name not in _methods(self._client):
            raise KeyError(name)
        method = getattr(self._client, name)
        make = _waiting if self._waits else _make_async
        return _with_signature(make(self._client, method), method)

    def __iter__(self) -> Iterator[str]:
        return iter(_methods(self._client))

    def __len__(self) -> int:
        return len(_methods(self._client))

    def __repr__(self) -> str:
        return f"<{count_noun(len(self), 'function')}: {shown_names(self)}>"


def _methods(client: object) -> list[str]:
    """Return the names of the generated methods."""
    names = [
        name
        for kind in type(client).__mro__
        if kind.__module__.startswith(f"{_package(client).name}.")
        for name, value in vars(kind).items()
        if inspect.isfunction(value) and not name.startswith("_")
    ]
    return sorted(names)


def _make_async(client: Any, method: Function) -> Function:
    async def function(**arguments: Any) -> str:
        try:
            result = agent_result((await client.response(method, **arguments)).raw)
        except ClientError as error:
            result = error_result(error, _info(client, error), _package(client))
        return text_for("openai", result)

    return function


def _waiting(client: Any, method: Function) -> Function:
    def function(**arguments: Any) -> str:
        result: AgentResult
        try:
            result = agent_result(client.response(method, **arguments).raw)
        except ClientError as error:
            result = error_result(error, _info(client, error), _package(client))
        return text_for("openai", result)

    return function


def _with_signature(function: Any, method: Any) -> Function:
    """Give a function the signature of a method, with annotations that are types."""
    hints = {**get_type_hints(method, include_extras=True), "return": str}
    signature = inspect.signature(method)
    parameters = [
        parameter.replace(annotation=hints[name])
        for name, parameter in signature.parameters.items()
    ]
    function.__name__ = function.__qualname__ = method.__name__
    function.__doc__ = inspect.getdoc(method)
    function.__annotations__ = hints
    function.__signature__ = signature.replace(parameters=parameters, return_annotation=str)
    described: Function = function
    return described


def _info(client: Any, error: ClientError) -> ToolInfo:
    """Return the tool that an error belongs to."""
    name = getattr(error, "tool", getattr(error, "target", ""))
    tools = _package(client).tools
    return tools[name] if name in tools else ToolInfo(name, "", "", {}, (), {}, {})


def _package(client: Any) -> Package:
    package: Package = getattr(client, "_asynchronous", client)._package
    return package
