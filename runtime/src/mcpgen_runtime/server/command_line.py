"""The server's command line: over stdio, or with ``--http`` over Streamable HTTP."""

from __future__ import annotations

import argparse
import gc
import logging
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings

from .auth.scopes import NO_SCOPES, Scopes
from .builder import ContractServer, close_listening
from .serving import prometheus
from .serving.json_logs import JsonFormatter
from .serving.options import parser as option_parser
from .serving.stdio import serve
from .serving.telemetry import OPERATIONS, SESSIONS, SessionClock
from .serving.traffic import DEFAULT_LIMITS, HttpLimits, Traffic, TrafficControl

if TYPE_CHECKING:
    from mcp.server.auth.provider import TokenVerifier
    from mcp.server.auth.settings import AuthSettings
    from starlette.applications import Starlette
    from starlette.types import ASGIApp

    from .auth.guard import Guard
    from .auth.settings import Auth
    from .replicas.shared import Shared

_LOCAL = ("127.0.0.1", "localhost", "[::1]")


def run(
    server: Server[Any],
    arguments: Sequence[str] | None = None,
    *,
    auth: Auth | AuthSettings | None = None,
    token_verifier: TokenVerifier | None = None,
) -> None:
    """Serve until the client disconnects or the process is stopped. Logs go to stderr.

    Over HTTP, SIGTERM ends pending calls in time and exits with code 0. Ctrl-C does the same
    with exit code 130. ``auth`` admits only callers with a valid access token. It is
    ``JwtAuth``, ``Introspection``, or the SDK's ``AuthSettings`` with a ``token_verifier``.
    Over stdio no token is needed, because the caller started the process.
    """
    parser = option_parser(server)
    options = parser.parse_args(arguments)
    if bool(options.tls_cert) != bool(options.tls_key):
        parser.error("--tls-cert and --tls-key go together")
    if options.metrics and options.http is None:
        parser.error("--metrics needs --http")
    if options.workers > 1:
        _check_workers(parser, server, options)
    _set_up_logs(options)
    try:
        if options.http is None:
            anyio.run(serve, server)
        else:
            asgi_app = _app(parser, server, options, auth, token_verifier)
            _check_metrics(parser, options)
            _http(server, options, asgi_app)
    except KeyboardInterrupt:
        sys.exit(130)


def _set_up_logs(options: argparse.Namespace) -> None:
    handler = logging.StreamHandler(sys.stderr)
    if options.log_format == "json":
        handler.setFormatter(JsonFormatter())
    else:
        handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    logging.basicConfig(level=options.log_level.upper(), handlers=[handler])


def app(  # noqa: PLR0913 - each is an independent setting of a deployment
    server: Server[Any],
    host: str = "127.0.0.1",
    allowed: Sequence[str] = (),
    *,
    auth: Auth | AuthSettings | None = None,
    token_verifier: TokenVerifier | None = None,
    origins: Sequence[str] = (),
    limits: HttpLimits = DEFAULT_LIMITS,
) -> Starlette:
    """Return the ASGI application, which accepts only requests to known hosts.

    Without that check any web page could reach a local server (MCP, transports, "Security
    Warning"). ``origins`` lists the web pages that may use the server, such as
    ``https://app.example.com``. Health checks are at ``/healthz`` and ``/readyz``.

    Raises:
        ValueError: Something needs a scope, but there is no ``auth``. Or ``auth`` has no
            ``token_verifier``.
    """
    _refuse_open_server(server, auth)
    hosts = [*_LOCAL, *([] if _is_wildcard_address(host) else [host]), *allowed]
    named = [name for item in hosts for name in (item, f"{item}:*")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=named,
        allowed_origins=[*(f"{kind}://{name}" for name in named for kind in _SCHEMES), *origins],
    )
    shared = server.share(security) if isinstance(server, ContractServer) else None
    if shared is None:
        asgi_app = server.streamable_http_app(host=host, transport_security=security)
    else:
        asgi_app = shared.app
    if auth is not None:
        asgi_app.add_middleware(_guard(server, auth, token_verifier, shared))
    traffic = asgi_app.state.traffic = Traffic(limits, shared.hub if shared else None)
    # Not with ASGI lifespan messages, which don't reach a mounted application.
    asgi_app.router.lifespan_context = traffic.watch(asgi_app.router.lifespan_context)
    if isinstance(server, ContractServer):
        lifespan = server.sessions.watch(asgi_app.router.lifespan_context)
        asgi_app.router.lifespan_context = lifespan
        asgi_app.add_middleware(SessionClock, sessions=server.sessions)
    asgi_app.add_middleware(TrafficControl, traffic=traffic)
    if origins:
        from starlette.middleware.cors import CORSMiddleware

        asgi_app.add_middleware(
            CORSMiddleware,
            allow_origins=[*origins],
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["mcp-session-id", "mcp-protocol-version", "www-authenticate"],
        )
    return asgi_app


_SCHEMES = ("http", "https")


def _refuse_open_server(server: Server[Any], auth: Auth | AuthSettings | None) -> None:
    scopes = _scopes(server).all
    if auth is None and scopes:
        raise ValueError(f"auth is needed: callers need the scopes {sorted(scopes)}")


