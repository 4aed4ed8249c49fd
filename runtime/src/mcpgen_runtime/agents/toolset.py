"""What can be done with tools that models are offered, of one server or many."""

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

from ..abbreviate import counted
from ..abbreviate import names as shown_names
from ..display import model_line
from ..errors import UnknownTool
from .error_messages import unknown
from .result import AgentResult
from .tool import AgentTool, Entry, Only, R, always
from .tool_requests import AgentApi, Asked, read_call

T = TypeVar("T")


class Offer(ABC, Generic[R]):
    """Tools that a model can be offered."""

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
        """Choose some of the tools, for one agent; the classes below say which."""
        ...

    @abstractmethod
    def find(self, name: str) -> AgentTool[R] | None:
        """Return the tool that is called so, on the wire or by the model, if any is."""
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
        """Return how an API is told of the tools, with the schemas of the server.

        Args:
            api: ``"openai"`` (Chat Completions), ``"openai-responses"``,
                ``"anthropic"`` (Messages), ``"gemini"`` (function declarations) or
                ``"mcp"`` (as in ``tools/list``).
            only: The tools to offer: their names on the wire or as the model knows
                them, or a function that returns True for them. By default all.
            exclude: The tools not to offer.
            read_only: Whether to offer only tools annotated as read-only.
            destructive: Whether to offer tools that are not annotated as harmless.

        Raises:
            UnknownTool: A name is that of no tool.
        """
        from .dialects import definition

        chosen: Chosen[R] = self.select(
            only=only, exclude=exclude, read_only=read_only, destructive=destructive
        )
        return [definition(tool, api) for tool in chosen.values()]

    def _adapted(self, adapted: Callable[[Collection[AgentTool[R]]], T]) -> T:
        """Return all tools as a framework has them."""
        chosen: Chosen[R] = self.select()
        return adapted(chosen.values())

    def _asked(
        self, call: object, api: AgentApi | None
    ) -> tuple[Asked, AgentTool[R] | AgentResult]:
        """Read a call, and find its tool, or what is wrong with the call."""
        from .dialects import restored

        asked = read_call(call, api)
        tool = self.find(asked.name)
        if tool is None:
            said = unknown(asked.name, self.select())
            return asked, AgentResult(said, is_error=True, error=UnknownTool(asked.name))
        if asked.problem:
            problem = model_line("{} Nothing was sent.", asked.problem)
            return asked, AgentResult(problem, is_error=True)
        given = restored(asked.arguments, tool.schema, asked.api)
        return replace(asked, arguments=given), tool


class Chosen(Mapping[str, AgentTool[R]], Offer[R]):
    """Tools by the names that a model knows them by; those that are there now.

    A tool that the live server does not list is left out as soon as the client knows.
    """

    waits: ClassVar[bool]
    """Whether a call waits for its result, or returns what is awaited."""

    def __init__(self, entries: Sequence[Entry[R]], builtin: Sequence[AgentTool[R]] = ()) -> None:
        self._entries = tuple(entries)
        self._builtin = tuple(builtin)
        self._by_name = {entry.tool.name: entry for entry in self.entries}

    @property
    def entries(self) -> tuple[Entry[R], ...]:
        """All tools that were chosen, also those that are not there now."""
        builtin = [Entry(tool, always) for tool in self._builtin]
        return (*self._entries, *builtin)

    @property
    def is_limited(self) -> bool:
        """Whether long results are shortened."""
        return bool(self._builtin)

    def __getitem__(self, name: str) -> AgentTool[R]:
        entry = self._by_name[name]
        if not entry.is_live():
            raise KeyError(name)
        return entry.tool

    def __iter__(self) -> Iterator[str]:
        return (name for name, each in self._by_name.items() if each.is_live())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        tools = counted(len(self), "tool")
        return f"<{type(self).__name__}: {tools}: {shown_names(self)}>"

    def find(self, name: str) -> AgentTool[R] | None:
        """Return the tool that is called so, on the wire or by the model, if any is."""
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
        """Choose some of the tools, for one agent.

        Args:
            only: The tools to offer: their names on the wire or as the model knows
                them, or a function that returns True for them. By default all.
            exclude: The tools not to offer.
            read_only: Whether to offer only tools annotated as read-only.
            destructive: Whether to offer tools that are not annotated as harmless.
            max_chars: How many characters of a result are shown; there is a tool
                ``read_more`` for the rest then. All by default.

        Raises:
            UnknownTool: A name is that of no tool.
        """
        is_all = only is None and not exclude and not read_only and destructive
        if is_all and max_chars is None:
            return self
        is_wanted = self._predicate(only)
        left_out = self._named(exclude)
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
        return self._limited(entries, max_chars)

    def _predicate(self, only: Only | None) -> Callable[[AgentTool[R]], bool]:
        if only is None:
            return lambda _: True
        if callable(only):
            return lambda tool: only(tool) is True
        names = self._named(only)
        return lambda tool: tool.name in names

    def _named(self, names: Collection[str]) -> set[str]:
        """Return the tools that are named, as the model knows them."""
        if isinstance(names, str):
            raise TypeError(f"names are a collection of texts, not the text {names!r}")
        known = {entry.tool.name for entry in self._entries}
        wire: dict[str, list[str]] = {}
        for entry in self._entries:
            for name in {entry.tool.full_name, entry.tool.wire}:
                wire.setdefault(name, []).append(entry.tool.name)
        found: set[str] = set()
        for name in names:
            if name not in known and name not in wire:
                raise UnknownTool(name)
            found |= {name} if name in known else set(wire[name])
        return found

    def _limited(self, entries: Sequence[Entry[R]], max_chars: int) -> Self:
        from .truncation import DESCRIPTION, NAME, SCHEMA, Memory

        if self._builtin:
            raise TypeError("max_chars was given before")
        memory = Memory(max_chars)
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
            self._own(memory.read),
            definition,
            is_read_only=True,
        )
        limited = [
            replace(entry, tool=replace(entry.tool, call=call))
            for entry in entries
            for call in [self._then(entry.tool.call, memory.shortened)]
        ]
        return type(self)(limited, [read_more])

    @abstractmethod
    def _own(
        self, act: Callable[[Mapping[str, Any]], AgentResult]
    ) -> Callable[[Mapping[str, Any]], R]:
        """Return what calls a tool of our own."""
        ...

    @abstractmethod
    def _then(
        self,
        call: Callable[[Mapping[str, Any]], R],
        change: Callable[[AgentResult], AgentResult],
    ) -> Callable[[Mapping[str, Any]], R]:
        """Return what makes a call, and changes its result."""
        ...


