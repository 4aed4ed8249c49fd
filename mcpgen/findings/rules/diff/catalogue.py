"""All rules, and how one is found by what a person types."""

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
    """Return the rule with an id or a name, however it is spelled."""
    return find_in(RULES.values(), text)


def nearest(text: str) -> list[ChangeRule]:
    """Return the rules whose id or name is most like what was typed."""
    return nearest_in(RULES.values(), text)
