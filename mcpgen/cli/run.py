"""`mcpgen run`: checks a script that calls tools, and runs it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from mcpgen_runtime.display import brief, on_one_line, visible
from mcpgen_runtime.redaction.credentials import CREDENTIALS

from mcpgen.cli.shared.console import log, print_result
from mcpgen.cli.shared.options import Command, completed_servers, json_option
from mcpgen.errors import Exit, McpgenError, UnreachableError, UsageError
from mcpgen.servers.recording.request import read_file

if TYPE_CHECKING:
    from mcpgen.contract.document import Contract
    from mcpgen.scripting import Call, Outcome
    from mcpgen.scripting.broker import Audit, ConfirmWhen
    from mcpgen.servers.endpoint.target import Target

_Recorded: TypeAlias = "tuple[str, Target, Contract, bool]"
"""A server: its module's name, its target, its contract, and whether it is trusted."""

_NAMED = re.compile(r"([A-Za-z_]\w*)=(.+)")


@click.command(cls=Command, name="run", short_help="Check a script that calls tools, and run it.")
@click.argument("script", metavar="SCRIPT")
@click.option(
    "--server",
    "servers",
    multiple=True,
    required=True,
    metavar="[NAME=]SERVER",
    shell_complete=completed_servers,
    help=(
        "A server that the script may call, as a module of this name, or the server's "
        "own. Repeatable."
    ),
)
@click.option("--check", "is_check", is_flag=True, help="Check the script without running it.")
@click.option(
    "--no-sandbox",
    is_flag=True,
    help="Run the script as plain Python with all your permissions, for trusted scripts.",
)
@click.option(
    "--confirm",
    "confirm_when",
    type=click.Choice(["risky", "always", "never"]),
    default="risky",
    show_default=True,
    help="Ask at the terminal before calls that may do harm, before all calls, or never. Every "
    "call may do harm unless the server is trusted. Without a terminal, the calls are declined.",
)
@click.option("-y", "--yes", is_flag=True, help="The same as --confirm never.")
@click.option(
    "--trust",
    is_flag=True,
    help=(
        "Trust the servers' tool annotations: call tools annotated as harmless without "
        "confirmation."
    ),
)
@click.option(
    "--audit", "file", metavar="FILE", help="Append a line of JSON for each call to this file."
)
@click.option(
    "--timeout",
    type=float,
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for a call.",
)
@click.option("--seconds", type=float, default=60.0, show_default=True, help="Stop it then.")
@click.option("--memory", type=int, default=512, show_default=True, help="Memory limit in MB.")
@click.option("--calls", type=int, default=100, show_default=True, help="Calls, at most.")
@click.option(
    "--accept-origin",
    metavar="DIGEST",
    default="",
    help="Start the server of a contract file without confirmation.",
)
@click.option("-q", "--quiet", is_flag=True, help="Don't report the started servers.")
@json_option
def command(  # noqa: PLR0913 - what a person may say of a run
    script: str,
    servers: tuple[str, ...],
    *,
    confirm_when: ConfirmWhen,
    file: str | None,
    timeout: float,
    seconds: float,
    memory: int,
    calls: int,
    accept_origin: str,
    is_check: bool,
    no_sandbox: bool,
    yes: bool,
    trust: bool,
    quiet: bool,
) -> int:
    """Check a Python script that calls tools of servers, and run it.

    Each server is a module: `import bookshelf`, then `await
    bookshelf.search_catalogue(query="night")`. Errors are reported by line before any call. The
    script runs in a sandbox. Each call is validated, confirmed, counted and logged. SCRIPT is a
    file, or - for stdin.
    """
    from mcpgen.scripting import Limits

    try:
        text = read_file(script).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("the script isn't valid UTF-8", script) from None
    recorded = [_record_server(server, timeout, quiet=quiet) for server in servers]
    if is_check:
        return _check_only(text, recorded, sandbox=not no_sandbox)
    recorded = [_reachable(item, accept_origin) for item in recorded]
    limits = Limits(seconds, memory * 1024 * 1024, calls)
    with contextlib.ExitStack() as stack:
        audit = None if file is None else _audit(stack.enter_context(_open_audit_log(file)))
        running = _run(
            text,
            recorded,
            timeout,
            sandbox=not no_sandbox,
            limits=limits,
            confirm_when="never" if yes else confirm_when,
            audit=audit,
            trust=trust,
        )
        try:
            return _print_outcome(asyncio.run(running))
        except Exception as error:
            raise _unwrap_error(error) from None


def _record_server(text: str, timeout: float, *, quiet: bool) -> _Recorded:
    """Return the module's name, the target, the contract, and whether it is trusted."""
    from mcpgen.codegen import naming
    from mcpgen.contract.definitions import server_name
    from mcpgen.project.observed import with_observed
    from mcpgen.servers.recording.arguments import ServerArguments
    from mcpgen.servers.recording.inputs import observed_file
    from mcpgen.servers.recording.project_servers import is_trusted, target_of
    from mcpgen.servers.recording.request import contract_of_target

    named = _NAMED.fullmatch(text)
    name, server = (named[1], named[2]) if named else ("", text)
    arguments = ServerArguments(server=server, timeout=timeout, quiet=quiet)
    target = target_of(arguments)
    contract = contract_of_target(target, arguments, lambda line: log(line, quiet=quiet)).contract
    if (observed := observed_file.find(arguments)) is not None:
        contract, _ = with_observed(contract, observed.content, observed.where)
    name = name or naming.package(server_name(contract))
    return name, target, contract, is_trusted(arguments)


