"""Prepares the server for a run: lists its tools, starts and stops it."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Generator
from dataclasses import dataclass, replace

from mcpgen_runtime.redaction.credentials import CREDENTIALS

from mcpgen.contract.document import Contract
from mcpgen.errors import EndlessListError, UsageError
from mcpgen.findings.contract_tests import Case, Failure, Outcome, Verdict
from mcpgen.jsontext import Json
from mcpgen.servers.endpoint import Http, InProcess, Offline, Stdio, python
from mcpgen.servers.endpoint.target import Live
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.project_servers import target_of
from mcpgen.servers.recording.request import Say, contract_of_target, without_variables
from mcpgen.servers.recording.wire import early_start, server_process
from mcpgen.servers.shell import consent
from mcpgen.servers.shell.recorded_server import recorded_target
from mcpgen.servers.shell.servers import Server
from mcpgen.testing.connection.session import Session
from mcpgen.testing.contents import given_secrets
from mcpgen.testing.repro_commands import Lines
from mcpgen.testing.run import Run
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.run_options import Limits, RunOptions

_HOST = "mcpgen.testing.host"


@dataclass(frozen=True, slots=True)
class TargetServer:
    """A server to test, with the contract to test it against."""

    arguments: ServerArguments
    target: Stdio | Http
    contract: Contract
    is_from_file: bool = False

    @property
    def lines(self) -> Lines:
        """The common part of commands for this server."""
        return lines_of(self.arguments)


def prepare(
    arguments: ServerArguments,
    file: Contract | None,
    say: Say,
    *,
    is_accepted: bool = False,
) -> TargetServer:
    """List a server's tools, or use the contract of a file instead.

    ``is_accepted`` means that the caller has consented to the origin of a contract file.
    """
    written = file or Server(arguments, say, "mcpgen test").contract()
    if file is None and written is not None:
        if not is_accepted:
            where = arguments.server or ""
            consent.require(written.origin, where, arguments.accept_origin, say)
        target = recorded_target(written, arguments.server or "", arguments.overrides())
    else:
        target = target_of(arguments)
    if isinstance(target, Offline):
        hint = "name the server, and the contract with --contract FILE"
        raise UsageError("expected a server, not a file", target.path, hint)
    target = _as_command(target)
    if isinstance(target, Http):
        target = replace(target, account=arguments.account)
    listed = contract_of_target(target, arguments, say).contract
    server_process.end_left(server_process.GRACE)
    if written is None:
        return TargetServer(arguments, target, listed)
    # The schemas come from the file, the revision and capabilities from the server.
    contract = replace(
        written,
        revision=listed.revision,
        capabilities=listed.capabilities,
        server=listed.server,
    )
    return TargetServer(arguments, target, contract, is_from_file=True)


def _as_command(target: Live) -> Stdio | Http:
    """Return a command for a server in a Python file, because a process can be killed."""
    if not isinstance(target, InProcess):
        return target
    argv = (*python.running(_HOST), target.module, target.name)
    return Stdio(argv, argv, target.env, None, target.expanded, target.notices)


def _check_named(contract: Contract, named: Collection[str]) -> None:
    """Raise ``UsageError`` if a named tool doesn't exist."""
    for name in named:
        if name not in contract.tools:
            names = ", ".join(list(contract.tools)[:10])
            raise UsageError(f"the server has no tool {name[:60]!r}", hint=f"it has: {names}")


@contextlib.contextmanager
def running(server: TargetServer, options: RunOptions, limits: Limits) -> Generator[Run]:
    """Start the server for a test run, and stop it with all its processes."""
    _check_named(server.contract, options.named)
    schemas: dict[str, Json] = {
        name: tool.get("inputSchema") for name, tool in server.contract.tools.items()
    }
    with (
        early_start.open_log() as log,
        Session(server.target, server.contract.revision, log, schemas) as session,
    ):
        secrets = given_secrets(server.target)
        lab = RunContext(session, server.contract, limits, credentials=CREDENTIALS, secrets=secrets)
        options = replace(options, is_from_file=server.is_from_file)
        yield Run(lab, options, server.lines.line_for, CREDENTIALS)


def unlisted_outcome(arguments: ServerArguments, error: EndlessListError) -> Outcome:
    """Return the outcome for a server whose lists never end, so that no tool is known."""
    case = Case("pages", "server", {"method": error.method})
    verdict = Verdict("C605", error.problem, error.method)
    line = lines_of(arguments).line_for(case)
    stopped = "the server's lists never end"
    return Outcome(
        arguments.display_name, "", 0, 0, (Failure(case, verdict, True, line),), stopped=stopped
    )


def lines_of(arguments: ServerArguments) -> Lines:
    """Return the common part of commands for the same server, without values of secrets."""
    options: list[str] = []
    for name in arguments.env:
        options += ["--env", name.partition("=")[0]]
    for header in arguments.header:
        named = header.partition(":")[0]
        options += ["--header", header if "${" in header else f"{named}: ${{VALUE}}"]
    for option, value in (
        ("--account", arguments.account),
        ("--cwd", arguments.cwd),
        ("--transport", arguments.transport),
    ):
        options += [option, value] if value else []
    if arguments.era != "auto":
        options += ["--era", arguments.era]
    command = [without_variables(token) for token in arguments.command]
    return Lines(options, "" if command else arguments.display_name, command)
