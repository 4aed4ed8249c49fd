"""All rules by their ids."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.findings.rules import Rule
from mcpgen.lint.rules import hints, inputs, names, offered, outputs, texts

_MODULES = (names, texts, inputs, outputs, hints, offered)
RULES: Mapping[str, Rule] = {rule.id: rule for module in _MODULES for rule in module.RULES}
