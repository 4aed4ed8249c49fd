"""Compares a tool's hints with its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpgen.findings.lint import LintProblem
from mcpgen.lint.checks.lint_context import LintedTool, words

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_READERS = frozenset(
    "count describe fetch find get list lookup peek query read search show view".split()
)
_REMOVERS = frozenset("delete destroy drop erase purge remove truncate wipe".split())
_WRITERS = _REMOVERS | frozenset(
    "add append archive assign close commit copy create disable edit enable insert invite merge"
    " modify move patch post publish push put rename replace reset revoke save send set submit"
    " unassign update upload upsert write".split()
)


def check(tools: Sequence[LintedTool]) -> Iterator[LintProblem]:
    """Check the hints of all tools."""
    for tool in tools:
        hints = {key: tool.annotations.get(key) for key in _HINTS}
        if all(value is None for value in hints.values()):
            yield tool.violation("L501")
            continue
        verb = _verb(tool.name)
        is_reader, destroys = hints["readOnlyHint"], hints["destructiveHint"]
        if is_reader is None and verb in _READERS and not _WRITERS & {*words(tool.name)}:
            yield tool.violation("L503", "/annotations")
        if is_reader is True and verb in _WRITERS:
            yield tool.violation("L504", "/annotations/readOnlyHint", f"{verb!r}")
        if is_reader is not True and destroys is False and verb in _REMOVERS:
            yield tool.violation("L505", "/annotations/destructiveHint", f"{verb!r}")


def _verb(name: str) -> str:
    """Return the first verb of a name. A server's name may precede it."""
    verbs = _READERS | _WRITERS
    return next((token for token in words(name) if token in verbs), "")
