"""Makes the calls of a script. Only the broker has the connections.

Each call is counted, validated by the tool's schema, confirmed and logged. The script gets plain
JSON, or an exception that it can catch.
"""

from __future__ import annotations

import contextlib
import inspect
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from mcpgen_runtime.display import brief, on_one_line
from mcpgen_runtime.validation.keywords import budgets as limits
from mcpgen_runtime.validation.regexes.patterns import ExhaustedError

from mcpgen.codegen.agent_files.stubs import ToolStub
from mcpgen.contract import definitions
from mcpgen.contract.definitions import ObservedResult, Schema, Tool
from mcpgen.contract.document import Contract
from mcpgen.contract.observation import samples
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, flaw, is_array, is_object, parse
from mcpgen.schemas.validation.schemas import SchemaValidator
from mcpgen.scripting.surface import Surface, surface

Send: TypeAlias = Callable[[str, Mapping[str, Json]], Awaitable[Mapping[str, Json]]]
"""Calls a tool by its name with these arguments, and returns the protocol's result as JSON."""

Confirm: TypeAlias = Callable[["Call"], "bool | Awaitable[bool]"]
"""Decides about a call. Anything but ``True`` rejects it. May be ``async``."""

ConfirmWhen: TypeAlias = Literal["risky", "always", "never"]
"""Ask before calls of tools that aren't known to be harmless, before all calls, or never."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a script: seconds in total, bytes of memory, calls, characters of output."""

    seconds: float = 60.0
    memory: int = 512 * 1024 * 1024
    calls: int = 100
    output: int = 100_000


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make: the server's module, the tool, and its JSON arguments."""

    module: str
    tool: Tool
    arguments: Mapping[str, Json]
    trust: bool = False

    @property
    def is_harmless(self) -> bool:
        """Whether a trusted server annotates the tool as changing or destroying nothing."""
        if not self.trust:
            return False
        claims = self.tool.annotations
        if claims.get("destructiveHint") is True:
            return False
        return claims.get("readOnlyHint") is True or claims.get("destructiveHint") is False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call with its outcome (``done`` or the name of an exception) and the reason."""

    module: str
    tool: str
    arguments: Json
    outcome: str
    problem: str
    seconds: float

    def document(self) -> dict[str, Json]:
        """Return the call as an entry of the audit log."""
        members = {name: getattr(self, name) for name in self.__slots__}
        return {**members, "seconds": round(self.seconds, 3)}


Audit: TypeAlias = Callable[[ToolCall], None]


class CallError(Exception):
    """A call failed. The script can catch the exception with this name."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name, self.problem = name, problem


class StoppedError(Exception):
    """The script must end, even if it catches all exceptions."""


@dataclass(frozen=True)
class ScriptServer:
    """A server that scripts may call: its surface, and how to send calls."""

    surface: Surface
    tools: Mapping[str, Tool]
    send: Send
    trust: bool = False

    @classmethod
    def from_contract(
        cls, contract: Contract, send: Send, name: str = "", *, trust: bool = False
    ) -> ScriptServer:
        """Return a server from its contract. With ``trust`` its annotations are trusted."""
        return cls(surface(contract, name), definitions.tools(contract), send, trust)


@dataclass
class Broker:
    """The calls of one run of a script."""

    servers: Mapping[str, ScriptServer]
    limits: Limits = Limits()
    confirm: Confirm | None = None
    confirm_when: ConfirmWhen = "risky"
    audit: Audit | None = None
    outcomes: list[ToolCall] = field(default_factory=list["ToolCall"])
    confirmations: int = 0

    async def call(
        self, module: str, function: str, positional: Sequence[Any], options: Mapping[str, Any]
    ) -> Json:
        """Make a call for a script.

        Raises:
            CallError: The call failed.
            StoppedError: The script must end.
        """
        self.confirmations += 1
        if self.confirmations > self.limits.calls:
            raise StoppedError(f"the script made more than {self.limits.calls} calls")
        server = self.servers.get(module)
        stub = server.surface.functions.get(function) if server else None
        if server is None or stub is None:
            raise StoppedError(f"there is no function {module}.{function}")
        started = time.perf_counter()
        outcome, problem, arguments = "cancelled", "", dict(options)
        try:
            arguments = _arguments(stub, positional, options)
            tool_request = Call(module, server.tools[stub.wire], arguments, server.trust)
            value = await self._make_call(server, tool_request)
            outcome = "done"
        except CallError as error:
            outcome, problem = error.name, error.problem
            raise
        except StoppedError as error:
            outcome, problem = "stopped", str(error)
            raise
        else:
            return value
        finally:
            seconds = time.perf_counter() - started
            self._note(ToolCall(module, stub.wire, arguments, outcome, problem, seconds))

    async def _make_call(self, server: ScriptServer, call: Call) -> Json:
        tool = call.tool
        if reason := _not_json(call.arguments) or _problems(tool.input, call.arguments):
            raise CallError("InvalidArguments", f"{on_one_line(tool.name)}: {reason}")
        if not await self._may(call):
            raise CallError("NotConfirmed", f"{on_one_line(tool.name)}: the call was not confirmed")
        result = await server.send(tool.name, call.arguments)
        text = _text(result.get("content"))
        if result.get("isError") is True:
            raise CallError("ToolError", f"{on_one_line(tool.name)}: {text or 'the tool failed'}")
        if tool.observed is not None:
            _require_promised(tool, result)
            return (
                text
                if tool.observed.schema is None
                else _observed_data(tool.observed, result, text)
            )
        if tool.output is None:
            return text
        content = result.get("structuredContent")
        _require_promised(tool, result)
        return content["result"] if tool.wrapped and is_object(content) else content

    async def _may(self, call: Call) -> bool:
        if self.confirm_when == "never" or (self.confirm_when == "risky" and call.is_harmless):
            return True
        if self.confirm is None:
            return False
        answer = self.confirm(call)
        return (await answer if inspect.isawaitable(answer) else answer) is True

    def _note(self, outcome: ToolCall) -> None:
        self.outcomes.append(outcome)
        if self.audit:
            self.audit(outcome)

    def summary(self) -> str:
        """Summarize the calls and their outcomes."""
        counted = Counter((f"{item.module}: {item.tool}", item.outcome) for item in self.outcomes)
        lines = [
            f"{name} {outcome}{f' x {count}' if count > 1 else ''}"
            for (name, outcome), count in counted.items()
        ]
        return f"calls: {'; '.join(lines)}" if lines else "no call was made"


