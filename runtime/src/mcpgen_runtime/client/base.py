"""Base class of generated clients."""

from __future__ import annotations

import functools
import math
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from os import PathLike
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    ParamSpec,
    overload,
)

from typing_extensions import Self, TypeVar

from ..abbreviate import count_noun
from ..calls.caller import Caller, record
from ..contract import ToolInfos
from ..models.response import Response
from ..options import (
    BY_HINTS,
    ONCE,
    CallOptions,
    Record,
    Replay,
    Retry,
    SessionOptions,
    Unexpected,
)
from ..package import Package, package_of_module

if TYPE_CHECKING:
    import httpx2
    from mcp import Client

    from ..agents.tools import ClientTools
    from ..auth.options import Auth
    from ..calls.call_pipeline import Captured
    from ..calls.confirm import Confirm, Confirmation, ConfirmWhen
    from ..calls.limits import CallLimits
    from ..calls.middleware import Middleware
    from ..calls.tape import Tape
    from ..calls.task import Task
    from ..calls.tasks.progress import Updates
    from ..connection.callbacks import Callbacks
    from ..connection.drift import Verify
    from ..connection.events import Events
    from ..connection.pending_client import PendingClient
    from ..connection.routing.routes import Target
    from ..connection.session_manager import SessionManager
    from ..conversation.questions import Elicit
    from ..conversation.roots import Roots
    from ..conversation.sampler import Sampler
    from ..conversation.sampling import Sample, Sampling
    from ..conversation.server_requests import Answering

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T", default=Any)
"""The type that a method declares for its result."""
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
        confirm: Confirm | None = None,
        confirm_when: ConfirmWhen = "risky",
        trust: bool | None = None,
        elicit: Elicit | None = None,
        sampling: Sampling | Sample | None = None,
        roots: Roots | None = None,
        headers: Mapping[str, str] | None = None,
        auth: Auth | None = None,
        http_client: httpx2.AsyncClient | None = None,
        session: SessionOptions | None = None,
        callbacks: Callbacks | None = None,
        retry: Retry | None = BY_HINTS,
        limit: int | Mapping[str, int] | None = None,
        timeout_resets_on_progress: bool = False,
        middleware: Sequence[Middleware] = (),
        unexpected: Unexpected = "warn",
        record: str | PathLike[str] | Record | None = None,
        replay: str | PathLike[str] | Replay | None = None,
    ) -> PendingClient[Self]:
        """Connect to a server, by default to the recorded one.

        The client disconnects at the end of ``async with``. Use :meth:`open` to stay connected.

        Args:
            server: A URL, ``StdioServerParameters``, a transport, a function that
                returns a new transport, an SDK ``Client`` or a server object. The
                recorded server reads its secrets from the environment.
            verify: What to do if the server's tools differ from the contract: log a
                warning (``"warn"``), raise ``ContractDrift`` (``"error"``), raise it
                only from tools whose calls may be affected (``"compatible"``), or skip
                the comparison (``"off"``).
            timeout: Default time limit of a call, in seconds. None means no limit.
            confirm: Hook that is called before each call, with the tool and its
                arguments as JSON. Any result except ``True`` refuses the call. With
                ``trust`` it is skipped for tools annotated as harmless.
            confirm_when: ``"always"`` calls the hook for every tool, even with
                ``trust``.
            trust: Whether to believe the server's tool annotations. The default is set
                when the package is generated, with ``--trust`` or ``trust = true``.
            elicit: Answers the server's questions to the user. Without it the client
                declares that it can't ask.
            sampling: Answers requests to the client's model: a callback, or a
                ``Sampling`` with approval and limits.
            roots: Folders and files that the server may use: paths or ``file://`` URIs,
                a mapping of names to them, or a callable that returns them for every
                request.
            headers: HTTP headers for a URL.
            auth: Authorizes requests to a URL: a token, a callable that returns a token
                (called before each request, and again after HTTP 401), a ``Login`` or an
                ``httpx2.Auth``. By default a login stored by ``mcpgen login``, unless
                the headers contain ``Authorization``.
            http_client: Sends the requests to a URL, with its own certificates, proxies,
                hooks, headers, cookies and ``auth``, but without its read timeout. It
                stays open.
            session: How sessions are opened: time limit for connecting, handshake, name of
                the client, and whether a lost session is replaced.
            callbacks: Callbacks for changes of tools and resources, and for log messages.
            retry: When calls are retried. None means never.
            limit: Maximum number of calls per minute: for everything together, or by tool
                name, with ``"*"`` for everything. A call above the limit raises
                ``TooManyCalls``.
            timeout_resets_on_progress: Whether progress restarts the time limit of a
                call.
            middleware: Functions around each call of a tool, prompt or resource. The
                first one is the outermost. Each receives the call and a function that
                continues it.
            unexpected: What to do with a result that doesn't have the observed type, if
                the server declares none: ``"warn"``, ``"ignore"``, or ``"error"``, which
                raises ``UnexpectedResult``.
            record: File to which each call and its result are appended. With a ``Record``,
                more than secrets can be redacted.
            replay: Call recording that replaces the server. With a
                ``Replay``, calls can be found by their order.

        Raises:
            InvalidRecording: The file of ``record`` or ``replay`` can't be used.
            ConnectionFailed: The server can't be reached or doesn't respond in time.
            AuthorizationRequired: The server requires authorization.
            ContractDrift: The server's tools differ, and ``verify`` is ``"error"``.
        """
        from ..auth.options import HttpOptions
        from ..connection.connect import ConnectOptions
        from ..connection.pending_client import PendingClient

        tape: Tape | None = None
        if record is not None or replay is not None:
            from ..replay.tape import tape_of

            secrets = [*(headers or {}).values(), auth]
            tape = tape_of(cls._package, record, replay, secrets)
        session = session or SessionOptions()
        events: Events | None = None
        if callbacks or verify == "compatible":
            from ..connection.callbacks import Callbacks
            from ..connection.events import Events

            events = Events(callbacks or Callbacks(), verify, session.connect_timeout)
        options = ConnectOptions(
            cls._package,
            verify,
            session,
            HttpOptions(headers, auth, http_client),
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
        make = functools.partial(
            _make_client,
            cls,
            options=defaults,
            confirmation=confirmation,
            limits=limits,
            middleware=between,
            unexpected=unexpected,
            tape=tape,
            trust=trusted,
        )
        return PendingClient(server, options, make)


def _make_client(
    kind: type[V],
    connector: SessionManager,
    *,
    options: CallOptions,
    confirmation: Confirmation | None,
    limits: CallLimits | None,
    middleware: tuple[Middleware, ...],
    unexpected: Unexpected,
    tape: Tape | None,
    trust: bool,
) -> V:
    from ..calls.call_pipeline import CallPipeline

    connection = CallPipeline(
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
    """Derives ``open`` from ``connect``, for the class that it is looked up on."""

    def __init__(self, connect: Callable[P, PendingClient[_Connectable]]) -> None:
        del connect  # whose parameters it has
        self.__doc__ = (
            "Connect like :meth:`connect`, and stay connected until "
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
    """The recorded tools of a class, or the tools that a client can offer to a model."""

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
    """The factory of fakes for the class that it is looked up on."""

    def __get__(self, instance: object, owner: type[S]) -> Callable[..., S]:
        # The package's fakes provide the factory, because ``testing`` depends on ``client``.
        factory: Callable[[type[S]], Callable[..., S]] = _package_of(owner).fakes.FACTORY
        return factory(owner)


class McpClient(_Connectable):
    """Base class of clients. Use :meth:`connect` or :meth:`open` to create one."""

    open = _Opening(_Connectable.connect)

    if not TYPE_CHECKING:  # generated classes declare the type of their fakes
        fake = FakeOf()

        def __init__(self, *args, **kwargs):
            if not args and not kwargs:
                way = f"`async with {type(self).__name__}.connect() as client:`"
                raise TypeError(f"a client is made by connecting: {way}")
            super().__init__(*args, **kwargs)

    tools = _Tools()
    """The recorded tools by name. Those of a connected client can be offered to a model."""

    def __repr__(self) -> str:
        tools = count_noun(len(self._package.tools), "tool")
        return f"<{type(self).__name__}: {self._connection}, {tools}>"

    @property
    def session(self) -> Client:
        """The SDK's connected client."""
        return self._connection.session.sdk

    async def aclose(self) -> None:
        """Disconnect. May be called from any task, thread or event loop. Pending calls fail."""
        await self._connection.connector.aclose()

    async def roots_changed(self) -> None:
        """Notify the server that the roots have changed.

        Does nothing since revision 2026-07-28, in which servers request the roots each time.

        Raises:
            TypeError: The client was connected without ``roots``.
        """
        from ..conversation.roots import tell_changed

        if not self._connection.connector.has_roots:
            raise TypeError("the client was connected without roots")
        await self._connection.tell(tell_changed, "roots", self._options)

    async def response(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> Response[T]:
        """Call a method of this client and return the complete response.

        Args:
            method: A method such as ``client.search``, or your own function that calls
                one. The last call replaces earlier ones.
            *args: Positional arguments of the method.
            **kwargs: Keyword arguments of the method.
        """
        with record(self, method, waits=False) as recorder:
            data = await method(*args, **kwargs)
        return recorder.response(data, method)

    async def start(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> Task[T]:
        """Start a tool as a task and return without waiting for its result.

        Args:
            method: The method of the tool, such as ``client.search``.
            *args: Positional arguments of the method.
            **kwargs: Keyword arguments of the method.

        Raises:
            TaskUnsupported: The tool can't run as a task. Nothing was sent.
        """
        from ..calls.task import start

        return await start(await self._capture_call(method, *args, **kwargs))

    async def resume(self, method: Callable[..., Awaitable[T]], text: str) -> Task[T]:
        """Return a task from the text that :meth:`Task.to_text` created.

        Args:
            method: The method of the tool, such as ``client.search``.
            text: The text, possibly from another process. A server over HTTP keeps tasks
                for all authorized clients, a server over stdio until its process ends.

        Raises:
            InvalidTask: The text belongs to another server or tool, or the tool's contract
                has changed.
            ProtocolError: The server doesn't know the task.
        """
        from ..calls.task import arguments_for, resume

        arguments = arguments_for(method, text)
        return await resume(await self._capture_call(method, **arguments), text)

    async def _capture_call(
        self, method: Callable[..., Awaitable[object]], *args: Any, **kwargs: Any
    ) -> Captured:
        """Return the call that a method would make."""
        from ..calls.call_pipeline import Captured

        with record(self, method, waits=False, is_capturing=True):
            try:
                await method(*args, **kwargs)
            except Captured as captured:
                return captured
        raise TypeError(f"{method!r} doesn't call a tool over this connection")

    async def call(self, tool: str, arguments: Mapping[str, object]) -> Any:
        """Call a tool whose name is known only at run time.

        Args:
            tool: The name of the tool in the contract.
            arguments: Arguments by their JSON names, including those that the schema
                allows without naming them.

        Raises:
            UnknownTool: The contract has no tool with this name.
        """
        return await self._connection.call(tool, arguments, self._options)

    async def _call(self, tool: str, arguments: Mapping[str, object]) -> T:
        """Call a tool from its method. ``T`` is the return type of the method."""
        result: T = await self._connection.call(tool, arguments, self._options)
        return result

    def _view(self, kind: type[V]) -> V:
        return kind(self._connection, self._options)


def _confirmation(ask: Confirm | None, when: ConfirmWhen, *, trust: bool) -> Confirmation | None:
    if ask is None and when == "risky":
        return None
    from ..calls.confirm import Confirmation

    return Confirmation.from_options(ask, when, trust=trust)


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

    return CallLimits.from_option(limit, package)


def _middleware(middleware: Sequence[Middleware], package: Package) -> tuple[Middleware, ...]:
    if not middleware:
        return ()
    from ..calls.middleware import check_middleware

    return check_middleware(middleware, package)
