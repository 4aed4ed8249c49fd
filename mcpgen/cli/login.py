"""`mcpgen login`: logs in at a server, for mcpgen and all generated clients."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from mcpgen_runtime.display import visible

from mcpgen.cli.shared.console import print_result
from mcpgen.cli.shared.options import Command, completed_servers, json_option
from mcpgen.errors import UsageError

if TYPE_CHECKING:
    from mcpgen_runtime.auth.store import Store, StoredLogin

    from mcpgen.servers.login.flow import LoginRequest

_SECRET = "a client secret requires --client-id"  # noqa: S105 - a text that holds none


@click.command(cls=Command, name="login", short_help="Log in at a server.")
@click.argument("server", shell_complete=completed_servers)
@click.option("--account", default="", metavar="NAME", help="Store the login under this name.")
@click.option("--scope", default="", metavar="SCOPES", help="Also request these scopes.")
@click.option(
    "--no-browser",
    is_flag=True,
    help="Print the address to open elsewhere, and read the pasted response.",
)
@click.option(
    "--client-metadata-url",
    default="",
    metavar="URL",
    help="URL of a client ID metadata document, for servers that support it.",
)
@click.option(
    "--client-id",
    default="",
    metavar="ID",
    help=("ID of a client registered with the authorization server."),
)
@click.option("--client-secret", is_flag=True, help="Ask for the secret of that client.")
@click.option(
    "--client-secret-env", metavar="NAME", help="Read the secret of that client from a variable."
)
@click.option(
    "--client-credentials", is_flag=True, help="Log in as the client itself, without a person."
)
@click.option("--private-key", metavar="FILE", help="Sign with this key (PEM) instead of a secret.")
@click.option(
    "--issuer", default="", metavar="URL", help="The authorization server of that client."
)
@click.option(
    "--assume-pkce",
    is_flag=True,
    help="Log in even if the authorization server doesn't declare PKCE support.",
)
@click.option(
    "--redirect-port",
    type=click.IntRange(1, 65535),
    metavar="PORT",
    help="Use this port of 127.0.0.1 for the redirect.  [default: a free port]",
)
@click.option(
    "--timeout",
    type=float,
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="Time to wait for the login, in seconds.",
)
@json_option
def command(server: str, **options: Any) -> None:
    """Log in to a server, in the browser.

    SERVER is an http(s) URL, or the name of a server in a configuration file. The stored login is
    used by every command that contacts the server, and by generated clients.
    """
    import asyncio

    from mcpgen_runtime.auth.login_errors import LoginError
    from mcpgen_runtime.auth.store import Store

    from mcpgen.servers.login.problems import problem

    _check(options)
    store = Store()
    try:
        login = asyncio.run(_log_in(server, options, store))
    except LoginError as error:
        raise problem(error) from None
    print_result(_document(login, store), visible(_success_text(login, store)))


def _check(options: dict[str, Any]) -> None:
    has_secret = options["client_secret"] or options["client_secret_env"] is not None
    is_machine = options["client_credentials"] or options["private_key"] is not None
    if (has_secret or is_machine) and not options["client_id"]:
        raise UsageError(_SECRET, "--client-id", "name the client registered with it")
    if has_secret and options["private_key"] is not None:
        raise UsageError("a secret and a key exclude each other", "--private-key", "leave one out")
    document = str(options["client_metadata_url"])
    parts = urlsplit(document)
    if document and (parts.scheme != "https" or parts.path in ("", "/")):
        problem = "the document's address must be an https address with a path"
        raise UsageError(problem, "--client-metadata-url")
    if options["client_id"] and options["client_metadata_url"]:
        raise UsageError("--client-id and --client-metadata-url exclude each other", "--client-id")


async def _log_in(server: str, options: dict[str, Any], store: Store) -> StoredLogin:
    from mcpgen.servers.login import flow, login_prompts, loopback

    request_plan = await _wish(server, options, store)
    if request_plan.login.grant != "authorization_code":
        return await flow.log_in(request_plan, None, store)
    if options["no_browser"]:
        return await flow.log_in(
            request_plan, login_prompts.Elsewhere(log_always, _read_pasted), store
        )
    port = loopback.port_of(request_plan.login.redirect)
    async with login_prompts.at_browser(log_always, port, options["timeout"]) as person:
        return await flow.log_in(request_plan, person, store)


async def _wish(server: str, options: dict[str, Any], store: Store) -> LoginRequest:
    from mcpgen_runtime.auth.store import StoredLogin, strip_url

    from mcpgen.servers.login import loopback
    from mcpgen.servers.login.flow import LoginRequest
    from mcpgen.servers.recording.project_servers import http_target

    target = http_target(server)
    url, headers = strip_url(target.url), target.headers
    method = "GET" if target.kind == "sse" else "POST"
    before = _before(store, url, options["account"])
    login = StoredLogin(url, options["account"])
    if options["client_credentials"] or options["private_key"] is not None:
        login = await _machine(login, options)
    else:
        last = loopback.port_of(before.redirect) if before else 0
        port = options["redirect_port"] or loopback.free_port(last)
        client = _client(options, "client_secret_basic")
        login = _replace(login, client=client, redirect=loopback.address(port))
    return LoginRequest(
        login,
        options["scope"],
        options["client_metadata_url"],
        headers,
        method,
        before,
        options["assume_pkce"],
    )


def _replace(login: StoredLogin, **values: Any) -> StoredLogin:
    from dataclasses import replace

    return replace(login, **values)


def _before(store: Store, url: str, account: str) -> StoredLogin | None:
    from mcpgen_runtime.auth.login_errors import LoginUnreadable

    try:
        return store.read(url, account)
    except LoginUnreadable:
        return None  # a new one is created


async def _machine(login: StoredLogin, options: dict[str, Any]) -> StoredLogin:
    from mcpgen.servers.login import keys
    from mcpgen.servers.login.flow import issuer_of

    if not options["issuer"]:
        named = await issuer_of(login.server)
        hint = f"the server names it as {named}: --issuer {named}" if named else ""
        problem = (
            "name the authorization server that registered this client: only it gets the secret"
        )
        raise UsageError(problem, "--issuer", hint)
    login = _replace(login, issuer=options["issuer"])
    if options["private_key"] is None:
        client = _client(options, "client_secret_basic", is_secret_needed=True)
        return _replace(login, grant="client_credentials", client=client)
    file = Path(options["private_key"]).absolute()
    client = {"client_id": options["client_id"], "token_endpoint_auth_method": "private_key_jwt"}
    algorithm = keys.algorithm(file)
    values = {"client": client, "key_file": str(file), "algorithm": algorithm}
    return _replace(login, grant="private_key_jwt", **values)


def _client(
    options: dict[str, Any], method: str, *, is_secret_needed: bool = False
) -> dict[str, str]:
    if not options["client_id"]:
        return {}
    client = {"client_id": options["client_id"], "token_endpoint_auth_method": "none"}
    name = options["client_secret_env"]
    if name is not None:
        secret = os.environ.get(name, "")
        if not secret:
            raise UsageError(f"the variable {name} is not set", "--client-secret-env")
    elif options["client_secret"] or is_secret_needed:
        if not sys.stdin.isatty():
            hint = "without a terminal it is read from a variable: --client-secret-env NAME"
            raise UsageError("the client requires a secret", "--client-id", hint)
        secret = str(click.prompt("client secret", hide_input=True, err=True))
    else:
        return client
    return client | {"client_secret": secret, "token_endpoint_auth_method": method}


def log_always(text: str) -> None:
    """Print a message for the user, even if the result is JSON."""
    click.echo(text, err=True)


def _read_pasted() -> str:
    # A thread that never ends would keep sys.stdin locked.
    read = b""
    while not read.endswith(b"\n") and (more := os.read(sys.stdin.fileno(), 65_536)):
        read += more
    return read.decode("utf-8", "replace")


def _document(login: StoredLogin, store: Store) -> dict[str, Any]:
    from mcpgen.servers.login.listing import document

    return document(login, store)


def _success_text(login: StoredLogin, store: Store) -> str:
    from mcpgen.servers.login.listing import line

    return f"logged in: {line(login, store)}"
