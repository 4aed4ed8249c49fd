"""Exceptions for tools, and their texts for the client."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..problem import Problem


class ToolError(Exception):
    """Raise this in a tool. Its text is sent to the caller, so that a model can retry.

    The text of any other exception stays in the server's log.
    """


class NotFound(Exception):
    """Raise this if a resource doesn't exist. The text is sent to the caller."""


class Refused(ToolError):
    """A call was rejected: not allowed, too frequent, or too large."""


class TooManyRounds(ToolError):
    """The model used tools in every allowed round, and gave no final response."""


@dataclass(eq=False)
class InvalidArguments(ToolError):
    """The arguments violate the tool's input schema."""

    tool: str
    problems: Sequence[Problem]

    def __str__(self) -> str:
        return _list_problems(f"Invalid arguments for {self.tool}", self.problems)


@dataclass(eq=False)
class InvalidAnswer(ToolError):
    """The response to a form violates its schema."""

    form: str
    problems: Sequence[Problem]

    def __str__(self) -> str:
        return _list_problems(f"Invalid answer to {self.form}", self.problems)


@dataclass(eq=False)
class InvalidResult(Exception):
    """The tool's result violates its output schema and isn't sent."""

    tool: str
    problems: Sequence[Problem]

    def __str__(self) -> str:
        return _list_problems(f"the result of {self.tool} was not sent", self.problems)


def _list_problems(heading: str, problems: Sequence[Problem]) -> str:
    return "\n  ".join([f"{heading}:", *(str(problem) for problem in problems)])
