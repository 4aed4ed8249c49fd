"""`mcpgen mock`: serves a contract with generated data."""

from __future__ import annotations

from dataclasses import replace

import click

from mcpgen import jsontext
from mcpgen.cli.shared.console import log, notice_line, print_result
from mcpgen.cli.shared.options import Command, json_option
from mcpgen.contract import capabilities, document
from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.servers.endpoint.resolve import STDIN
from mcpgen.servers.recording.request import read_file


@click.command(cls=Command, name="mock", short_help="Serve a contract with generated data.")
@click.argument("file", metavar="CONTRACT")
@click.option(
    "--http",
    "address",
    metavar="[HOST:]PORT",
    help=(
        "Serve over Streamable HTTP at /mcp; HOST is 127.0.0.1 if left out. By default, "
        "it serves over stdio."
    ),
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of the generated data. The same seed gives the same data.",
)
@click.option(
    "--answers",
    metavar="FILE",
    help="Scripted responses and faults for some calls, from a YAML, TOML or JSON file.",
)
@click.option(
    "--replay",
    metavar="FILE",
    help="Replay only the calls recorded by connect(record=FILE).",
)
@click.option("-q", "--quiet", is_flag=True, help="Don't report the served definitions on stderr.")
@json_option
def command(  # noqa: PLR0913 - click gives each option as an argument
    file: str,
    address: str | None,
    seed: int,
    answers: str | None,
    replay: str | None,
    *,
    quiet: bool,
) -> None:
    """Serve a contract without any code. Results are generated data that the output schemas allow.

    CONTRACT is a file with a contract or a tools/list result.
    """
    contract = _read(file, over_stdio=address is None)
    host, port = _address(address)
    from mcpgen.testing import mock

    contract, notices = mock.servable(contract)
    for notice in notices:
        log(f"notice: {notice_line(notice)}", quiet=quiet)
    served = mock.server(contract, seed, answers=answers, replay=replay)
    without_tasks = "" if mock.runs_tasks(contract) else "no tool runs as a task"
    for notice in capabilities.left_out(contract, without_tasks):
        log(f"notice: {notice_line(notice)}", quiet=quiet)
    what = f"a mock of {served.name} with {len(contract.tools)} tools"
    if address is None:
        log(f"serving {what} over stdio; end the input to stop", quiet=quiet)
        mock.serve_stdio(served)
        return
    listener = mock.listen(host, port)
    text = f"[{host}]" if ":" in host else host
    url = f"http://{text}:{listener.getsockname()[1]}/mcp"
    log(f"serving {what} at {url}; press Ctrl-C to stop", quiet=quiet)
    print_result({"url": url, "server": served.name, "tools": len(contract.tools)})
    mock.serve_http(served, listener, host)


def _read(file: str, *, over_stdio: bool) -> Contract:
    if file == STDIN and over_stdio:
        raise UsageError("stdin is for the client's messages", file, "serve it with --http 8000")
    try:
        text = read_file(file)
    except UsageError as error:
        hint = f"record one with: mcpgen record <server> -o {file}"
        raise replace(error, hint=hint) from None
    return document.read(jsontext.loads(text.removeprefix(b"\xef\xbb\xbf"), file), file)


def _address(address: str | None) -> tuple[str, int]:
    host, _, port = (address or "0").rpartition(":")
    if not port.isdecimal() or not port.isascii() or int(port) > 65535:
        hint = "try: --http 8000, or --http 0.0.0.0:8000"
        raise UsageError(f"{address!r} is not a valid port", "--http", hint)
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)
