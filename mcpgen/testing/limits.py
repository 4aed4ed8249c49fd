"""The limits of a run: calls, seconds, and seconds per call."""

from __future__ import annotations

from dataclasses import dataclass

CALLS = 1000
CALLS_A_TOOL = 200


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
