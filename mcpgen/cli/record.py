"""`mcpgen record`: ask a server what it offers, and write its contract."""

from __future__ import annotations

import click

from mcpgen.cli.options import Asked, ServerCommand, contract_of, server_options, tell


@click.command(cls=ServerCommand, name="record", short_help="Write a server's contract.")
@server_options
@click.option("-o", "--output", metavar="FILE", help="Write the contract here, not to stdout.")
def command(asked: Asked, output: str | None) -> None:
    """Ask a server what it offers and write its contract."""
    recorded = contract_of(asked)
    tell(recorded.notices, asked)
    click.echo(recorded.contract.text(), nl=False)
