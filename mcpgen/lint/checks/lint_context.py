"""The context of lint checks: a tool's definition and its usable schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mcpgen.contract.definitions import tools
from mcpgen.contract.document import Contract
from mcpgen.findings.lint import LintProblem
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import references

INPUT, OUTPUT = "/inputSchema", "/outputSchema"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SAYS_A_TYPE = frozenset("type enum const $ref $dynamicRef anyOf oneOf allOf not if".split())
_OF_CONDITIONS = re.compile(
    r"/(?:allOf|anyOf|oneOf)/\d+(?=/|$)|/(?:if|then|else|not|dependentSchemas)(?=/|$)"
)


@dataclass(frozen=True, slots=True)
class LintedTool:
    """A tool. Missing and invalid schemas are empty objects."""

    name: str
    raw: Mapping[str, Json]
    description: str
    input: Mapping[str, Json]
    output: Mapping[str, Json]
    has_output: bool
    annotations: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def arguments(self) -> dict[str, Json]:
        """The schemas of the arguments by name."""
        return members(self.input)

    @property
    def required_arguments(self) -> frozenset[str]:
        """Names of the required arguments."""
        return required_names(self.input)

    def violation(self, rule: str, pointer: str = "", detail: str = "") -> LintProblem:
        """Return a violation of a rule in the tool, or at a pointer in its definition."""
        return LintProblem(
            rule, f"tool {self.name}", f"/tools/{escape(self.name)}{pointer}", detail
        )

    def of_argument(self, rule: str, name: str, pointer: str = "", detail: str = "") -> LintProblem:
        """Return a violation of a rule by an argument, or at a pointer in its schema."""
        return self.violation(rule, f"{INPUT}/properties/{escape(name)}{pointer}", detail)


def linted_tools(contract: Contract) -> list[LintedTool]:
    """Return the tools of a contract."""
    return [
        LintedTool(
            name=tool.name,
            raw=contract.tools[name],
            description=tool.description.strip(),
            input=_object(tool.input.raw if tool.input else None),
            output=_object(tool.output.raw if tool.output else None),
            has_output="outputSchema" in contract.tools[name],
            annotations=tool.annotations,
        )
        for name, tool in tools(contract).items()
    ]


def _object(value: Json) -> Mapping[str, Json]:
    return value if is_object(value) else {}


def members(schema: Json) -> dict[str, Json]:
    """Return the schemas of an object's properties by name."""
    named = schema.get("properties") if is_object(schema) else None
    return named if is_object(named) else {}


def required_names(schema: Json) -> frozenset[str]:
    """Return the required properties of an object schema."""
    names = schema.get("required") if is_object(schema) else None
    return frozenset(n for n in names if isinstance(n, str)) if is_array(names) else frozenset()


def parts(schema: Json) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield the subschemas of a schema with their pointers, sorted by pointer."""
    yield from sorted(references.subschemas(schema), key=lambda part: part[0])


def is_condition(pointer: str) -> bool:
    """Return True if a subschema only adds constraints to a typed value."""
    return _OF_CONDITIONS.search(pointer) is not None


def types(schema: Mapping[str, Json]) -> list[Json]:
    """Return the types of a schema according to ``type``."""
    value = schema.get("type")
    return value if is_array(value) else [] if value is None else [value]


def is_untyped(schema: Json) -> bool:
    """Return True if a schema doesn't declare a type."""
    return schema is True or (is_object(schema) and _SAYS_A_TYPE.isdisjoint(schema))


def is_open(schema: Json) -> bool:
    """Return True for a schema of objects without any schema for their properties."""
    if not is_object(schema) or "object" not in types(schema):
        return False
    if members(schema) or schema.get("patternProperties"):
        return False
    combined = "anyOf oneOf allOf $ref if enum const".split()
    return schema.get("additionalProperties") in (None, True, {}) and not any(
        key in schema for key in combined
    )


def branches(schema: Json) -> list[Json]:
    """Return the branches of a union, or the schema itself."""
    for key in ("anyOf", "oneOf"):
        inner = schema.get(key) if is_object(schema) else None
        if is_array(inner):
            return [branch for value in inner for branch in branches(value)]
    return [schema]


def words(text: str) -> list[str]:
    """Return the lowercase words of a name or sentence."""
    return [token.casefold() for token in _WORD.findall(text)]
