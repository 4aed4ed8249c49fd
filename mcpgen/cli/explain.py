"""`mcpgen explain`: explains the rules of diff, lint and test."""

from __future__ import annotations

import click
from mcpgen_runtime.display import visible

from mcpgen.cli.shared.console import print_result
from mcpgen.cli.shared.options import Command, json_option
from mcpgen.errors import UsageError
from mcpgen.findings.rule import ChangeRule, Rule, find_in, nearest_in
from mcpgen.findings.rules.diff import catalogue as diff
from mcpgen.findings.rules.lint import catalogue as lint
from mcpgen.findings.rules.tests import catalogue as tests

_RULES: tuple[Rule | ChangeRule, ...] = (
    *diff.RULES.values(),
    *lint.RULES.values(),
    *tests.JUDGES.values(),
)


def _complete_rule(_context: click.Context, _argument: click.Parameter, start: str) -> list[str]:
    """Return the IDs and names of rules for shell completion."""
    argv = [token for rule in _RULES for token in (rule.id, rule.name)]
    return [token for token in argv if token.lower().startswith(start.lower())]


@click.command("explain", cls=Command)
@click.argument("name", metavar="[RULE]", required=False, shell_complete=_complete_rule)
@json_option
def command(name: str | None) -> None:
    """Explain a RULE of mcpgen diff or lint, such as I03 or argument-became-required.

    Without RULE all rules are listed. IDs with L belong to lint, IDs with C to mcpgen test.
    """
    if name is None:
        print_result([_entry(rule) for rule in _RULES], visible("\n".join(map(_line, _RULES))))
        return
    rule = _rule(name)
    print_result(_entry(rule), visible(_text(rule)))


def _rule(text: str) -> Rule | ChangeRule:
    rule = find_in(_RULES, text)
    if rule is not None:
        return rule
    close = " or ".join(f"{near.id} ({near.name})" for near in nearest_in(_RULES, text))
    hint = f"did you mean {close}?" if close else "list them with: mcpgen explain"
    raise UsageError(f"there is no rule {text[:40]!r}", hint=hint)


def _line(rule: Rule | ChangeRule) -> str:
    level = rule.level if isinstance(rule, Rule) else rule.severity()
    return f"{rule.id:5} {level!s:10}  {rule.name}: {rule.summary}"


def _text(rule: Rule | ChangeRule) -> str:
    if isinstance(rule, Rule):
        level, (worse, better) = str(rule.level), ("not", "but")
    else:
        levels = ", ".join(
            f"{severity} for {audience}" for audience, severity in rule.levels.items()
        )
        level = f"{levels}{'; cannot be changed' if rule.fixed else ''}"
        worse, better = "before", "after"
    lines = [
        f"{rule.id} {rule.name}",
        f"{rule.summary[:1].upper()}{rule.summary[1:]}.",
        "",
        f"  level    {level}",
        f"  why      {rule.why}",
        f"  {worse:7}  {rule.example[0]}",
        f"  {better:7}  {rule.example[1]}",
    ]
    return "\n".join([*lines, f"  do       {rule.fix}"] if rule.fix else lines)


def _entry(rule: Rule | ChangeRule) -> dict[str, object]:
    entry: dict[str, object] = {
        "rule": rule.id,
        "name": rule.name,
        "summary": rule.summary,
        "why": rule.why,
        "hint": rule.fix,
    }
    if isinstance(rule, Rule):
        example = {"not": rule.example[0], "but": rule.example[1]}
        of = "test" if rule.id in tests.JUDGES else "lint"
        return {**entry, "of": of, "level": str(rule.level), "example": example}
    levels = {str(audience): str(level) for audience, level in rule.levels.items()}
    example = {"before": rule.example[0], "after": rule.example[1]}
    return {**entry, "of": "diff", "levels": levels, "example": example, "fixed": rule.fixed}
