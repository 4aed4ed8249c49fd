"""All rules of `lint`."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.findings.rule import Rule
from mcpgen.findings.rules.lint import hints, inputs, names, offered, outputs, texts

_MODULES = (names, texts, inputs, outputs, hints, offered)
RULES: Mapping[str, Rule] = {rule.id: rule for module in _MODULES for rule in module.RULES}
