"""`mcpgen logout`: revokes and deletes logins."""

from __future__ import annotations

import click

from mcpgen.cli.shared.console import log, print_result
from mcpgen.cli.shared.options import Command, completed_servers, json_option
from mcpgen.errors import UsageError

_TOLD = {
    True: "revoked at the server",
    False: "the tokens could not be revoked: they work until they expire",
    None: "the server has no revocation endpoint: the tokens work until they expire",
}


@click.command(cls=Command, name="logout", short_help="Log out at a server.")
@click.argument("server", required=False, shell_complete=completed_servers)
@click.option("--account", metavar="NAME", help="Only the login stored under this name.")
@click.option("--all", "is_all", is_flag=True, help="Log out everywhere.")
@json_option
def command(server: str | None, *, account: str | None, is_all: bool) -> None:
    """Log out: revoke the tokens if the server supports that, and delete the login.

    Without --account all logins at this server are deleted.
    """
    import asyncio

    from mcpgen_runtime.auth.locks import StillHeld
    from mcpgen_runtime.auth.store import Store

    from mcpgen.servers.login.revocation import log_out

    if (server is None) != is_all:
        hint = "list them with: mcpgen logins"
        raise UsageError("give a server, or --all", hint=hint)
    store = Store()
    chosen = [
        (at, of)
        for at, of in sorted(store.names())
        if (is_all or at == _address(str(server))) and account in (None, of)
    ]
    if not chosen and not is_all:
        hint = "list them with: mcpgen logins"
        raise UsageError("there is no such login", str(server), hint)
    removed: list[dict[str, object]] = []
    for at, of in chosen:
        try:
            revoked = asyncio.run(log_out(at, of, store))
        except StillHeld:
            raise UsageError("another process renews this login", at, "try again") from None
        removed.append({"server": at, "account": of, "revoked": revoked})
        log(f"{at}{f' ({of})' if of else ''}: forgotten; {_TOLD[revoked]}")
    store.remove_unfinished(0.0 if is_all else 60.0)
    print_result({"forgotten": removed})


def _address(server: str) -> str:
    from mcpgen_runtime.auth.store import canonical

    from mcpgen.servers.recording.project_servers import http_target

    return canonical(http_target(server).url)
