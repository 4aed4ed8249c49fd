"""Random schemas in every dialect. The same seed gives the same schema. They are small and often
contradictory: required properties may be undeclared or forbidden.
"""

from __future__ import annotations

import random
from typing import Any

from mcpgen.jsontext import Json

DRAFT_3 = "http://json-schema.org/draft-03/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_6 = "http://json-schema.org/draft-06/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"
DIALECTS = (DRAFT_3, DRAFT_4, DRAFT_6, DRAFT_7, DRAFT_2019, DRAFT_2020)

NAMES = ("a", "b", "c", "kind", "a-b", "class", "aB", "a_b")
KINDS = ("string", "integer", "number", "boolean", "null")
VALUES: tuple[Json, ...] = (
    "a",
    "b",
    "",
    0,
    1,
    2,
    1.0,
    2.5,
    True,
    False,
    None,
    [1],
    {"a": 1},
)


def random_schema(seed: int) -> dict[str, Any]:
    """Return the schema of a seed. Most are objects and name their dialect."""
    chance = random.Random(seed)
    dialect = chance.choice((*DIALECTS, DRAFT_2020, DRAFT_2020))
    maker = _Maker(chance, dialect)
    root = maker.object(3) if chance.random() < 0.6 else maker.schema(3)
    result: dict[str, Any] = root if isinstance(root, dict) else {"allOf": [root]}
    named = {} if dialect == DRAFT_2020 and chance.random() < 0.7 else {"$schema": dialect}
    return {**named, **result, **maker.definitions()}


