"""Contracts compared: what changed, under which rule, how bad it is for whom. Pure functions.

``contracts`` is the start, ``definitions`` what it compares. ``schemas`` walks their schemas and
knows no rules; ``rules.rule_map`` has the rule for each point in which they differ. Changes are
judged in ``findings`` by a ``policy``, and shown by ``report``.
"""

from mcpgen.compare.contracts import compare
from mcpgen.findings.change import ABSENT, Change
from mcpgen.findings.rule import ChangeRule
from mcpgen.findings.rules.diff.catalogue import RULES
from mcpgen.findings.severity import Audience, Severity

__all__ = ["ABSENT", "RULES", "Audience", "Change", "ChangeRule", "Severity", "compare"]