class AsyncOffer(Offer[Awaitable[AgentResult]]):
    """Tools of clients with ``async``."""

    async def run(self, call: object, *, api: AgentApi | None = None) -> dict[str, Any]:
        """Make a call that a model asks for, and return the message that answers it.

        What is wrong with the call, and how it fails, becomes a text for the model. A
        mistake of the program and a cancellation are raised.

        Args:
            call: A tool call of the API, as its SDK or its JSON has it: of Chat
                Completions one of ``tool_calls``, of Responses a ``function_call``
                item, of Anthropic a ``tool_use`` block, of Gemini a function call or
                the part that it is in, of MCP the parameters of ``tools/call``.
            api: Which API it is of; seen by its form otherwise.

        Raises:
            TypeError: It is no call of a tool.
        """
        from .messages import message

        asked, tool = self._asked(call, api)
        if isinstance(tool, AgentResult):
            return message(asked, tool)
        return message(asked, await tool.call(asked.arguments))

    async def run_all(
        self, calls: Iterable[object], *, api: AgentApi | None = None
    ) -> list[dict[str, Any]]:
        """Make the calls of one response of a model at once.

        Returns: The messages that answer them, in the order of the calls.

        Raises:
            TypeError: One of them is not a tool call. Nothing was sent.
        """
        from .running import run_together

        listed = list(calls)
        for each in listed:
            read_call(each, api)
        return await run_together([partial(self.run, each, api=api) for each in listed])

    def as_pydantic_ai(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``pydantic_ai.Agent(tools=...)``.

        An error is told to the model, and counts as no retry.

        Args:
            approval: Whether the run stops for approval (``requires_approval``) before
                calls that a ``confirm`` hook would be asked about.
        """
        from .pydantic_ai import adapted

        return self._adapted(partial(adapted, approval=approval))

    def as_openai_agents(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``agents.Agent(tools=...)`` of the OpenAI Agents SDK.

        They are strict where the schema allows it without loss.

        Args:
            approval: Whether the run stops for approval (``needs_approval``) before
                calls that a ``confirm`` hook would be asked about.
        """
        from .openai_agents import adapted

        return self._adapted(partial(adapted, approval=approval))

    def as_langchain(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``create_agent`` or ``bind_tools`` of LangChain.

        Args:
            approval: Whether tools that a ``confirm`` hook would be asked about have
                ``metadata={"requires_approval": True}``. LangChain's tools have no flag
                of their own: ``HumanInTheLoopMiddleware`` takes their names.
        """
        from .langchain import adapted

        return self._adapted(partial(adapted, approval=approval))

    def as_anthropic(self) -> list[Any]:
        """Return the tools for ``beta.messages.tool_runner`` of an async client.

        The runner goes on whatever happens: a mistake of the program is logged, and
        the model is told that the call failed.
        """
        from .anthropic import adapted

        return self._adapted(adapted)

    def as_google_genai(self) -> list[Any]:
        """Return the tools for ``GenerateContentConfig(tools=...)``.

        Calls of them are not made by themselves: :meth:`run` takes each.
        """
        from .google_genai import adapted

        return self._adapted(adapted)


class SyncOffer(Offer[AgentResult]):
    """Tools of clients without ``async``."""

    def run(self, call: object, *, api: AgentApi | None = None) -> dict[str, Any]:
        """Make a call that a model asks for, and return the message that answers it.

        What is wrong with the call, and how it fails, becomes a text for the model. A
        mistake of the program is raised.

        Args:
            call: A tool call of the API, as its SDK or its JSON has it: of Chat
                Completions one of ``tool_calls``, of Responses a ``function_call``
                item, of Anthropic a ``tool_use`` block, of Gemini a function call or
                the part that it is in, of MCP the parameters of ``tools/call``.
            api: Which API it is of; seen by its form otherwise.

        Raises:
            TypeError: It is no call of a tool.
        """
        from .messages import message

        asked, tool = self._asked(call, api)
        if isinstance(tool, AgentResult):
            return message(asked, tool)
        return message(asked, tool.call(asked.arguments))

    def run_all(
        self, calls: Iterable[object], *, api: AgentApi | None = None
    ) -> list[dict[str, Any]]:
        """Make the calls of one response of a model at once, each in a thread.

        Returns: The messages that answer them, in the order of the calls.

        Raises:
            TypeError: One of them is not a tool call. Nothing was sent.
        """
        from .running import run_in_threads

        listed = list(calls)
        for each in listed:
            read_call(each, api)
        return run_in_threads([partial(self.run, each, api=api) for each in listed])

    def as_pydantic_ai(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``pydantic_ai.Agent(tools=...)``.

        An error is told to the model, and counts as no retry.

        Args:
            approval: Whether the run stops for approval (``requires_approval``) before
                calls that a ``confirm`` hook would be asked about.
        """
        from .pydantic_ai import adapted

        return self._adapted(partial(adapted, approval=approval, waits=True))

    def as_openai_agents(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``agents.Agent(tools=...)`` of the OpenAI Agents SDK.

        They are strict where the schema allows it without loss.

        Args:
            approval: Whether the run stops for approval (``needs_approval``) before
                calls that a ``confirm`` hook would be asked about.
        """
        from .openai_agents import adapted

        return self._adapted(partial(adapted, approval=approval, waits=True))

    def as_langchain(self, *, approval: bool = False) -> list[Any]:
        """Return the tools for ``create_agent`` or ``bind_tools`` of LangChain.

        Args:
            approval: Whether tools that a ``confirm`` hook would be asked about have
                ``metadata={"requires_approval": True}``. LangChain's tools have no flag
                of their own: ``HumanInTheLoopMiddleware`` takes their names.
        """
        from .langchain import adapted

        return self._adapted(partial(adapted, approval=approval, waits=True))

    def as_anthropic(self) -> list[Any]:
        """Return the tools for ``beta.messages.tool_runner``.

        The runner goes on whatever happens: a mistake of the program is logged, and
        the model is told that the call failed.
        """
        from .anthropic import adapted

        return self._adapted(partial(adapted, waits=True))

    def as_smolagents(self) -> list[Any]:
        """Return the tools for an agent of smolagents.

        The agent goes on whatever happens: a mistake of the program is logged, and the
        model is told that the call failed.
        """
        from .smolagents import adapted

        return self._adapted(adapted)

    def as_google_genai(self) -> list[Any]:
        """Return the tools for ``GenerateContentConfig(tools=...)``.

        Calls of them are not made by themselves: :meth:`run` takes each.
        """
        from .google_genai import adapted

        return self._adapted(adapted)


class AgentTools(Chosen[Awaitable[AgentResult]], AsyncOffer):
    """Tools of clients with ``async``, by the names that a model knows them by."""

    waits = False

    def _own(
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
        async def changed(arguments: Mapping[str, Any]) -> AgentResult:
            return change(await call(arguments))

        return changed


class SyncAgentTools(Chosen[AgentResult], SyncOffer):
    """Tools of clients without ``async``, by the names that a model knows them by."""

    waits = True

    def _own(
        self, act: Callable[[Mapping[str, Any]], AgentResult]
    ) -> Callable[[Mapping[str, Any]], AgentResult]:
        return act

    def _then(
        self,
        call: Callable[[Mapping[str, Any]], AgentResult],
        change: Callable[[AgentResult], AgentResult],
    ) -> Callable[[Mapping[str, Any]], AgentResult]:
        return lambda arguments: change(call(arguments))