def _scopes(server: Server[Any]) -> Scopes:
    return server.scopes if isinstance(server, ContractServer) else NO_SCOPES


def _guard(
    server: Server[Any],
    auth: Auth | AuthSettings,
    token_verifier: TokenVerifier | None,
    shared: Shared | None,
) -> Callable[[ASGIApp], Guard]:
    """Return the middleware that admits authorized requests."""
    from .auth.guard import Guard
    from .auth.sdk_auth import SdkAuth
    from .auth.settings import Auth

    checked = auth if isinstance(auth, Auth) else SdkAuth.from_settings(auth, token_verifier)
    checked.check()
    used = shared.connection if shared else None
    return partial(Guard, auth=checked, scopes=_scopes(server), used=used)


def _is_wildcard_address(host: str) -> bool:
    """Return True if a host means all addresses of this machine."""
    try:
        return ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return False


def _check_workers(
    parser: argparse.ArgumentParser, server: Server[Any], options: argparse.Namespace
) -> None:
    """End with exit code 2 if several workers couldn't serve as one server."""
    if options.http is None:
        parser.error("--workers needs --http: over stdio there is one process")
    if not isinstance(server, ContractServer) or server.policy.store is None:
        parser.error("--workers needs a shared store: Policy(store=RedisStore.from_env())")
    if sys.platform == "win32":
        parser.error("--workers is not available on Windows")


def _check_metrics(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End with exit code 2 if metrics can't be served."""
    if options.metrics and find_spec("prometheus_client") is None:
        parser.error("--metrics needs the package prometheus-client")


def _app(
    parser: argparse.ArgumentParser,
    server: Server[Any],
    options: argparse.Namespace,
    auth: Auth | AuthSettings | None,
    token_verifier: TokenVerifier | None,
) -> Starlette:
    """Return the application, or end with exit code 2 if it would be open by mistake."""
    try:
        return app(
            server,
            options.http[0],
            options.allow_host,
            auth=auth,
            token_verifier=token_verifier,
            origins=options.allow_origin,
            limits=HttpLimits(
                header=options.header_timeout,
                body=options.body_timeout,
                connections=options.max_connections,
                calls=options.max_calls,
                drain=options.drain,
            ),
        )
    except ValueError as error:
        parser.error(str(error))


def _http(server: Server[Any], options: argparse.Namespace, asgi_app: Starlette) -> None:
    import uvicorn

    from .serving.http_server import HttpServer, limited_protocol
    from .serving.workers import Supervisor, inherited_socket

    host, port = options.http
    # Otherwise uvicorn's handlers would write text.
    logs: dict[str, Any] = {"log_config": None} if options.log_format == "json" else {}
    config = uvicorn.Config(
        asgi_app,
        host=host.strip("[]"),
        port=port,
        http=limited_protocol(options.header_timeout),
        log_level=options.log_level,
        # Otherwise any local process could pretend to be another caller and evade the
        # limits.
        proxy_headers=bool(options.trust_proxy),
        forwarded_allow_ips=options.trust_proxy,
        root_path=options.root_path or "",
        ssl_certfile=options.tls_cert,
        ssl_keyfile=options.tls_key,
        # Longer than a proxy keeps idle connections: otherwise it may send a call on a connection
        # that is being closed, and answer with 502.
        timeout_keep_alive=_KEEP_ALIVE,
        # Calls that are still pending after the drain are cancelled.
        timeout_graceful_shutdown=1,
        **logs,
    )
    inherited = inherited_socket()
    if options.workers > 1 and inherited is None:
        listening = config.bind_socket()
        folder = prometheus.prepare_workers() if options.metrics else ""
        if folder:
            _serve_metrics(options.metrics, folder)
        code = Supervisor(options.workers, listening).run()
        prometheus.clean_up(folder)
        sys.exit(code)
    if options.metrics and isinstance(server, ContractServer):
        server.operations.record = prometheus.recorder(OPERATIONS)
        server.sessions.record = prometheus.recorder(SESSIONS)
        if inherited is None:
            _serve_metrics(options.metrics)
    _collect_seldom()
    http_server = HttpServer(config, asgi_app.state.traffic, partial(close_listening, server))
    http_server.run(sockets=[inherited] if inherited else None)
    if http_server.is_interrupted:
        raise KeyboardInterrupt


def _serve_metrics(address: tuple[str, int], folder: str = "") -> None:
    try:
        prometheus.serve(address, folder)
    except OSError as error:
        sys.exit(f"error: --metrics: {error}")


def _collect_seldom() -> None:
    """Collect garbage less often, and never among long-lived objects.

    Calls leave almost no cycles, and with many concurrent calls the collector takes a fifth
    of the time.
    """
    gc.collect()
    gc.freeze()
    if 0 < gc.get_threshold()[0] < _MANY_OBJECTS:  # otherwise the author has set it
        gc.set_threshold(_MANY_OBJECTS, 10, 10)


_MANY_OBJECTS = 10_000
_KEEP_ALIVE = 75
