"""All rules of `diff`, and their lookup by ID or name."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.findings.rule import ChangeRule, find_in, nearest_in
from mcpgen.findings.rules.diff import (
    argument_annotations,
    argument_constraints,
    arguments,
    descriptions,
    prompts,
    resources,
    result_annotations,
    result_constraints,
    results,
    server,
    tools,
    undecided,
)

_MODULES = (
    *(tools, arguments, argument_constraints, argument_annotations, undecided),
    *(results, result_constraints, result_annotations),
    *(descriptions, server, prompts, resources),
)
RULES: Mapping[str, ChangeRule] = {rule.id: rule for module in _MODULES for rule in module.RULES}


def find(text: str) -> ChangeRule | None:
    """Return the rule with an ID or name. Case and separators don't matter."""
    return find_in(RULES.values(), text)


def nearest(text: str) -> list[ChangeRule]:
    """Return the rules with the most similar ID or name."""
    return nearest_in(RULES.values(), text)
