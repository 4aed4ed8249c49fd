"""Collections of tools for models, of one server or several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from typing_extensions import Self

from ..abbreviate import count_noun
from ..abbreviate import names as shown_names
from ..display import model_line
from ..errors import UnknownTool
from .error_messages import unknown_tool_message
from .result import AgentResult
from .tool import AgentTool, Entry, Only, R, always
from .tool_requests import AgentApi, ToolRequest, parse_call

T = TypeVar("T")


class ToolSet(ABC, Generic[R]):
    """Tools that can be offered to a model."""

    @abstractmethod
    def select(
        self,
        *,
        only: Only | None = None,
        exclude: Collection[str] = (),
        read_only: bool = False,
        destructive: bool = True,
        max_chars: int | None = None,
    ) -> Any:
        """Select tools for one agent. The subclasses document the arguments."""
        ...

    @abstractmethod
    def find(self, name: str) -> AgentTool[R] | None:
        """Return a tool by its JSON name or its name for models, or None."""
        ...

    def definitions(
        self,
        api: AgentApi,
        *,
        only: Only | None = None,
        exclude: Collection[str] = (),
        read_only: bool = False,
        destructive: bool = True,
    ) -> list[dict[str, Any]]:
        """Return the tool definitions for an API, with the server's schemas.

        Args:
            api: ``"openai"`` (Chat Completions), ``"openai-responses"``,
                ``"anthropic"`` (Messages), ``"gemini"`` (function declarations) or
                ``"mcp"`` (as in ``tools/list``).
            only: The tools to include: their JSON names, their names for models, or a
                function that returns True for them. By default all.
            exclude: The tools to leave out.
            read_only: Include only tools annotated as read-only.
            destructive: Include tools that aren't annotated as non-destructive.

        Raises:
            UnknownTool: No tool has this name.
        """
        from .definitions.dialects import definition

        chosen: SelectedTools[R] = self.select(
            only=only, exclude=exclude, read_only=read_only, destructive=destructive
        )
        return [definition(tool, api) for tool in chosen.values()]

    def _convert(self, adapted: Callable[[Collection[AgentTool[R]]], T]) -> T:
        """Return all tools in the format of a framework."""
        chosen: SelectedTools[R] = self.select()
        return adapted(chosen.values())

    def _find_tool(
        self, call: object, api: AgentApi | None
    ) -> tuple[ToolRequest, AgentTool[R] | AgentResult]:
        """Parse a call and find its tool, or return an error."""
        from .definitions.dialects import restore_names

        request = parse_call(call, api)
        tool = self.find(request.name)
        if tool is None:
            message = unknown_tool_message(request.name, self.select())
            return request, AgentResult(message, is_error=True, error=UnknownTool(request.name))
        if request.problem:
            problem = model_line("{} Nothing was sent.", request.problem)
            return request, AgentResult(problem, is_error=True)
        arguments = restore_names(request.arguments, tool.schema, request.api)
        return replace(request, arguments=arguments), tool


class SelectedTools(Mapping[str, AgentTool[R]], ToolSet[R]):
    """Available tools by their names for models.

    A tool is left out as soon as the client knows that the live server lacks it.
    """

    waits: ClassVar[bool]
    """Whether a call blocks, or returns an awaitable."""

    def __init__(self, entries: Sequence[Entry[R]], builtin: Sequence[AgentTool[R]] = ()) -> None:
        self._entries = tuple(entries)
        self._builtin = tuple(builtin)
        self._by_name = {entry.tool.name: entry for entry in self.entries}

    @property
    def entries(self) -> tuple[Entry[R], ...]:
        """All selected tools, available or not."""
        builtin = [Entry(tool, always) for tool in self._builtin]
        return (*self._entries, *builtin)

    @property
    def is_limited(self) -> bool:
        """Whether long results are truncated."""
        return bool(self._builtin)

    def __getitem__(self, name: str) -> AgentTool[R]:
        entry = self._by_name[name]
        if not entry.is_live():
            raise KeyError(name)
        return entry.tool

    def __iter__(self) -> Iterator[str]:
        return (name for name, item in self._by_name.items() if item.is_live())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        tools = count_noun(len(self), "tool")
        return f"<{type(self).__name__}: {tools}: {shown_names(self)}>"

    def find(self, name: str) -> AgentTool[R] | None:
        """Return a tool by its JSON name or its name for models, or None."""
        if name in self:
            return self[name]
        return next((tool for tool in self.values() if tool.full_name == name), None)

    def select(
        self,
        *,
        only: Only | None = None,
        exclude: Collection[str] = (),
        read_only: bool = False,
        destructive: bool = True,
        max_chars: int | None = None,
    ) -> Self:
        """Select tools for one agent.

        Args:
            only: The tools to include: their JSON names, their names for models, or a
                function that returns True for them. By default all.
            exclude: The tools to leave out.
            read_only: Include only tools annotated as read-only.
            destructive: Include tools that aren't annotated as non-destructive.
            max_chars: How many characters of a result a model gets. For longer results
                there is a tool ``read_more``. By default there is no limit.

        Raises:
            UnknownTool: No tool has this name.
        """
        is_all = only is None and not exclude and not read_only and destructive
        if is_all and max_chars is None:
            return self
        is_wanted = self._predicate(only)
        left_out = self._resolve_names(exclude)
        entries = [
            entry
            for entry in self._entries
            if is_wanted(entry.tool)
            and entry.tool.name not in left_out
            and (entry.tool.is_read_only or not read_only)
            and (destructive or not entry.tool.is_destructive)
        ]
        if max_chars is None:
            return type(self)(entries, self._builtin)
        return self._limit_results(entries, max_chars)

    def _predicate(self, only: Only | None) -> Callable[[AgentTool[R]], bool]:
        if only is None:
            return lambda _: True
        if callable(only):
            return lambda tool: only(tool) is True
        names = self._resolve_names(only)
        return lambda tool: tool.name in names

    def _resolve_names(self, names: Collection[str]) -> set[str]:
        """Return the names for models of the given tools."""
        if isinstance(names, str):
            raise TypeError(f"expected a collection of names, not the string {names!r}")
        known_names = {entry.tool.name for entry in self._entries}
        wire: dict[str, list[str]] = {}
        for entry in self._entries:
            for name in {entry.tool.full_name, entry.tool.wire}:
                wire.setdefault(name, []).append(entry.tool.name)
        selected: set[str] = set()
        for name in names:
            if name not in known_names and name not in wire:
                raise UnknownTool(name)
            selected |= {name} if name in known_names else set(wire[name])
        return selected

    def _limit_results(self, entries: Sequence[Entry[R]], max_chars: int) -> Self:
        from .truncation import DESCRIPTION, NAME, SCHEMA, TruncatedTexts

        if self._builtin:
            raise TypeError("max_chars was given before")
        memory = TruncatedTexts(max_chars)
        name = NAME
        while any(entry.tool.name == name for entry in entries):
            name = f"_{name}"
        memory.name = name
        definition = {"name": name, "description": DESCRIPTION, "inputSchema": SCHEMA}
        read_more = AgentTool(
            name,
            name,
            DESCRIPTION,
            SCHEMA,
            None,
            self._own_function(memory.read),
            definition,
            is_read_only=True,
        )
        limited = [
            replace(entry, tool=replace(entry.tool, call=call))
            for entry in entries
            for call in [self._then(entry.tool.call, memory.truncate)]
        ]
        return type(self)(limited, [read_more])

    @abstractmethod
    def _own_function(
        self, act: Callable[[Mapping[str, Any]], AgentResult]
    ) -> Callable[[Mapping[str, Any]], R]:
        """Return the function that calls one of the toolset's own tools."""
        ...

    @abstractmethod
    def _then(
        self,
        call: Callable[[Mapping[str, Any]], R],
        change: Callable[[AgentResult], AgentResult],
    ) -> Callable[[Mapping[str, Any]], R]:
        """Return a function that makes a call and transforms its result."""
        ...