def _require_promised(tool: Tool, result: Mapping[str, Json]) -> None:
    """Reject a result that the output schema forbids, if there is one."""
    if tool.output is None:
        return
    if "structuredContent" not in result:
        raise CallError(
            "InvalidResult", f"{on_one_line(tool.name)}: the result has no structuredContent"
        )
    if reason := _problems(tool.output, result["structuredContent"]):
        raise CallError("InvalidResult", f"{on_one_line(tool.name)}: {reason}")


def _observed_data(observed: ObservedResult, result: Mapping[str, Json], text: str) -> Json:
    """Return the data of a result from the part that was observed."""
    answer = samples.read(result)
    if answer is None or answer.form in ("text", "blocks"):
        return text
    if observed.source == "json blocks":
        return {"json": [answer.data], "none": []}.get(answer.form, answer.data)
    if answer.form == "result" and observed.source == "json in result":
        with contextlib.suppress(ValueError, TypeError):
            return parse(answer.data)
    return text if answer.form == "none" else answer.data


def _arguments(
    stub: ToolStub, positional: Sequence[Any], arguments: Mapping[str, Any]
) -> dict[str, Json]:
    """Return the arguments by their JSON names."""
    if stub.arguments is None:
        values = [*positional, *arguments.values()]
        if len(values) > 1 or arguments.keys() - {"arguments"}:
            raise CallError("InvalidArguments", f"{stub.name}: takes arguments={{...}} alone")
        return dict(values[0]) if values and is_object(values[0]) else {}
    if positional:
        raise CallError("InvalidArguments", f"{stub.name}: arguments are given by name")
    if unknown := sorted(arguments.keys() - stub.arguments.keys()):
        names = ", ".join(stub.arguments) or "none"
        raise CallError(
            "InvalidArguments", f"{stub.name}: no argument {unknown[0]}; known: {names}"
        )
    return {stub.arguments[name]: value for name, value in arguments.items()}


def _not_json(arguments: Mapping[str, Json]) -> str:
    """Return why arguments can't be JSON, or ""."""
    try:
        return flaw(arguments)
    except TypeError as error:
        hint = "give a string, such as value.isoformat() or str(value)"
        return f"{brief(str(error))}; {hint}"


def _problems(schema: Schema | None, value: Json) -> str:
    """Describe the violations of a schema in a value, each with its pointer."""
    if schema is None:
        return ""
    try:
        errors = SchemaValidator(schema.raw).errors(value)
    except ExhaustedError:
        return limits.TOO_EXPENSIVE
    except RecursionError:
        return f"{limits.TOO_EXPENSIVE}: nested too deeply"
    return "; ".join(f"{pointer(error.absolute_path) or '/'}: {error.message}" for error in errors)


def _text(content: Json) -> str:
    """Return the text of a result. Other content is named."""
    blocks = [block for block in content if is_object(block)] if is_array(content) else []
    return "\n".join(map(_block, blocks))


def _block(block: Mapping[str, Json]) -> str:
    resource = block.get("resource")
    if block.get("type") == "text":
        return str(block.get("text", ""))
    if is_object(resource) and isinstance(resource.get("text"), str):
        return str(resource["text"])
    about = [block.get("mimeType"), block.get("uri"), resource and resource.get("uri")]
    return f"[{', '.join(str(value) for value in (block.get('type'), *about) if value)}]"
