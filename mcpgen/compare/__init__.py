"""Contracts compared: what changed, under which rule, how bad it is for whom. Pure functions."""

from mcpgen.compare.change import ABSENT, Audience, Change, Severity
from mcpgen.compare.contracts import compare
from mcpgen.compare.rules.catalogue import RULES
from mcpgen.compare.rules.rule import Rule

__all__ = ["ABSENT", "RULES", "Audience", "Change", "Rule", "Severity", "compare"]