class AsyncOffer(ToolSet[Awaitable[AgentResult]]):
    """Tools of clients with ``async``."""

    async def run(self, call: object, *, api: AgentApi | None = None) -> dict[str, Any]:
        """Make a call that a model requests, and return the message with its result.

        Invalid calls and errors become text for the model. Programming errors and
        cancellation propagate.

        Args:
            call: A tool call, as an SDK object or as JSON. Supported are an item of
                ``tool_calls`` (Chat Completions), a ``function_call`` item (Responses), a
                ``tool_use`` block (Anthropic), a function call or its part (Gemini), and the
                parameters of ``tools/call`` (MCP).
            api: The API of the call. Detected by default.

        Raises:
            TypeError: ``call`` isn't a tool call.
        """
        from .messages import message

        request, tool = self._find_tool(call, api)
        if isinstance(tool, AgentResult):
            return message(request, tool)
        return message(request, await tool.call(request.arguments))

    async def run_all(
        self, calls: Iterable[object], *, api: AgentApi | None = None
    ) -> list[dict[str, Any]]:
        """Make the calls of one response of a model at once.

        Returns: The messages with their results, in the order of the calls.

        Raises:
            TypeError: One of them is not a tool call. Nothing was sent.
        """
        from .running import run_together

        listed = list(calls)
        for item in listed:
            parse_call(item, api)
        return await run_together([partial(self.run, entry, api=api) for entry in listed])

    def as_pydantic_ai(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``pydantic_ai.Agent(tools=...)``.

        The model gets errors of calls, which don't count as retries.

        Args:
            approval: Stop the run for approval (``requires_approval``) before calls that
                need confirmation.
        """
        from .frameworks.pydantic_ai import adapt_tools

        return self._convert(partial(adapt_tools, approval=approval))

    def as_openai_agents(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``agents.Agent(tools=...)`` of the OpenAI Agents SDK.

        They are strict where the schema allows it without loss.

        Args:
            approval: Stop the run for approval (``needs_approval``) before calls that
                need confirmation.
        """
        from .frameworks.openai_agents import adapt_tools

        return self._convert(partial(adapt_tools, approval=approval))

    def as_langchain(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``create_agent`` or ``bind_tools`` of LangChain.

        Args:
            approval: Set ``metadata={"requires_approval": True}`` on tools that need
                confirmation. LangChain has no flag of its own; pass their names to
                ``HumanInTheLoopMiddleware``.
        """
        from .frameworks.langchain import adapt_tools

        return self._convert(partial(adapt_tools, approval=approval))

    def as_anthropic(self) -> list[Any]:
        """Return the tools for ``beta.messages.tool_runner`` of an async client.

        The runner continues after any error. Programming errors are logged, and the model
        learns that the call failed.
        """
        from .frameworks.anthropic import adapt_tools

        return self._convert(adapt_tools)

    def as_google_genai(self) -> list[Any]:
        """Return the tools for ``GenerateContentConfig(tools=...)``.

        The SDK doesn't make the calls. Pass each to :meth:`run`.
        """
        from .frameworks.google_genai import adapt_tools

        return self._convert(adapt_tools)


class SyncOffer(ToolSet[AgentResult]):
    """Tools of clients without ``async``."""

    def run(self, call: object, *, api: AgentApi | None = None) -> dict[str, Any]:
        """Make a call that a model requests, and return the message with its result.

        Invalid calls and errors become text for the model. Programming errors propagate.

        Args:
            call: A tool call, as an SDK object or as JSON. Supported are an item of
                ``tool_calls`` (Chat Completions), a ``function_call`` item (Responses), a
                ``tool_use`` block (Anthropic), a function call or its part (Gemini), and the
                parameters of ``tools/call`` (MCP).
            api: The API of the call. Detected by default.

        Raises:
            TypeError: ``call`` isn't a tool call.
        """
        from .messages import message

        request, tool = self._find_tool(call, api)
        if isinstance(tool, AgentResult):
            return message(request, tool)
        return message(request, tool.call(request.arguments))

    def run_all(
        self, calls: Iterable[object], *, api: AgentApi | None = None
    ) -> list[dict[str, Any]]:
        """Make the calls of one response of a model at once, each in a thread.

        Returns: The messages with their results, in the order of the calls.

        Raises:
            TypeError: One of them is not a tool call. Nothing was sent.
        """
        from .running import run_in_threads

        listed = list(calls)
        for item in listed:
            parse_call(item, api)
        return run_in_threads([partial(self.run, entry, api=api) for entry in listed])

    def as_pydantic_ai(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``pydantic_ai.Agent(tools=...)``.

        The model gets errors of calls, which don't count as retries.

        Args:
            approval: Stop the run for approval (``requires_approval``) before calls that
                need confirmation.
        """
        from .frameworks.pydantic_ai import adapt_tools

        return self._convert(partial(adapt_tools, approval=approval, waits=True))

    def as_openai_agents(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``agents.Agent(tools=...)`` of the OpenAI Agents SDK.

        They are strict where the schema allows it without loss.

        Args:
            approval: Stop the run for approval (``needs_approval``) before calls that
                need confirmation.
        """
        from .frameworks.openai_agents import adapt_tools

        return self._convert(partial(adapt_tools, approval=approval, waits=True))

    def as_langchain(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``create_agent`` or ``bind_tools`` of LangChain.

        Args:
            approval: Set ``metadata={"requires_approval": True}`` on tools that need
                confirmation. LangChain has no flag of its own; pass their names to
                ``HumanInTheLoopMiddleware``.
        """
        from .frameworks.langchain import adapt_tools

        return self._convert(partial(adapt_tools, approval=approval, waits=True))

    def as_anthropic(self) -> list[Any]:
        """Return the tools for ``beta.messages.tool_runner``.

        The runner continues after any error. Programming errors are logged, and the model
        learns that the call failed.
        """
        from .frameworks.anthropic import adapt_tools

        return self._convert(partial(adapt_tools, waits=True))

    def as_smolagents(self) -> list[Any]:
        """Return the tools for an agent of smolagents.

        The agent continues after any error. Programming errors are logged, and the model
        learns that the call failed.
        """
        from .frameworks.smolagents import adapt_tools

        return self._convert(adapt_tools)

    def as_google_genai(self) -> list[Any]:
        """Return the tools for ``GenerateContentConfig(tools=...)``.

        The SDK doesn't make the calls. Pass each to :meth:`run`.
        """
        from .frameworks.google_genai import adapt_tools

        return self._convert(adapt_tools)


class AgentTools(SelectedTools[Awaitable[AgentResult]], AsyncOffer):
    """Tools of clients with ``async``, by their names for models."""

    waits = False

    def _own_function(
        self, act: Callable[[Mapping[str, Any]], AgentResult]
    ) -> Callable[[Mapping[str, Any]], Awaitable[AgentResult]]:
        async def call(arguments: Mapping[str, Any]) -> AgentResult:
            return act(arguments)

        return call

    def _then(
        self,
        call: Callable[[Mapping[str, Any]], Awaitable[AgentResult]],
        change: Callable[[AgentResult], AgentResult],
    ) -> Callable[[Mapping[str, Any]], Awaitable[AgentResult]]:
        async def call_and_change(arguments: Mapping[str, Any]) -> AgentResult:
            return change(await call(arguments))

        return call_and_change


class SyncAgentTools(SelectedTools[AgentResult], SyncOffer):
    """Tools of clients without ``async``, by their names for models."""

    waits = True

    def _own_function(
        self, act: Callable[[Mapping[str, Any]], AgentResult]
    ) -> Callable[[Mapping[str, Any]], AgentResult]:
        return act

    def _then(
        self,
        call: Callable[[Mapping[str, Any]], AgentResult],
        change: Callable[[AgentResult], AgentResult],
    ) -> Callable[[Mapping[str, Any]], AgentResult]:
        return lambda arguments: change(call(arguments))
