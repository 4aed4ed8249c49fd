"""Checks a script, and runs it in Monty or in a child process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mcpgen.scripting import in_monty, in_process
from mcpgen.scripting.broker import (
    Audit,
    Broker,
    Confirm,
    ConfirmWhen,
    Limits,
    ScriptServer,
    ToolCall,
)
from mcpgen.scripting.checks.script import Checker
from mcpgen.scripting.syntax import Finding, report

DEFAULT = Limits()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a script: rejected before it ran, failed, or done.

    ``problem`` is why it failed, ``calls`` are the requested calls.
    """

    status: Literal["refused", "failed", "done"]
    output: str = ""
    problem: str = ""
    findings: tuple[Finding, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    summary: str = ""

    def text(self) -> str:
        """Return the text for the model that wrote the script."""
        if self.status != "failed":
            return self.output if self.status == "done" else self.problem
        return "\n".join(filter(None, [self.output.rstrip("\n"), self.problem, self.summary]))


async def run_script(  # noqa: PLR0913 - what a run is allowed
    script: str,
    servers: Sequence[ScriptServer],
    *,
    limits: Limits = DEFAULT,
    confirm: Confirm | None = None,
    confirm_when: ConfirmWhen = "risky",
    audit: Audit | None = None,
    sandbox: bool = True,
    checker: Checker | None = None,
) -> Outcome:
    """Check a script and run it. It may call these servers through a broker.

    Without ``sandbox`` it runs as plain Python in a child process with all rights of its user. Use
    that only for trusted scripts, or in a container. A ``checker`` must have the same servers.
    """
    findings = await asyncio.to_thread(_findings, script, servers, checker, sandbox)
    if findings:
        return Outcome("refused", problem=report(findings, script), findings=tuple(findings))
    named = {server.surface.name: server for server in servers}
    broker = Broker(named, limits, confirm, confirm_when, audit)
    output, problem = await (in_monty if sandbox else in_process).run(script, broker)
    status: Literal["failed", "done"] = "failed" if problem else "done"
    return Outcome(status, output, problem, (), tuple(broker.outcomes), broker.summary())


def _findings(
    script: str,
    servers: Sequence[ScriptServer],
    checker: Checker | None,
    sandbox: bool,
) -> list[Finding]:
    if checker is not None:
        return checker.check(script, sandbox=sandbox)
    with Checker(server.surface for server in servers) as own:
        return own.check_once(script, sandbox=sandbox)
