"""The user's selection for a test run, and its limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgen.jsontext import Json

CALLS = 1000
CALLS_A_TOOL = 200


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The tools to test, and the arguments given for them."""

    named: Collection[str] = ()
    """The tools to test, even if they write. By default, all tools annotated as read-only."""
    allows_writes: bool = False
    arguments_by_tool: Mapping[str, Sequence[dict[str, Json]]] = field(
        default_factory=dict[str, "Sequence[dict[str, Json]]"]
    )
    """Real arguments, by the name of their tool."""
    seed: int = 0
    judges: Collection[str] = ()
    """The rules to use, by default all."""
    is_from_file: bool = False
    """Whether the contract comes from a file instead of the server's lists."""
    searches: bool = True


class SpentError(Exception):
    """A limit is exhausted. ``option`` names its command-line option."""

    def __init__(self, option: str) -> None:
        super().__init__(f"the limit of {option} was reached")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run: calls in total, seconds in total, seconds per call."""

    calls: int | None = None
    """Maximum number of calls. By default :data:`CALLS_A_TOOL` per tool, at least :data:`CALLS`."""
    seconds: float = 300.0
    answer: float = 20.0
