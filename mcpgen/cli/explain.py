"""`mcpgen explain`: what a rule of `mcpgen diff` means, why it is there, and what to do."""

from __future__ import annotations

import click

from mcpgen.cli.console import print_result
from mcpgen.cli.options import json_option
from mcpgen.compare.rules.catalogue import RULES, find, nearest
from mcpgen.compare.rules.rule import Rule
from mcpgen.errors import UsageError


def _completed(_context: click.Context, _argument: click.Parameter, start: str) -> list[str]:
    """Return the numbers and names of rules that a shell completes."""
    words = [word for rule in RULES.values() for word in (rule.id, rule.name)]
    return [word for word in words if word.lower().startswith(start.lower())]


@click.command("explain")
@click.argument("word", metavar="[RULE]", required=False, shell_complete=_completed)
@json_option
def command(word: str | None) -> None:
    """Explain a RULE of mcpgen diff, such as I03 or argument-became-required.

    Without RULE all rules are listed.
    """
    rules = list(RULES.values()) if word is None else [_rule(word)]
    if word is None:
        print_result([_entry(rule) for rule in rules], "\n".join(map(_line, rules)))
    else:
        print_result(_entry(rules[0]), _text(rules[0]))


def _rule(word: str) -> Rule:
    rule = find(word)
    if rule is not None:
        return rule
    close = " or ".join(f"{near.id} ({near.name})" for near in nearest(word))
    hint = f"did you mean {close}?" if close else "list them with: mcpgen explain"
    raise UsageError(f"there is no rule {word[:40]!r}", hint=hint)


def _line(rule: Rule) -> str:
    return f"{rule.id:5} {rule.severity()!s:10}  {rule.name}: {rule.summary}"


def _text(rule: Rule) -> str:
    levels = [f"{severity} for {audience}" for audience, severity in rule.levels.items()]
    before, after = rule.example
    lines = [
        f"{rule.id} {rule.name}",
        f"{rule.summary[:1].upper()}{rule.summary[1:]}.",
        "",
        f"  level    {', '.join(levels)}{'; cannot be changed' if rule.fixed else ''}",
        f"  why      {rule.why}",
        f"  before   {before}",
        f"  after    {after}",
    ]
    return "\n".join([*lines, f"  do       {rule.fix}"] if rule.fix else lines)


def _entry(rule: Rule) -> dict[str, object]:
    return {
        "rule": rule.id,
        "name": rule.name,
        "levels": {str(audience): str(level) for audience, level in rule.levels.items()},
        "summary": rule.summary,
        "why": rule.why,
        "example": {"before": rule.example[0], "after": rule.example[1]},
        "hint": rule.fix,
        "fixed": rule.fixed,
    }
