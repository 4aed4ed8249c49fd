"""Reports notices about a contract as violations of rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcpgen.errors import Notice
from mcpgen.findings.lint import LintProblem
from mcpgen.jsonpointer import steps

# Rules by the kind of notice. Notices about the server's web pages are not reported.
_RULES = {
    "tool name": "L101",
    "duplicate": "L107",
    "no input schema": "L301",
    "root type": "L302",
    "no schema": "L303",
    "bad default": "L312",
    "pattern": "L313",
    "set by the server": "L316",
    "header": "L317",
    "claims": "L502",
    "task": "L506",
    "odd member": "L506",
    "no template": "L705",
}
_PLAIN = frozenset({"L101", "L107", "L301", "L302", "L312", "L316", "L502", "L705"})
"""Rules whose summary is complete without details."""
_SUBJECTS = {
    "tools": "tool",
    "prompts": "prompt",
    "resources": "resource",
    "resourceTemplates": "template",
}


def check(notices: Iterable[Notice]) -> Iterator[LintProblem]:
    """Yield the violations that notices report."""
    for notice in notices:
        rule = _RULES.get(notice.kind)
        if rule is not None:
            detail = "" if rule in _PLAIN else notice.reason.partition("; ")[0]
            yield LintProblem(rule, _subject(notice.pointer), notice.pointer, detail)


def is_rule(notice: Notice) -> bool:
    """Return True if a notice corresponds to a rule."""
    return notice.kind in _RULES


def _subject(pointer: str) -> str:
    kind, *rest = steps(pointer)
    return f"{_SUBJECTS[kind]} {rest[0]}" if kind in _SUBJECTS and rest else "server"
