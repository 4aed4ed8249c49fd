"""What is wrong, where, and what to try: every problem mcpgen reports is one of these values."""

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
    """A problem a user can act on: one line, where it is, and what to try.

    ``where`` is a JSON pointer, a file or an option; it and ``hint`` may be empty.
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
        return "\n".join(map(indented, lines))

    def document(self) -> dict[str, str]:
        """Return the error for a JSON document, without what is empty."""
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
    """The check that was asked for found something."""

    exit = Exit.FINDING


class AuthorizationError(McpgenError):
    """The server wants credentials that were not given."""

    exit = Exit.AUTHORIZATION


class UnreachableError(McpgenError):
    """The server did not start, did not answer in time, or the connection was refused."""

    exit = Exit.UNREACHABLE


class ContractError(McpgenError):
    """The server answered, or the file was read, but no contract can be made of it."""

    exit = Exit.CONTRACT


@dataclass(eq=False)
class EndlessListError(ContractError):
    """A list of the server has a next page however many were read."""

    method: str = ""


class AnswerError(McpgenError):
    """The server did what it was asked, and answered that it failed."""

    exit = Exit.ANSWER


class OutputError(McpgenError):
    """Stdout can't be written: it is closed, or its disk is full."""

    exit = Exit.OUTPUT


class BugError(ContractError):
    """mcpgen made of a contract what it must not write: its own fault, and to be reported."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What does not conform and was kept, or left out, without costing the rest.

    ``pointer`` leads into the contract, such as ``/tools/get_weather/inputSchema``; ``kind`` is
    the same for all notices of one sort, so that a long list can be counted instead of shown.
    """

    pointer: str
    reason: str
    kind: str = ""

    def __str__(self) -> str:
        return f"notice: {self.reason}\n  at   {self.pointer}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a schema or message is wrong: where, as a JSON pointer, and why."""

    pointer: str
    reason: str


def unforeseen(value: NoReturn) -> AssertionError:
    """Return the error of a place that type checkers prove is never reached.

    It stands for ``assert_never``: what has that for Python 3.10 takes long to import.
    """
    return AssertionError(f"this was not foreseen: {value!r}")


def indented(message: str) -> str:
    """Indent the further lines of a message: remote text must not look like a line of ours."""
    first, *others = message.split("\n")
    return "\n".join([first, *(line if line[:1] == " " else f"  {line}" for line in others)])