class _Maker:
    """Generates the parts of one schema, with the keywords of its dialect."""

    def __init__(self, chance: random.Random, dialect: str) -> None:
        self.chance = chance
        self.age = DIALECTS.index(dialect)
        self.holder = "$defs" if self.age >= 4 else "definitions"
        self.is_wild = self.is_one_in(4)

    def is_one_in(self, count: int) -> bool:
        return self.chance.randrange(count) == 0

    def is_rare(self, count: int) -> bool:
        """Return True if a construct that makes types inexact should be added, which is frequent
        in few schemas.
        """
        return self.is_one_in(count) and self.is_wild

    def since(self, dialect: str) -> bool:
        """Return True if a dialect has a keyword, and rarely for an older dialect."""
        return self.age >= DIALECTS.index(dialect) or self.is_one_in(24)

    def definitions(self) -> dict[str, Any]:
        parts = {"n": self.object(1), "m": self.schema(1)}
        return {self.holder: {name: part for name, part in parts.items() if part is not True}}

    # -- any schema -----------------------------------------------------------------------

    def schema(self, depth: int) -> Any:
        if self.is_one_in(14):
            return self.all_or_nothing()
        makers = [self.scalar, self.choice, self.choice]
        if depth > 0:
            makers += [self.array, self.union, self.tagged_union, self.parts, self.reference]
            makers += [self.object] * 5 + [self.scalar] * 3
        result = self.chance.choice(makers)(depth - 1)
        return self.stray(result) if self.is_rare(6) else result

    def all_or_nothing(self) -> Any:
        if self.age >= DIALECTS.index(DRAFT_6):
            return self.chance.choice((False, False, True, {}))
        nothing = {"disallow": "any"} if self.age == 0 else {"not": {}}
        return self.chance.choice((nothing, {}))

    def scalar(self, depth: int) -> Any:
        del depth
        kind = self.chance.choice(KINDS)
        is_nullable = kind != "null" and self.is_one_in(4)
        result: dict[str, Any] = {"type": [kind, "null"] if is_nullable else kind}
        if kind == "string" and self.is_one_in(2):
            result |= self.chance.choice(({"minLength": 1}, {"maxLength": 2}, {"format": "date"}))
        if kind in ("integer", "number") and self.is_one_in(2):
            result |= self.bounds()
        if self.is_one_in(30):
            result = self.stray(result)
        return result

    def bounds(self) -> dict[str, Any]:
        low, high = (
            self.chance.choice((-1, 0, 0.5, 1)),
            self.chance.choice((1, 2, 2.5, 3)),
        )
        if self.age < DIALECTS.index(DRAFT_6):
            result: dict[str, Any] = {
                "minimum": low,
                "exclusiveMinimum": self.is_one_in(2),
            }
            return result | ({"maximum": high} if self.is_one_in(2) else {})
        pairs = {
            "minimum": low,
            "maximum": high,
            "exclusiveMinimum": low,
            "exclusiveMaximum": high,
        }
        chosen = self.chance.sample(sorted(pairs), self.chance.randint(1, 2))
        return {key: pairs[key] for key in chosen} | (
            {"multipleOf": 2} if self.age > 1 and self.is_one_in(6) else {}
        )

    def choice(self, depth: int) -> Any:
        del depth
        if self.since(DRAFT_6) and self.is_one_in(2):
            return {"const": self.chance.choice(VALUES)}
        values = self.chance.sample(VALUES, self.chance.randint(1, 4))
        typed = {"type": self.chance.choice(KINDS)} if self.is_one_in(4) else {}
        # Draft 3 and 4 want them to differ, and 1.0 is 1.
        return {**typed, "enum": [v for v in values if v is True or v != 1] or [1]}

    def reference(self, depth: int) -> Any:
        result: dict[str, Any] = {"$ref": f"#/{self.holder}/{self.chance.choice('nm')}"}
        if not self.is_one_in(3):
            return result
        beside = self.object(depth)
        return {**beside, **result} if isinstance(beside, dict) else result

    # -- objects --------------------------------------------------------------------------

    def object(self, depth: int) -> Any:
        declared = self.chance.sample(NAMES, self.chance.randint(0, 3))
        result: dict[str, Any] = {} if self.is_rare(6) else {"type": "object"}
        if self.is_one_in(6):
            result = {"type": ["object", "null"]}
        if declared or self.is_one_in(2):
            result["properties"] = {name: self.member(depth) for name in declared}
        self.require(result, declared)
        if self.is_one_in(2):
            result["additionalProperties"] = False
        elif self.is_one_in(3):
            result["additionalProperties"] = self.chance.choice((True, self.schema(depth - 1)))
        self.restrict(result, depth)
        return result

    def member(self, depth: int) -> Any:
        return self.all_or_nothing() if self.is_one_in(8) else self.schema(depth - 1)

    def require(self, result: dict[str, Any], declared: list[str]) -> None:
        """Require some properties, declared or not."""
        if self.age == 0:  # each property declares it
            for member in result.get("properties", {}).values():
                if isinstance(member, dict) and self.is_one_in(3):
                    member["required"] = True
            return
        rest = [name for name in NAMES[:4] if name not in declared]
        required = [name for name in declared if self.is_one_in(2)]
        required += self.chance.sample(rest, 1) if rest and self.is_one_in(4) else []
        if required or (self.age > 1 and self.is_one_in(6)):
            result["required"] = required

    def restrict(self, result: dict[str, Any], depth: int) -> None:
        """Sometimes add the rarer keywords of objects."""
        if self.is_rare(6):
            result["patternProperties"] = {"^a": self.schema(depth - 1)}
        if self.age and self.is_rare(6):
            result |= self.chance.choice(({"minProperties": 1}, {"maxProperties": 1}))
        if self.since(DRAFT_6) and self.is_rare(6):
            result["propertyNames"] = {"maxLength": 1}
        if self.is_rare(6):
            result["dependencies"] = {"a": self.chance.choice((["b"], self.object(depth - 1)))}
        if self.since(DRAFT_2019) and self.is_rare(6):
            result["dependentRequired"] = {"a": ["c"]}
        if self.since(DRAFT_2019) and self.is_rare(4):
            result["unevaluatedProperties"] = False
        if self.since(DRAFT_7) and self.is_rare(8):
            result |= {"if": {"required": ["a"]}, "then": {"required": ["b"]}}

    # -- arrays ---------------------------------------------------------------------------

    def array(self, depth: int) -> Any:
        result: dict[str, Any] = {"type": ["array", "null"] if self.is_one_in(6) else "array"}
        if self.is_one_in(3):
            self.places(result, depth)
        else:
            result["items"] = self.schema(depth)
        if self.is_one_in(3):
            result |= self.chance.choice(({"minItems": 1}, {"maxItems": 1}, {"minItems": 2}))
        if self.is_rare(4):
            result["uniqueItems"] = True
        if self.since(DRAFT_6) and self.is_rare(4):
            result["contains"] = self.schema(0)
        return result

    def places(self, result: dict[str, Any], depth: int) -> None:
        """Give each array position its own schema, with the keywords of the dialect."""
        listed = [self.schema(depth) for _ in range(self.chance.randint(1, 2))]
        new = self.since(DRAFT_2020)
        rest = self.chance.choice((None, False, self.schema(depth - 1)))
        if rest is False and self.age < 1 and new:
            rest = None
        result["prefixItems" if new else "items"] = listed
        if rest is not None and (self.age > 2 or not (new and rest is False)):
            result["items" if new else "additionalItems"] = rest
        if self.is_one_in(2):
            result |= {"minItems": len(listed), "maxItems": len(listed)}

    # -- several schemas of one value -----------------------------------------------------

    def union(self, depth: int) -> Any:
        keyword = "anyOf" if self.is_one_in(2) else "oneOf"
        branches = [self.schema(depth) for _ in range(self.chance.randint(1, 3))]
        if self.is_one_in(3):
            branches.append({"type": "null"})
        return self.merge_object({keyword: branches}, depth)

    def tagged_union(self, depth: int) -> Any:
        branches: list[Any] = []
        for tag in self.chance.sample(("a", "b", "c", 1, True), 2):
            branch = self.object(depth)
            if not isinstance(branch, dict):
                continue
            fixed = {"const": tag} if self.age > 1 else {"enum": [tag]}
            branch["properties"] = {**branch.get("properties", {}), "kind": fixed}
            if self.age:
                branch["required"] = sorted({*branch.get("required", []), "kind"})
            branches.append(branch)
        return self.merge_object({"oneOf": branches}, depth)

    def parts(self, depth: int) -> Any:
        """Combine several subschemas for one value. Closed ones don't see each other's
        properties.
        """
        makers = (self.object, self.object, self.object, self.schema, self.reference)
        keyword = "allOf" if self.age else "extends"
        branches = [self.chance.choice(makers)(depth) for _ in range(self.chance.randint(1, 3))]
        return self.merge_object({keyword: branches}, depth)

    def merge_object(self, result: dict[str, Any], depth: int) -> Any:
        if not self.is_one_in(3):
            return result
        other = self.object(depth)
        return {**other, **result} if isinstance(other, dict) else result

    def stray(self, result: Any) -> Any:
        """Add a keyword for another type of value, or of another dialect."""
        if not isinstance(result, dict):
            return result
        strays: list[dict[str, Any]] = [
            {"minLength": 2},
            {"minimum": 1},
            {"minItems": 1},
            {"prefixItems": [{"type": "string"}]},
            {"additionalItems": False},
            {"const": "a"},
            {"dependentRequired": {"a": ["c"]}},
            {"not": {"type": "string"}},
            {"nullable": True},
            {"title": "T"},
        ]
        return {**self.chance.choice(strays), **result}
