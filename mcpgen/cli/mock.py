"""`mcpgen mock`: serve a contract with no code at all."""

from __future__ import annotations

from dataclasses import replace

import click

from mcpgen import jsontext
from mcpgen.cli.options import line, read_file
from mcpgen.cli.talk import aside, json_option, result
from mcpgen.contract import capabilities, document
from mcpgen.contract.document import Contract
from mcpgen.endpoint.resolve import STDIN
from mcpgen.errors import UsageError


@click.command(name="mock", short_help="Serve a contract with made-up data.")
@click.argument("file", metavar="CONTRACT")
@click.option(
    "--http",
    "address",
    metavar="[HOST:]PORT",
    help="Serve over Streamable HTTP at /mcp; HOST is 127.0.0.1 if left out. Else over stdio.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Another number gives other answers; the same one always gives the same.",
)
@click.option("-q", "--quiet", is_flag=True, help="Do not say on stderr what is served.")
@json_option
def command(file: str, address: str | None, seed: int, *, quiet: bool) -> None:
    """Serve a contract with no code at all: every answer is data that its output schema allows.

    CONTRACT is a file with a contract or a tools/list answer.
    """
    found = _read(file, over_stdio=address is None)
    host, port = _address(address)
    from mcpgen import mock

    found, notices = mock.servable(found)
    for notice in notices:
        _say(f"notice: {line(notice)}", quiet=quiet)
    made = mock.server(found, seed)
    for notice in capabilities.left_out(found):
        _say(f"notice: {line(notice)}", quiet=quiet)
    said = f"a mock of {made.name} with {len(found.tools)} tools"
    if address is None:
        _say(f"serving {said} over stdio; end the input to stop", quiet=quiet)
        mock.serve_stdio(made)
        return
    taken = mock.listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{taken.getsockname()[1]}/mcp"
    _say(f"serving {said} at {url}; press Ctrl-C to stop", quiet=quiet)
    result({"url": url, "server": made.name, "tools": len(found.tools)})
    mock.serve_http(made, taken, host)


def _read(file: str, *, over_stdio: bool) -> Contract:
    if file == STDIN and over_stdio:
        raise UsageError("stdin is for the client's messages", file, "serve it with --http 8000")
    try:
        text = read_file(file)
    except UsageError as error:
        hint = f"record one with: mcpgen record <server> -o {file}"
        raise replace(error, hint=hint) from None
    return document.read(jsontext.loads(text.removeprefix(b"\xef\xbb\xbf"), file), file)


def _address(given: str | None) -> tuple[str, int]:
    host, _, port = (given or "0").rpartition(":")
    if not port.isdecimal() or not port.isascii() or int(port) > 65535:
        hint = "try: --http 8000, or --http 0.0.0.0:8000"
        raise UsageError(f"{given!r} is no port", "--http", hint)
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def _say(text: str, *, quiet: bool) -> None:
    if not quiet:
        aside(text)
