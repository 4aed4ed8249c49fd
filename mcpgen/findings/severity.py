"""Levels and severities of findings, and the audiences of changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum, IntEnum
from typing import TypeVar


class Level(IntEnum):
    """Level of a finding of `lint` or `test`."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


class Severity(IntEnum):
    """Severity of a change."""

    COSMETIC = 0
    COMPATIBLE = 1
    DANGEROUS = 2
    SECURITY = 3
    BREAKING = 4

    def __str__(self) -> str:
        return self.name.lower()


class Audience(str, Enum):
    """The audience of a change: callers, generated Python code, or agents."""

    WIRE = "wire"
    SOURCE = "source"
    AGENT = "agent"

    def __str__(self) -> str:
        return self.value


_Grade = TypeVar("_Grade", bound=IntEnum)


def counts(grades: type[_Grade], members: Iterable[_Grade]) -> dict[str, int]:
    """Count findings by level or severity, worst first."""
    counted = Counter(members)
    return {str(grade): counted[grade] for grade in reversed(grades)}
