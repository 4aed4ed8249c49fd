"""Under which rule a point falls in which two schemas differ, as input and as output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from mcpgen.compare.schemas.difference import Aspect, Relation

Side: TypeAlias = Literal["input", "output"]
SIDES: tuple[Side, ...] = ("input", "output")


class _Rules(NamedTuple):
    """The rules of a new schema that is tighter, looser, and neither or both."""

    tighter: str
    looser: str
    other: str


_Row: TypeAlias = "Mapping[Side, _Rules]"


def _row(input: str, output: str) -> _Row:
    return {"input": _Rules(*input.split()), "output": _Rules(*output.split())}


def _same(rule: str) -> _Row:
    return _row(f"{rule} {rule} {rule}", f"{rule} {rule} {rule}")


RULES_OF: Mapping[Aspect, _Row] = {
    # Of an input and of an output, each where the new schema is tighter, looser, or other.
    "type": _row("I08 I09 I08", "O08 O07 O07"),
    "null": _row("I08 I09 I08", "O05 O04 O04"),
    "map": _row("I08 I09 I08", "O13b O13 O13"),
    "enum": _row("I10 I11 I10", "O10 O09 O09"),
    "bound": _row("I12 I13 I12", "O12 O11 O11"),
    "bound-formal": _row("I12b I12b I12b", "O12b O12b O12b"),
    "pattern": _row("I14 I15 I14", "O12 O11 O11"),
    "format": _row("I16 I16c I16", "O12 O11c O11c"),
    "format-typed": _row("I16b I16b I16b", "O11b O11b O11b"),
    "member-required": _row("I01 I01 I01", "O06 O06 O06"),
    "member-required-in-closed": _row("I01 I01 I01", "O06b O06b O06b"),
    "member-added": _row("I02 I02 I02", "O06 O06 O06"),
    "member-added-to-closed": _row("I02 I02 I02", "O06b O06b O06b"),
    "member-added-to-open": _row("I02c I02 I02", "O06 O06 O06"),
    "member-removed": _row("I05 I05 I05", "O03 O03 O03"),
    "member-ignored": _row("I06 I06 I06", "O03 O03 O03"),
    "required": _row("I03 I04 I03", "O05 O04 O04"),
    "openness": _row("I17 I17b I17", "O13b O13 O13"),
    "condition": _row("I18 I18b I18", "O16b O16 O16"),
    "alternative": _row("I19 I20 I19", "O08 O07 O07"),
    "overlap": _row("I19 I20 I20b", "O08 O07 U01"),
    "tuple": _row("I21 I21 I21", "O21 O21 O21"),
    "impossible": _row("I27 I09 I27", "O27 O07 O27"),
    "unproved": _same("U01"),
    "default": _row("I22 I22 I22", "O22 O22 O22"),
    "header": _row("I23 I23 I23", "O29 O29 O29"),
    "content": _row("I24b I24b I24b", "O24b O24b O24b"),
    "deprecated": _row("I26 I26 I26", "O26 O26 O26"),
    "keyword": _row("I29 I29 I29", "O29 O29 O29"),
    "text": _same("D02"),
    "title": _same("D04"),
}


def rule_of(side: Side, aspect: Aspect, relation: Relation) -> str:
    """Return the id of the rule."""
    rules = RULES_OF[aspect][side]
    if relation is Relation.TIGHTER:
        return rules.tighter
    return rules.looser if relation is Relation.LOOSER else rules.other
