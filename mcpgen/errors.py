"""The errors and notices that mcpgen reports: the problem, its location, and a hint."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, NoReturn


class Exit(IntEnum):
    """Exit codes of every command, documented in ``docs/cli.md``."""

    DONE = 0
    FINDING = 1
    USAGE = 2
    AUTHORIZATION = 3
    UNREACHABLE = 4
    CONTRACT = 5
    ANSWER = 6
    OUTPUT = 7


_CODES = {
    Exit.FINDING: "finding",
    Exit.AUTHORIZATION: "auth_required",
    Exit.UNREACHABLE: "unreachable",
    Exit.CONTRACT: "contract",
    Exit.ANSWER: "failed",
    Exit.OUTPUT: "output",
}


@dataclass(eq=False)
class McpgenError(Exception):
    """A problem that the user can solve.

    ``where`` is a JSON pointer, a file or an option. Both ``where`` and ``hint`` may be empty.
    """

    problem: str
    where: str = ""
    hint: str = ""

    exit: ClassVar[Exit] = Exit.USAGE

    def __str__(self) -> str:
        lines = [f"error: {self.problem}"]
        if self.where:
            lines.append(f"  at   {self.where}")
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(map(indent_continuation, lines))

    def document(self) -> dict[str, str]:
        """Return the error as JSON, without empty members."""
        code = _CODES.get(self.exit, "usage")
        members = {
            "code": code,
            "message": self.problem,
            "where": self.where,
            "hint": self.hint,
        }
        return {key: value for key, value in members.items() if value}


class UsageError(McpgenError):
    """The command line, a configuration file or a name in it cannot be used."""


class FindingError(McpgenError):
    """A check reported a finding."""

    exit = Exit.FINDING


class AuthorizationError(McpgenError):
    """The server requires credentials."""

    exit = Exit.AUTHORIZATION


class UnreachableError(McpgenError):
    """The server did not start, did not respond in time, or refused the connection."""

    exit = Exit.UNREACHABLE


class ContractError(McpgenError):
    """The server's response or the file can't become a contract."""

    exit = Exit.CONTRACT


@dataclass(eq=False)
class EndlessListError(ContractError):
    """A list of the server has more pages than the limit."""

    method: str = ""


class AnswerError(McpgenError):
    """The server reported that a request failed."""

    exit = Exit.ANSWER


class OutputError(McpgenError):
    """Stdout can't be written: it is closed, or its disk is full."""

    exit = Exit.OUTPUT


class BugError(ContractError):
    """A defect of mcpgen: it generated code that its allow-list forbids."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A report on a nonconforming definition, which was kept or left out.

    ``pointer`` leads into the contract, such as ``/tools/get_weather/inputSchema``. ``kind`` groups
    similar notices, so that a long list can be summarized.
    """

    pointer: str
    reason: str
    kind: str = ""

    def __str__(self) -> str:
        return f"notice: {self.reason}\n  at   {self.pointer}"


@dataclass(frozen=True, slots=True)
class Problem:
    """A violation in a schema or message: its JSON pointer and the reason."""

    pointer: str
    reason: str


def unforeseen(value: NoReturn) -> AssertionError:
    """Return the error for code that type checkers prove unreachable.

    Replaces ``assert_never``: the backport for Python 3.10 takes long to import.
    """
    return AssertionError(f"unexpected error: {value!r}")


def indent_continuation(message: str) -> str:
    """Indent all lines but the first, so remote text doesn't look like a new message."""
    first, *following = message.split("\n")
    return "\n".join([first, *(line if line[:1] == " " else f"  {line}" for line in following)])
