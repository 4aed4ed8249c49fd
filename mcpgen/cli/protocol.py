"""`mcpgen protocol`: writes models of the messages of a protocol revision."""

from __future__ import annotations

from pathlib import Path

import click

from mcpgen.cli.shared.console import is_json, log, print_result
from mcpgen.cli.shared.options import Command, json_option, output_option


@click.command("protocol", cls=Command)
@click.argument("revision")
@output_option
@json_option
def command(revision: str, file: str | None) -> None:
    """Write Pydantic models of all messages of a protocol REVISION, such as 2025-11-25.

    The module only needs Pydantic. It is generated offline from the official schema that ships with
    mcpgen.
    """
    from mcpgen.codegen import protocol_models
    from mcpgen.files import write

    path = None if file in (None, "-") else Path(str(file)).resolve()
    if path is not None:
        _refuse_foreign(path, write.HEADER)
    text = protocol_models.generate(revision)
    if path is None:
        if is_json():
            print_result({"revision": revision, "text": text})
        else:
            click.echo(text.encode(), nl=False)
        return
    is_same = path.is_file() and path.read_bytes() == text.encode()
    if not is_same:
        write.replace(path, text)
    log(f"{file}: revision {revision}{', unchanged' if is_same else ''}")
    print_result({"file": file, "revision": revision, "changed": not is_same})


def _refuse_foreign(folder: Path, header: str) -> None:
    """Reject an existing file that mcpgen didn't write."""
    from mcpgen.errors import UsageError

    if not folder.exists():
        return
    try:
        if folder.is_file() and folder.read_bytes().startswith(header.encode()):
            return
    except OSError:
        pass
    raise UsageError(
        "the file was not written by mcpgen and would be overwritten",
        str(folder),
        "choose another file with -o, or delete this one",
    )