def _reachable(recorded: _Recorded, accepted: str) -> _Recorded:
    """Return a server with the origin of its contract as the target, if a file was named."""
    from mcpgen.servers.endpoint import Offline, Overrides
    from mcpgen.servers.shell import consent
    from mcpgen.servers.shell.recorded_server import recorded_target

    name, target, contract, is_trusted = recorded
    if not isinstance(target, Offline):
        return recorded
    consent.require(contract.origin, target.path, accepted, log)
    return name, recorded_target(contract, target.path, Overrides()), contract, is_trusted


def _check_only(text: str, recorded: list[_Recorded], *, sandbox: bool) -> int:
    from mcpgen.scripting import Checker, Outcome, report, surface

    contracts = {name: contract for name, _, contract, _ in recorded}
    with Checker(surface(item, name) for name, item in contracts.items()) as checker:
        findings = checker.check_once(text, sandbox=sandbox)
    if findings:
        return _print_outcome(Outcome("refused", "", report(findings, text), tuple(findings)))
    return _print_outcome(Outcome("done"))


def _unwrap_error(error: Exception) -> BaseException:
    """Return the cause of an exception group, as a problem for the user."""
    from mcpgen.servers.recording.wire.sdk_attempt import root_cause

    cause = root_cause(error)
    if cause is error or isinstance(cause, McpgenError):
        return cause
    return UnreachableError(f"the connection failed: {brief(str(cause))}")


async def _run(
    text: str,
    recorded: list[_Recorded],
    timeout: float,
    *,
    trust: bool,
    **options: Any,
) -> Outcome:
    from mcpgen.scripting import ScriptServer, run_script
    from mcpgen.scripting.connection import connect
    from mcpgen.servers.endpoint import Offline
    from mcpgen.servers.recording.wire.early_start import open_log

    stack = contextlib.AsyncExitStack()
    async with stack:
        text_i_o = stack.enter_context(open_log())
        served: list[ScriptServer] = []
        for name, target, contract, is_trusted in recorded:
            assert not isinstance(target, Offline)
            send = await stack.enter_async_context(connect(target, text_i_o, timeout))
            served.append(
                ScriptServer.from_contract(contract, send, name, trust=trust or is_trusted)
            )
        return await run_script(text, served, confirm=_Person().confirm, **options)


class _Person:
    """The user at the terminal, and the tools that they allowed for the rest of the run."""

    def __init__(self) -> None:
        self._allowed: set[tuple[str, str]] = set()
        self._turn = asyncio.Lock()

    async def confirm(self, call: Call) -> bool:
        """Ask whether a tool may be called. Without a terminal it may not."""
        tool = (call.module, call.tool.name)
        async with self._turn:  # concurrent questions would overwrite each other
            if tool in self._allowed:
                return True
            if not (sys.stdin.isatty() and sys.stderr.isatty()):
                log(f"not called without a terminal: {on_one_line(call.tool.name)}; see --yes")
                return False
            text = json.dumps(call.arguments, indent=2, ensure_ascii=False)
            name = on_one_line(call.tool.name)
            about = f"May {name} of {call.module} be called? With:\n{visible(text)}"
            click.echo(about, err=True)
            answer: str = await asyncio.to_thread(
                click.prompt,
                "Call it? [y]es, [a]lways in this run, [n]o",
                type=click.Choice(["y", "a", "n"]),
                default="n",
                show_choices=False,
                err=True,
            )
            if answer == "a":
                self._allowed.add(tool)
            return answer != "n"


def _open_audit_log(file: str) -> Any:
    try:
        return open(file, "a", encoding="utf-8")  # noqa: PTH123 - the caller closes it
    except OSError as error:
        raise UsageError(f"the file cannot be written: {error.strerror}", file) from None


def _audit(stream: Any) -> Audit:
    def note(package_or_client: Any) -> None:
        stream.write(
            json.dumps(CREDENTIALS.strip(package_or_client.document()), sort_keys=True) + "\n"
        )
        stream.flush()

    return note


def _print_outcome(outcome: Outcome) -> int:
    """Print the output of a script and its problem."""
    document = {
        "status": outcome.status,
        "output": outcome.output,
        "problem": outcome.problem,
        "findings": [asdict(finding) for finding in outcome.findings],
        "calls": [call.document() for call in outcome.calls],
    }
    print_result(document, visible(outcome.output))
    if outcome.status != "done":
        # Findings have no remote text, but the message of a failed script may.
        problems = outcome.problem.split("\n") if outcome.findings else [outcome.problem]
        log(*filter(None, [*problems, outcome.summary]))
        return Exit.FINDING
    return Exit.DONE
