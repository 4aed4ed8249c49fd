"""All rules, as data: what is compared elsewhere is named, judged and explained here."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from mcpgen.compare.rules import arguments as inputs
from mcpgen.compare.rules import descriptions as texts
from mcpgen.compare.rules import results as outputs
from mcpgen.compare.rules import server as offers
from mcpgen.compare.rules import tools
from mcpgen.compare.rules.rule import Rule

RULES: Mapping[str, Rule] = {
    rule.id: rule
    for rules in (tools.RULES, inputs.RULES, outputs.RULES, texts.RULES, offers.RULES)
    for rule in rules
}


def find(asked: str) -> Rule | None:
    """Return the rule with an id or a name, however it is spelled."""
    word = asked.strip().replace("_", "-").casefold()
    word = re.sub(r"^([a-z])(\d)(?!\d)", r"\g<1>0\2", word)
    return next((r for r in RULES.values() if word in (r.id.casefold(), r.name)), None)


def nearest(asked: str) -> list[Rule]:
    """Return the rules whose id or name is most like what was asked for."""
    word = asked.strip().replace("_", "-").casefold()
    names = {rule.id.casefold(): rule for rule in RULES.values()}
    names |= {rule.name: rule for rule in RULES.values()}
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    close += [name for name in names if len(word) > 2 and word in name][:3]
    return list({names[name].id: names[name] for name in close}.values())[:3]
