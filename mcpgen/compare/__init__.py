"""Compares two contracts and classifies the changes. Pure functions.

``contracts`` compares ``definitions``. ``schemas`` compares their schemas without knowing any
rules. ``definitions.tool_schemas`` maps each difference of schemas to a rule. ``judge`` applies a
policy.
"""

from mcpgen.compare.contracts import compare
from mcpgen.findings.change import ABSENT, Change
from mcpgen.findings.rule import ChangeRule
from mcpgen.findings.rules.diff.catalogue import RULES
from mcpgen.findings.severity import Audience, Severity

__all__ = ["ABSENT", "RULES", "Audience", "Change", "ChangeRule", "Severity", "compare"]
