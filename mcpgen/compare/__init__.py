"""Contracts compared: what changed, under which rule, how bad it is for whom. Pure functions."""

from mcpgen.compare.change import ABSENT, Audience, Change, Severity
from mcpgen.compare.compare import compare
from mcpgen.compare.rule import Rule
from mcpgen.compare.table import RULES

__all__ = ["ABSENT", "RULES", "Audience", "Change", "Rule", "Severity", "compare"]
