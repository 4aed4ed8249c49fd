"""All rules, and how one is found by what a person types."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from mcpgen.compare.rules import (
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
from mcpgen.compare.rules.rule import Rule

_MODULES = (
    *(tools, arguments, argument_constraints, argument_annotations, undecided),
    *(results, result_constraints, result_annotations),
    *(descriptions, server, prompts, resources),
)
RULES: Mapping[str, Rule] = {rule.id: rule for module in _MODULES for rule in module.RULES}


def find(text: str) -> Rule | None:
    """Return the rule with an id or a name, however it is spelled."""
    word = _normalized(text)
    word = re.sub(r"^([a-z])(\d)(?!\d)", r"\g<1>0\2", word)
    return next((rule for rule in RULES.values() if word in (rule.id.casefold(), rule.name)), None)


def nearest(text: str) -> list[Rule]:
    """Return the rules whose id or name is most like what was typed."""
    word = _normalized(text)
    names = {rule.id.casefold(): rule for rule in RULES.values()}
    names |= {rule.name: rule for rule in RULES.values()}
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    close += [name for name in names if len(word) > 2 and word in name][:3]
    return list({names[name].id: names[name] for name in close}.values())[:3]


def _normalized(text: str) -> str:
    return text.strip().replace("_", "-").casefold()
