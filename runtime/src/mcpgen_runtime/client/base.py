"""Base of the generated client class: connects, and calls tools."""

from __future__ import annotations

import functools
import math
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from os import PathLike
from re import Pattern
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    ParamSpec,
    TypeVar,
    overload,
)

from typing_extensions import Self

from ..abbreviate import counted
from ..calls.caller import Caller, record
from ..contract import ToolInfos
from ..models.response import Response
from ..options import BY_HINTS, ONCE, CallOptions, Retry, Unexpected
from ..package import Package, Tool, package_of_module

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.types import Implementation

    from ..agents.tools import ClientTools
    from ..auth.options import Auth
    from ..calls.call_pipeline import Captured
    from ..calls.confirm import Confirm, Confirmation, ConfirmWhen
    from ..calls.limits import CallLimits
    from ..calls.middleware import Middleware
    from ..calls.tape import Tape
    from ..calls.task import Task
    from ..calls.tasks.progress import Updates
    from ..connection.callbacks import LogLevel, OnLog, OnResourceUpdated, OnToolsChanged
    from ..connection.connect import Era
    from ..connection.drift import Verify
    from ..connection.events import Events
    from ..connection.pending_client import Connecting
    from ..connection.routes import Target
    from ..connection.session_manager import Connector
    from ..conversation.questions import Elicit
    from ..conversation.roots import Roots
    from ..conversation.sampler import Sampler
    from ..conversation.sampling import Sample, Sampling
    from ..conversation.server_requests import Answering

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")
V = TypeVar("V", bound=Caller)


def _package_of(owner: Any) -> Package:
    package: Package = getattr(owner, "_asynchronous_class", owner)._package
    return package


