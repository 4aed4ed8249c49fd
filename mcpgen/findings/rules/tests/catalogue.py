"""All rules of `mcpgen test`."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.errors import UsageError
from mcpgen.findings.rule import Rule, find_in, nearest_in
from mcpgen.findings.rules.tests import arguments, consistency, hints, lifecycle, offers, results

_MODULES = (results, arguments, lifecycle, hints, offers, consistency)
JUDGES: Mapping[str, Rule] = {judge.id: judge for module in _MODULES for judge in module.JUDGES}


def find(name: str) -> Rule:
    """Return the rule with an ID or name."""
    judge = find_in(JUDGES.values(), name)
    if judge is None:
        near = ", ".join(f"{rule.id} {rule.name}" for rule in nearest_in(JUDGES.values(), name))
        hint = f"try: {near}" if near else "see: mcpgen explain"
        raise UsageError(f"there is no rule {name[:40]!r}", "--judge", hint)
    return judge
