"""Exceptions of a call, and what the client is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..problem import Problem


class ToolError(Exception):
    """Raise it in a tool: its text reaches the caller, and may help a model to try
    again.

    The text of every other exception stays in the server's log.
    """


class NotFound(Exception):
    """Raise it where a resource that was asked for is not there; the text is told."""


class Refused(ToolError):
    """A call that was not made: not allowed, too many, too large."""


class TooManyRounds(ToolError):
    """A model that used tools in all the rounds that it had, and gave no answer."""


@dataclass(eq=False)
class InvalidArguments(ToolError):
    """The arguments break the tool's input schema."""

    tool: str
    problems: Sequence[Problem]

    def __str__(self) -> str:
        return _listed(f"Invalid arguments for {self.tool}", self.problems)


@dataclass(eq=False)
class InvalidResult(Exception):
    """The tool's answer breaks its output schema; it is not sent."""

    tool: str
    problems: Sequence[Problem]

    def __str__(self) -> str:
        return _listed(f"the result of {self.tool} was not sent", self.problems)


def _listed(heading: str, problems: Sequence[Problem]) -> str:
    return "\n  ".join([f"{heading}:", *(str(problem) for problem in problems)])