class _Connectable(Caller):
    """A class that can be connected."""

    _package: ClassVar[Package]

    def __init_subclass__(cls, package: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if package is not None:
            cls._package = package_of_module(package)

    _trust: ClassVar[bool] = False

    @classmethod
    def connect(
        cls,
        server: Target | None = None,
        *,
        verify: Verify = "warn",
        timeout: float | None = 60.0,
        connect_timeout: float = 30.0,
        confirm: Confirm | None = None,
        confirm_when: ConfirmWhen = "risky",
        trust: bool | None = None,
        elicit: Elicit | None = None,
        sampling: Sampling | Sample | None = None,
        roots: Roots | None = None,
        headers: Mapping[str, str] | None = None,
        auth: Auth | None = None,
        http_client: httpx2.AsyncClient | None = None,
        client_info: Implementation | None = None,
        reconnect: bool = True,
        era: Era | None = None,
        on_tools_changed: OnToolsChanged | None = None,
        on_resource_updated: OnResourceUpdated | None = None,
        on_log: OnLog | None = None,
        log_level: LogLevel | None = None,
        retry: Retry | None = BY_HINTS,
        limit: int | Mapping[str, int] | None = None,
        timeout_resets_on_progress: bool = False,
        middleware: Sequence[Middleware] = (),
        unexpected: Unexpected = "warn",
        record: str | PathLike[str] | None = None,
        replay: str | PathLike[str] | None = None,
        redact: Sequence[str | Pattern[str]] = (),
        match: Literal["arguments", "order"] = "arguments",
    ) -> Connecting[Self]:
        """Connect to a server: by default to the one that was recorded.

        ``async with`` disconnects at its end; :meth:`open` stays connected.

        Args:
            server: A URL, ``StdioServerParameters``, a function that returns a new
                transport, a transport, an SDK ``Client`` or a server of this process.
                The recorded server needs its secrets in the environment.
            verify: What to do when the server's tools differ from the contract: log a
                warning, raise ``ContractDrift``, raise it only from a tool whose calls
                may be harmed (``"compatible"``), or do not look.
            timeout: How many seconds a call may take if it does not say otherwise;
                ``None`` for no limit.
            connect_timeout: How many seconds connecting may take.
            confirm: Hook that is asked before each call, with the tool and the
                arguments as JSON. Anything but ``True`` refuses the call. With
                ``trust`` it is not asked about tools that are annotated as harmless.
            confirm_when: ``"always"`` asks before each call, whatever ``trust`` says.
            trust: Whether the server's annotations of its tools are believed. By
                default as the package was generated, which is False unless it was
                generated with ``--trust`` or ``trust = true``.
            elicit: Answers the server's questions to the user; without it the server
                is told that it cannot ask.
            sampling: Answers in the place of the model that the server may ask: a
                callback, or a ``Sampling`` with approval and limits.
            roots: The folders and files that the server may work on: paths or
                ``file://`` URIs, or a mapping of names to them, or a callable that
                returns such each time that the server asks.
            headers: HTTP headers, for a URL.
            auth: Authorizes the requests to a URL: a token, a callable that returns one
                (asked before each request, and again after HTTP 401), a ``Login`` or an
                ``httpx2.Auth``. By default the login of ``mcpgen login``, if there is
                one, and no header says otherwise.
            http_client: Sends the requests to a URL, with all that it was made with but
                its time limit for reading: certificates, proxies, transport, hooks,
                headers, cookies, ``auth``. It stays open.
            client_info: What the server is told of who connects; by default the name of
                this package, and its version where it is installed.
            reconnect: Whether the next call connects anew after a loss, where that can
                be done; else it is lost for good.
            era: The handshake: ``"legacy"`` (revisions up to 2025-11-25), ``"modern"``
                (2026-07-28) or ``"auto"``, which tries the modern one first. By default
                that of the recording.
            on_tools_changed: Is told that the server's tools may have changed, and how
                they differ from the contract now.
            on_resource_updated: Is told which resource may have changed, of those that
                were subscribed to.
            on_log: Is told what the server logs.
            log_level: From which level on; by default from ``"info"``.
            retry: When a call that failed on its way is made again; ``None`` for never.
            limit: How many calls a minute may be made, of all tools, prompts and
                resources, or of each tool by its name on the wire and ``"*"`` for all;
                one more is a ``TooManyCalls``.
            timeout_resets_on_progress: Whether a call has its whole time limit anew
                each time that the server tells how far it has come.
            middleware: What stands around each call of a tool, prompt or resource, the
                first of them outermost: it is given the call and what goes on with it.
            unexpected: What becomes of an answer that is not of the type that others
                were seen to have, where none is promised: it comes back as far as it
                fits, with a warning or without, or is raised as ``UnexpectedResult``.
            record: A file that each call is added to with its answer, one a line.
            replay: A file that calls were recorded in; it answers them, no server does.
            redact: What is left out of ``record`` beside secrets: members by their
                names on the wire (``"user.email"`` is one of another), and patterns.
            match: Which recorded call answers one: that with the same arguments, or
                the next in the order of the file, if it is of the same tool.

        Raises:
            InvalidRecording: The file of ``record`` or ``replay`` cannot be used.
            ConnectionFailed: The server cannot be reached, or does not answer in time.
            AuthorizationRequired: The server wants authorization.
            ContractDrift: The server's tools differ, and ``verify`` is ``"error"``.
        """
        from ..auth.options import HttpOptions
        from ..connection.connect import ConnectOptions
        from ..connection.pending_client import Connecting

        tape: Tape | None = None
        if record is not None or replay is not None:
            from ..replay.tape import tape_of

            given = [*(headers or {}).values(), auth]
            tape = tape_of(cls._package, record, replay, redact, match, given)
        told = on_tools_changed or on_resource_updated or on_log
        events: Events | None = None
        if told or verify == "compatible":
            from ..connection.callbacks import Callbacks
            from ..connection.events import Events

            callbacks = Callbacks(on_tools_changed, on_resource_updated, on_log, log_level)
            events = Events(callbacks, verify, connect_timeout)
        options = ConnectOptions(
            cls._package,
            verify,
            connect_timeout,
            HttpOptions(headers, auth, http_client),
            client_info,
            reconnect,
            era,
            events=events,
            logged=events.logged if events else set(),
            requests=_requests(elicit, sampling, roots),
            tasks=_tasks(cls._package),
            replays=tape.replays if tape else "",
        )
        trusted = cls._trust if trust is None else trust
        confirmation = _confirmation(confirm, confirm_when, trust=trusted)
        limits = _limits(limit, cls._package)
        defaults = CallOptions(
            math.inf if timeout is None else timeout,
            retry=retry or ONCE,
            timeout_resets_on_progress=timeout_resets_on_progress,
        )
        between = _middleware(middleware, cls._package)
        made = functools.partial(
            _made,
            cls,
            options=defaults,
            confirmation=confirmation,
            limits=limits,
            middleware=between,
            unexpected=unexpected,
            tape=tape,
            trust=trusted,
        )
        return Connecting(server, options, made)


def _made(
    kind: type[V],
    connector: Connector,
    *,
    options: CallOptions,
    confirmation: Confirmation | None,
    limits: CallLimits | None,
    middleware: tuple[Middleware, ...],
    unexpected: Unexpected,
    tape: Tape | None,
    trust: bool,
) -> V:
    from ..calls.call_pipeline import Connection

    connection = Connection(
        connector,
        options,
        confirmation,
        limits,
        middleware,
        tape,
        unexpected,
        trust=trust,
    )
    return kind(connection)


class _Opening(Generic[P]):
    """Turns ``connect`` into what opens a client of the class it is asked of."""

    def __init__(self, connect: Callable[P, Connecting[_Connectable]]) -> None:
        del connect  # whose parameters it has
        self.__doc__ = (
            "Connect as :meth:`connect` does, and stay connected until "
            ":meth:`McpClient.aclose`.\n\n"
            "The client may be used and closed from any task, thread or event loop."
        )

    def __get__(self, instance: object, owner: type[S]) -> Callable[P, Coroutine[Any, Any, S]]:
        def open_(*args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, S]:
            connected: Any = owner
            opening: Coroutine[Any, Any, S] = connected.connect(*args, **kwargs).open()
            return opening

        open_.__doc__ = self.__doc__
        return open_


class _Tools:
    """The tools of the contract, and of a client what models are offered of them."""

    @overload
    def __get__(self, instance: None, owner: type[McpClient]) -> ToolInfos: ...
    @overload
    def __get__(self, instance: McpClient, owner: type[McpClient]) -> ClientTools: ...
    def __get__(
        self, instance: McpClient | None, owner: type[McpClient]
    ) -> ToolInfos | ClientTools:
        if instance is None:
            return _package_of(owner).tools
        from ..agents.tools import ClientTools

        return ClientTools(instance)


class FakeOf:
    """What makes fakes of the class that it is asked of; loaded where one is made."""

    def __get__(self, instance: object, owner: type[S]) -> Callable[..., S]:
        # The package's fakes bring the factory, as testing is above this room.
        factory: Callable[[type[S]], Callable[..., S]] = _package_of(owner).fakes.FACTORY
        return factory(owner)


class McpClient(_Connectable):
    """Calls the tools of one server; made by :meth:`connect` or :meth:`open`."""

    open = _Opening(_Connectable.connect)

    if not TYPE_CHECKING:  # the class that is generated says what it makes
        fake = FakeOf()

        def __init__(self, *args, **kwargs):
            if not args and not kwargs:
                way = f"`async with {type(self).__name__}.connect() as client:`"
                raise TypeError(f"a client is made by connecting: {way}")
            super().__init__(*args, **kwargs)

    tools = _Tools()
    """What the server said of its tools when it was recorded, by their wire names.

    Those of a client can be offered to a model, too.
    """

    def __repr__(self) -> str:
        tools = counted(len(self._package.tools), "tool")
        return f"<{type(self).__name__}: {self._connection}, {tools}>"

    @property
    def session(self) -> Client:
        """The SDK's own client, connected."""
        return self._connection.session.sdk

    async def aclose(self) -> None:
        """Disconnect, from any task, thread or event loop; calls that wait are lost."""
        await self._connection.connector.aclose()

    async def roots_changed(self) -> None:
        """Tell the server that what ``roots=`` of :meth:`connect` says has changed.

        Since 2026-07-28 nothing is sent: servers ask each time.
        """
        from ..conversation.roots import tell_changed

        if not self._connection.connector.has_roots:
            raise TypeError("connect() was given no roots")
        await self._connection.tell(tell_changed, "roots", self._options)

    async def response(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> Response[T]:
        """Call a method of this client, and return all that the server answered.

        Args:
            method: The method, such as ``client.search``, or a function of one's own
                that calls some; of several calls the last one counts.
            *args: Its positional arguments, if it has some.
            **kwargs: Its arguments.
        """
        with record(self, method, waits=False) as recorder:
            data = await method(*args, **kwargs)
        return recorder.response(data, method)

    async def start(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> Task[T]:
        """Call a tool as a task, and do not wait for its result.

        Args:
            method: The method of the tool, such as ``client.search``.
            *args: Its positional arguments, if it has some.
            **kwargs: Its arguments.

        Raises:
            TaskUnsupported: The tool cannot run as a task; nothing was sent.
        """
        from ..calls.task import start

        return await start(await self._captured(method, *args, **kwargs))

    async def resume(self, method: Callable[..., Awaitable[T]], text: str) -> Task[T]:
        """Find a task again, by the text that :meth:`Task.to_text` made of it.

        Args:
            method: The method of its tool, such as ``client.search``.
            text: The text, maybe of another process: servers over HTTP keep a task for
                whoever may call them, one over stdio only as long as its process lives.

        Raises:
            InvalidTask: The text is of another server or tool, or the contract of the
                tool has changed.
            ProtocolError: The server has no such task, or has it no more.
        """
        from ..calls.task import arguments_for, resume

        given = arguments_for(method, text)
        return await resume(await self._captured(method, **given), text)

    async def _captured(
        self, method: Callable[..., Awaitable[object]], *args: Any, **kwargs: Any
    ) -> Captured:
        """Return the call that a method would make."""
        from ..calls.call_pipeline import Captured

        with record(self, method, waits=False, is_capturing=True):
            try:
                await method(*args, **kwargs)
            except Captured as captured:
                return captured
        raise TypeError(f"{method!r} calls no tool over this connection")

    async def call(self, tool: str, arguments: Mapping[str, object]) -> Any:
        """Call a tool by its name on the wire, for names known only then.

        Args:
            tool: The name; one that the contract lacks is an ``UnknownTool``.
            arguments: The arguments by their names on the wire, also those that the
                schema allows but does not name.
        """
        from ..calls.call_pipeline import tool_named

        return await self._call(tool_named(self._package, tool), arguments)

    async def _call(self, tool: Tool[T], arguments: Mapping[str, object]) -> T:
        from ..models.values import decode_result

        read = functools.partial(decode_result, tool, unexpected=self._connection.unexpected)
        return await self._connection.call(tool, arguments, read, self._options)

    def _view(self, kind: type[V]) -> V:
        return kind(self._connection, self._options)


def _confirmation(ask: Confirm | None, when: ConfirmWhen, *, trust: bool) -> Confirmation | None:
    if ask is None and when == "risky":
        return None
    from ..calls.confirm import Confirmation

    return Confirmation.of(ask, when, trust=trust)


def _requests(
    elicit: Elicit | None, sampling: Sampling | Sample | None, roots: Roots | None
) -> Answering | None:
    if elicit is None and sampling is None and roots is None:
        return None
    from ..conversation.server_requests import Answering

    sampler: Sampler | None = None
    if sampling is not None:
        from ..conversation.sampler import Sampler

        sampler = Sampler(sampling)
    if roots is not None:
        from ..conversation.roots import check_roots

        check_roots(roots)
    return Answering(elicit, sampler, roots)


def _tasks(package: Package) -> Updates | None:
    if not package.has_tasks:
        return None
    from ..calls.tasks.progress import Updates

    return Updates()


def _limits(limit: int | Mapping[str, int] | None, package: Package) -> CallLimits | None:
    if limit is None:
        return None
    from ..calls.limits import CallLimits

    return CallLimits.of(limit, package)


def _middleware(middleware: Sequence[Middleware], package: Package) -> tuple[Middleware, ...]:
    if not middleware:
        return ()
    from ..calls.middleware import checked

    return checked(middleware, package)
