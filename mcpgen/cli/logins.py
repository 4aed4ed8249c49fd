"""`mcpgen logins`: lists the stored logins, without secrets."""

from __future__ import annotations

from typing import Any

import click
from mcpgen_runtime.display import visible

from mcpgen.cli.shared.console import print_result
from mcpgen.cli.shared.options import Command, json_option


@click.command(cls=Command, name="logins", short_help="List the stored logins.")
@json_option
def command() -> None:
    """List the stored logins: server, account, scopes, expiry, location.

    No token or secret is shown.
    """
    from mcpgen_runtime.auth.login_errors import LoginUnreadable
    from mcpgen_runtime.auth.store import Store

    from mcpgen.servers.login import listing

    store = Store()
    documents: list[dict[str, Any]] = []
    lines: list[str] = []
    for server, account in sorted(store.names()):
        try:
            login = store.read(server, account)
        except LoginUnreadable as error:
            about = {"server": server, "account": account, "unreadable": error.reason}
            documents.append(about)
            name = f"{server} ({account})" if account else server
            lines.append(f"{name}: unreadable: {error.reason}")
            continue
        if login is not None:
            documents.append(listing.document(login, store))
            lines.append(listing.line(login, store))
    print_result({"logins": documents}, visible("\n".join(lines) or "no logins"))
