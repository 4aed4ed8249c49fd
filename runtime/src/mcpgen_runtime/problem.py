"""Violations of a schema."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from .jsonpointer import append_step

if TYPE_CHECKING:
    from pydantic import ValidationError


MOST_PROBLEMS = 10
"""The number of problems that one error reports."""


@dataclass(frozen=True)
class Problem:
    """A violation of a schema: a JSON pointer into the value, and the reason."""

    pointer: str
    reason: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.reason}"


def problems_of(error: ValidationError) -> list[Problem]:
    """Return the first problems of a Pydantic error, without the values."""
    entries = error.errors(include_url=False, include_input=False, include_context=False)
    return [
        Problem(reduce(append_step, entry["loc"], ""), entry["msg"])
        for entry in entries[:MOST_PROBLEMS]
    ]


def pointer_in(steps: tuple[int | str, ...], value: Any, *, is_absent: bool = False) -> str:
    """Return the JSON pointer of a Pydantic location. Names of union members are skipped."""
    pointer = ""
    for step in steps:
        try:
            value = value[step]
        except (LookupError, TypeError):
            is_member = isinstance(value, dict) and step == steps[-1]
            return append_step(pointer, step) if is_absent and is_member else pointer
        pointer = append_step(pointer, step)
    return pointer
