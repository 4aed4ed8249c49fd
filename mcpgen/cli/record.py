"""`mcpgen record`: records a server's definitions as a contract."""

from __future__ import annotations

from pathlib import Path

import click

from mcpgen.cli.shared.console import log, log_notices, notices_document, print_result
from mcpgen.cli.shared.options import ServerCommand, json_option, output_option, server_options
from mcpgen.codegen import naming
from mcpgen.contract import definitions
from mcpgen.contract.document import Contract
from mcpgen.errors import Notice
from mcpgen.files import write
from mcpgen.isolation import failure_notices, isolate
from mcpgen.servers.recording import snippet
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.own_variables import with_own_variables
from mcpgen.servers.recording.previous import keep_names, previous
from mcpgen.servers.recording.project_servers import contract_of, project_entry
from mcpgen.servers.shell import consent


@click.command(cls=ServerCommand, name="record", short_help="Write a server's contract.")
@server_options
@output_option
@json_option
def command(arguments: ServerArguments, file: str | None) -> None:
    """Record a server's definitions as a contract.

    SERVER is "demo", an http(s) URL, file.py[:object] or package.module:object, FILE:NAME or NAME
    of a configuration file such as .mcp.json, or a file with a contract or a tools/list result. A
    command that starts a server goes after --.
    """
    path = None if file in (None, "-") else Path(str(file)).resolve()
    before = None if path is None else previous(path)
    recorded = contract_of(arguments, log, "mcpgen record")
    named = project_entry(arguments.server) if arguments.server else None
    server = naming.package(definitions.server_name(recorded.contract))
    package = server if named is None else named[1].package
    recorded = with_own_variables(recorded, package, before)
    contract = keep_names(before, recorded, str(path))
    (contract, text, lint), failures = isolate(_to_text, contract)
    notices = list(dict.fromkeys((*recorded.notices, *failure_notices(failures), *lint)))
    quiet = arguments.quiet
    log_notices(notices, strict=arguments.strict, verbose=arguments.verbose, quiet=quiet)
    if recorded.is_live:
        consent.store(contract.origin)
    name = naming.package(definitions.server_name(contract))
    needs = snippet.requirements(recorded, name, arguments)
    if path is None:
        click.echo(text.encode(), nl=False)
    else:
        is_same = path.is_file() and path.read_bytes() == text.encode()
        if not is_same:
            write.replace(path, text)
        log(f"{file}: {_contents(contract)}{', unchanged' if is_same else ''}")
        document = {
            "file": file,
            "changed": not is_same,
            "needs": [need.variable for need in needs],
            "notices": notices_document(notices),
        }
        print_result(document)
    for need in needs:
        log(f"needs: {need}")


def _to_text(contract: Contract) -> tuple[Contract, str, tuple[Notice, ...]]:
    """Return a contract with its text, and its notices."""
    return contract, contract.text(), definitions.read(contract).notices


def _contents(contract: Contract) -> str:
    counts = [
        (len(contract.tools), "tool"),
        (len(contract.prompts), "prompt"),
        (len(contract.resources), "resource"),
        (len(contract.resource_templates), "resource template"),
    ]
    listed = [f"{n} {name}{'s' if n != 1 else ''}" for n, name in counts if n or name == "tool"]
    return ", ".join(listed) + (f" (revision {contract.revision})" if contract.revision else "")
