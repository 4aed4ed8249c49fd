"""Which rule a point in which two schemas differ falls under, as input and as output."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen.compare.schemas.difference import Relation

# Aspect: the rule where the new schema is tighter, looser, or neither.
_INPUT: Mapping[str, tuple[str, str, str]] = {
    "type": ("I08", "I09", "I08"),
    "null": ("I08", "I09", "I08"),
    "free": ("I08", "I09", "I08"),
    "choice": ("I10", "I11", "I10"),
    "bound": ("I12", "I13", "I12"),
    "bound-formal": ("I12b", "I12b", "I12b"),
    "pattern": ("I14", "I15", "I14"),
    "format": ("I16", "I16c", "I16"),
    "format-typed": ("I16b", "I16b", "I16b"),
    "member-required": ("I01", "I01", "I01"),
    "member-required-in-closed": ("I01", "I01", "I01"),
    "member-added": ("I02", "I02", "I02"),
    "member-added-to-closed": ("I02", "I02", "I02"),
    "member-added-to-open": ("I02c", "I02", "I02"),
    "member-removed": ("I05", "I05", "I05"),
    "member-ignored": ("I06", "I06", "I06"),
    "required": ("I03", "I04", "I03"),
    "openness": ("I17", "I17b", "I17"),
    "condition": ("I18", "I18b", "I18"),
    "alternative": ("I19", "I20", "I19"),
    "overlap": ("I19", "I20", "I20b"),
    "tuple": ("I21", "I21", "I21"),
    "impossible": ("I27", "I09", "I27"),
    "unproved": ("U01", "U01", "U01"),
    "default": ("I22", "I22", "I22"),
    "header": ("I23", "I23", "I23"),
    "content": ("I24b", "I24b", "I24b"),
    "deprecated": ("I26", "I26", "I26"),
    "keyword": ("I29", "I29", "I29"),
    "text": ("D02", "D02", "D02"),
    "title": ("D04", "D04", "D04"),
}
_OUTPUT: Mapping[str, tuple[str, str, str]] = {
    **_INPUT,
    "type": ("O08", "O07", "O07"),
    "null": ("O05", "O04", "O04"),
    "free": ("O13b", "O13", "O13"),
    "choice": ("O10", "O09", "O09"),
    "bound": ("O12", "O11", "O11"),
    "bound-formal": ("O12b", "O12b", "O12b"),
    "pattern": ("O12", "O11", "O11"),
    "format": ("O12", "O11c", "O11c"),
    "format-typed": ("O11b", "O11b", "O11b"),
    "member-required": ("O06", "O06", "O06"),
    "member-required-in-closed": ("O06b", "O06b", "O06b"),
    "member-added": ("O06", "O06", "O06"),
    "member-added-to-closed": ("O06b", "O06b", "O06b"),
    "member-added-to-open": ("O06", "O06", "O06"),
    "member-removed": ("O03", "O03", "O03"),
    "member-ignored": ("O03", "O03", "O03"),
    "required": ("O05", "O04", "O04"),
    "openness": ("O13b", "O13", "O13"),
    "condition": ("O16b", "O16", "O16"),
    "alternative": ("O08", "O07", "O07"),
    "overlap": ("O08", "O07", "U01"),
    "tuple": ("O21", "O21", "O21"),
    "impossible": ("O27", "O07", "O27"),
    "default": ("O22", "O22", "O22"),
    "header": ("O29", "O29", "O29"),
    "content": ("O24b", "O24b", "O24b"),
    "deprecated": ("O26", "O26", "O26"),
    "keyword": ("O29", "O29", "O29"),
}
ASPECTS = {"input": _INPUT, "output": _OUTPUT}


def rule_of(side: str, aspect: str, relation: Relation) -> str:
    """Return the id of the rule."""
    tighter, looser, other = ASPECTS[side][aspect]
    if relation is Relation.TIGHTER:
        return tighter
    return looser if relation is Relation.LOOSER else other
