"""Checks names of tools and arguments: rejected by APIs, or easily confused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from mcpgen.findings.lint import LintProblem
from mcpgen.findings.texts.lookalikes import skeleton
from mcpgen.lint.checks.lint_context import LintedTool

_EVERYWHERE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_LAWFUL = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_ARGUMENT = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_TAKEN = {
    "config": "LangChain loses it",
    "run_manager": "LangChain loses it",
    "self": "LangChain fails at it",
}
_STYLES = {
    "snake_case": re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+"),
    "kebab-case": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+"),
    "camelCase": re.compile(r"[a-z][a-z0-9]*(?:[A-Z]+[a-z0-9]*)+"),
    "PascalCase": re.compile(r"(?:[A-Z]+[a-z0-9]+)+[A-Z]*"),
}
_MOST = 0.8
"""Minimum share of names in one style for reporting the others."""


def check(tools: Sequence[LintedTool]) -> Iterator[LintProblem]:
    """Check the names of all tools and their arguments."""
    alike: dict[str, list[str]] = {}
    for tool in tools:
        alike.setdefault(skeleton(tool.name), []).append(tool.name)
    for tool in tools:
        if reason := _rejection_reason(tool.name):
            yield tool.violation("L102", "", reason)
        like = skeleton(tool.name)
        other = next((name for name in alike[like] if name != tool.name), None)
        if like and other is not None:
            yield tool.violation("L103", "", repr(other))
        for name in tool.arguments:
            if not _ARGUMENT.fullmatch(name):
                yield tool.of_argument("L105", name)
            if name in _TAKEN:
                yield tool.of_argument("L106", name, "", _TAKEN[name])
    yield from _mixed_styles(tools)


def _rejection_reason(name: str) -> str:
    """Return why an API rejects a name that the protocol allows."""
    if _EVERYWHERE.fullmatch(name) or not _LAWFUL.fullmatch(name):
        return ""
    if len(name) > 64:
        return f"{len(name)} characters"
    return "it has a dot" if "." in name else "its first character isn't a letter"


def _mixed_styles(tools: Sequence[LintedTool]) -> Iterator[LintProblem]:
    styled = [(tool, style) for tool in tools if (style := _style(tool.name))]
    if len(styled) < 5:
        return
    ((usual, count),) = Counter(style for _, style in styled).most_common(1)
    if count < _MOST * len(styled):
        return
    for tool, style in styled:
        if style != usual:
            yield tool.violation("L104", "", f"{count} of {len(styled)} are {usual}")


def _style(name: str) -> str:
    """Return the style of a name with several words, otherwise ""."""
    return next((style for style, pattern in _STYLES.items() if pattern.fullmatch(name)), "")
