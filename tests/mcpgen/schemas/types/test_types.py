"""Types are as precise as schemas allow. `Any` appears only for unconstrained schemas."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

import pytest
from checkers import write
from hard_schemas import DRAFT_7, TEXT, WHOLE, items, record, tagged_record
from paths import CORPUS, HAS_LARGE_CORPUS

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.codegen.plan import models
from mcpgen.codegen.plan.package import Alias, Class
from mcpgen.codegen.plan.sharing import share
from mcpgen.codegen.plan.tool_types import result
from mcpgen.contract.definitions import Tool, parse
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, is_array, is_object, loads
from mcpgen.schemas.types import InferredType, Record, infer
from mcpgen.schemas.types.nodes import Anything, Node, Reference, children
from mcpgen.schemas.types.resolution import asserts
from mcpgen.schemas.validation import references as places

NOTHING: Json = {"type": "null"}
PART: Json = {"n": record(a=WHOLE)}
LONG: Json = {"enum": [f"the value of number {n}" for n in range(5)]}

EXPECTED: list[tuple[Json, str]] = [
    # Unconstrained and unsatisfiable schemas
    ({}, "Any"),
    (True, "Any"),
    ({"description": "said", "title": "T", "default": 3}, "Any"),
    ({"format": "date"}, "Any"),
    (False, "Nothing"),
    ({"enum": []}, "Nothing"),
    # Kinds
    (TEXT, "str"),
    (WHOLE, "Integer"),
    ({"type": "number"}, "Number"),
    ({"type": "boolean"}, "Boolean"),
    (NOTHING, "None"),
    ({"type": "array"}, "list[Any]"),
    ({"type": "object"}, "dict[str, Any]"),
    ({"type": ["string", "integer"]}, "str | Integer"),
    ({"type": ["null", "string"]}, "str | None"),
    ({"type": "string", "nullable": True}, "str"),
    ({"type": "integer", "format": "int64", "default": 3}, "Integer"),
    # Bounds
    ({"type": "integer", "minimum": 1, "maximum": 5}, "Annotated[int, Field(ge=1, le=5), Whole()]"),
    ({"type": "integer", "minimum": 0.5}, "Annotated[int, Field(ge=1), Whole()]"),
    ({"type": "integer", "multipleOf": 5}, "Annotated[int, Field(multiple_of=5), Whole()]"),
    ({"type": "number", "exclusiveMinimum": 0}, "Annotated[float, Field(gt=0), Numeric()]"),
    ({"type": "number", "multipleOf": 0.5}, "Number"),
    ({"type": "string", "minLength": 1}, "Annotated[str, Field(min_length=1)]"),
    ({"type": "string", "pattern": "^a"}, "str"),
    ({"type": "string", "not": {"const": "a"}}, "str"),
    # Formats
    ({"type": "string", "format": "date"}, "DateOrText"),
    ({"type": "string", "format": "date-time"}, "DateTimeOrText"),
    ({"type": "string", "format": "uuid"}, "UuidOrText"),
    ({"type": "string", "format": "uri"}, "Uri"),
    ({"type": "string", "format": "email"}, "str"),
    ({"type": ["string", "null"], "format": "date"}, "DateOrText | None"),
    # Choices
    ({"enum": ["a", "b"]}, 'Literal["a", "b"]'),
    ({"type": "string", "enum": [1, "a"]}, 'Literal["a"]'),
    ({"enum": [1, 2]}, "Annotated[Literal[1, 2], Exactly()]"),
    ({"enum": ["a", None]}, 'Literal["a"] | None'),
    ({"enum": ["a", 1, True, None]}, 'Annotated[Literal["a", 1, True], Exactly()] | None'),
    ({"enum": [0.5, 1.5]}, "Number"),
    ({"const": "a"}, 'Literal["a"]'),
    ({"const": None}, "None"),
    ({"const": {"a": 1}}, "dict[str, Any]"),
    ({"anyOf": [{"enum": ["auto"]}, TEXT]}, 'Literal["auto"] | str'),
    ({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, 'Literal["a", "b"]'),
    (LONG, "TOutputValue"),
    # Alternatives
    ({"anyOf": [WHOLE, NOTHING]}, "Integer | None"),
    ({"oneOf": [NOTHING, TEXT]}, "str | None"),
    ({"anyOf": [{"anyOf": [TEXT, NOTHING]}, WHOLE]}, "str | Integer | None"),
    ({"anyOf": [TEXT, TEXT]}, "str"),
    ({"anyOf": [TEXT, items(TEXT)]}, "str | list[str]"),
    ({"anyOf": [TEXT, {}]}, "Any"),
    ({"type": "string", "anyOf": [{"minLength": 3}, {"const": "a"}]}, "str"),
    # Maps
    ({"type": "object", "additionalProperties": WHOLE}, "dict[str, Integer]"),
    ({"type": "object", "additionalProperties": items(TEXT)}, "dict[str, list[str]]"),
    (
        {"type": "object", "additionalProperties": {"type": ["integer", "null"]}},
        "dict[str, Integer | None]",
    ),
    ({"type": "object", "additionalProperties": True}, "dict[str, Any]"),
    ({"type": "object", "patternProperties": {"^x": WHOLE}}, "dict[str, Any]"),
    # Arrays
    (items(TEXT), "list[str]"),
    (items(items(WHOLE)), "list[list[Integer]]"),
    (items({"type": ["string", "null"]}), "list[str | None]"),
    (
        items(TEXT, minItems=1, maxItems=3),
        "Annotated[list[str], Field(min_length=1, max_length=3)]",
    ),
    (items(TEXT, uniqueItems=True), "list[str]"),
    (items(False), "list[Nothing]"),
    (
        {"type": "array", "prefixItems": [TEXT, WHOLE], "items": False, "minItems": 2},
        "tuple[str, Integer]",
    ),
    (
        {"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 2, "maxItems": 2},
        "tuple[str, Integer]",
    ),
    ({"type": "array", "prefixItems": [TEXT, WHOLE], "items": False}, "list[str | Integer]"),
    ({"type": "array", "prefixItems": [TEXT, WHOLE]}, "list[Any]"),
    (
        {
            "$schema": DRAFT_7,
            "type": "array",
            "items": [TEXT, WHOLE],
            "additionalItems": False,
            "minItems": 2,
        },
        "tuple[str, Integer]",
    ),
    # Objects
    (record("a", a=WHOLE, b=TEXT), "TOutputValue(a: Integer, b: Maybe[str])"),
    ({**record(a=WHOLE), "additionalProperties": False}, "TOutputValue(a: Maybe[Integer], closed)"),
    ({"type": "object", "additionalProperties": False}, "TOutputValue(closed)"),
    ({**record("a", a=TEXT), "additionalProperties": WHOLE}, "TOutputValue(a: str)"),
    ({"properties": {"a": WHOLE}}, "TOutputValue(a: Maybe[Integer])"),
    ({"type": "object", "required": ["a"]}, "TOutputValue(a: Any)"),
    (record("a", a={"type": ["integer", "null"]}), "TOutputValue(a: Integer | None)"),
    (record(a={"type": ["integer", "null"]}), "TOutputValue(a: Integer | None)"),
    ({"type": ["object", "null"], "properties": {"a": WHOLE}}, "TOutputValue | None"),
    (items(record("a", a=WHOLE)), "list[TOutputValueItem]"),
    # Parts that hold together
    ({"allOf": [record("a", a=WHOLE), record("b", b=TEXT)]}, "TOutputValue(a: Integer, b: str)"),
    ({"allOf": [{"type": "number"}, {"minimum": 3}]}, "Annotated[float, Field(ge=3), Numeric()]"),
    ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, "Integer"),
    ({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, 'Literal["b"]'),
    ({"allOf": [{"$ref": "#/$defs/n"}], "description": "said"}, "TOutputN(a: Maybe[Integer])"),
    (
        {"type": "object", "properties": {"b": TEXT}, "allOf": [{"$ref": "#/$defs/n"}]},
        "TOutputValue(b: Maybe[str], a: Maybe[Integer])",
    ),
    # References
    ({"$ref": "#/$defs/n"}, "TOutputN(a: Maybe[Integer])"),
    ({"anyOf": [{"$ref": "#/$defs/n"}, NOTHING]}, "TOutputN | None"),
    ({"$ref": "#/$defs/some", "maximum": 3}, "Annotated[int, Field(ge=1, le=3), Whole()]"),
    ({"$ref": "#/$defs/tree"}, "TOutputTree(next: Maybe[TOutputTree])"),
    ({"$ref": "#/$defs/list"}, "TOutputList = list[Integer | TOutputList]"),
    ({"$ref": "#named"}, "Boolean"),
    # Records told apart
    (
        {"oneOf": [tagged_record("a"), tagged_record("b")]},
        'Annotated[TOutputValueA | TOutputValueB, Field(discriminator="kind")]',
    ),
    (
        {"anyOf": [tagged_record("a"), tagged_record("b"), NOTHING]},
        'Annotated[TOutputValueA | TOutputValueB, Field(discriminator="kind")] | None',
    ),
    (
        {"oneOf": [{"$ref": "#/$defs/p"}, {"$ref": "#/$defs/q"}]},
        'Annotated[TOutputP | TOutputQ, Field(discriminator="kind")]',
    ),
    (
        {
            "type": "object",
            "properties": {"id": WHOLE},
            "oneOf": [tagged_record("a"), tagged_record("b")],
        },
        'Annotated[TOutputValueA | TOutputValueB, Field(discriminator="kind")]',
    ),
    (
        {"type": "object", "anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/p"}]},
        "TOutputN | TOutputP",
    ),
    (
        {**record(a=WHOLE, b=WHOLE), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        "TOutputValue(a: Maybe[Integer], b: Maybe[Integer])",
    ),
]
DEFINITIONS: Json = {
    **PART,
    "some": {"type": "integer", "minimum": 1},
    "tree": record(next={"$ref": "#/$defs/tree"}),
    "list": items({"anyOf": [WHOLE, {"$ref": "#/$defs/list"}]}),
    "named": {"$anchor": "named", "type": "boolean"},
    "p": tagged_record("p", x=WHOLE),
    "q": tagged_record("q"),
}


@pytest.mark.parametrize(("schema", "expected"), EXPECTED, ids=lambda value: f"{value!s:.80}")
def test_a_small_schema_has_the_expected_annotation(schema: Json, expected: str) -> None:
    assert annotation(schema) == expected


def annotation(schema: Json) -> str:
    """Return the type annotation of a required result property, and the fields of its class."""
    root = {**record("value", value=schema), "$defs": DEFINITIONS}
    if is_object(schema) and "$schema" in schema:
        root["$schema"] = schema["$schema"]
    tool = {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": root}
    (results,) = parse(Contract(tools={"t": tool})).tools
    tool_type = result(results, "t")
    assert tool_type is not None
    own = replace(tool_type, schema_names={})  # keeps all definitions in the tool's own module
    module = models.module(results, "t", share({"t": (None, own)}, {}), "dataclass")
    *nested, whole = module.definitions
    assert isinstance(whole, Class)
    (value,) = whole.fields
    return next((describe(d) for d in nested if d.name == value.annotation), value.annotation)


def describe(definition: Class | Alias) -> str:
    if isinstance(definition, Alias):
        is_long = definition.annotation.startswith("Literal")
        return definition.name if is_long else f"{definition.name} = {definition.annotation}"
    fields = [f"{field.name}: {field.annotation}" for field in definition.fields]
    return f"{definition.name}({', '.join([*fields, *['closed'] * definition.closed])})"


# Over the corpus


@dataclass
class Census:
    """Fields and parameters of all recorded servers, and the reasons for ``Any`` in them."""

    fields: int = 0
    plain: int = 0
    alone: Counter[str] = field(default_factory=Counter)
    within: Counter[str] = field(default_factory=Counter)
    avoidable: list[str] = field(default_factory=list)

    def note(
        self, where: str, node: Node, inferred_type: InferredType, schemas: list[Json], root: Json
    ) -> None:
        self.fields += 1
        if not holds_any(node, inferred_type, frozenset()):
            return
        reason = next(
            (r for subschema in schemas for r in reasons(subschema, root, frozenset())), ""
        )
        if not reason:
            self.avoidable.append(f"{where}: {schemas}")
        elif isinstance(node, Anything):
            self.alone[reason] += 1
        else:
            self.within[reason] += 1

    def __str__(self) -> str:
        alone, within = sorted(self.alone.items()), sorted(self.within.items())
        lines = [
            f"corpus: {self.fields} fields and parameters",
            *(f"  Any, as {why}: {self.share(count)}" for why, count in alone),
            *(
                f"  a list, map or union of Any, as {why}: {self.share(count)}"
                for why, count in within
            ),
            f"  schemas left as plain JSON: {self.plain}",
            f"  avoidable: {len(self.avoidable)}",
        ]
        return "\n".join([*lines, *(f"    {where}" for where in self.avoidable)])

    def share(self, count: int) -> str:
        return f"{count} ({count / self.fields:.2%})"


@pytest.mark.slow
@pytest.mark.skipif(
    not HAS_LARGE_CORPUS, reason="its counts are of the large corpus: MCPGEN_CORPUS"
)
def test_any_stands_only_where_a_recorded_schema_says_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    census = Census()
    for path in sorted((CORPUS / "live").glob("*.json")):
        api = parse(read(loads(path.read_bytes())))
        census.plain += sum(
            notice.kind in ("no input schema", "no schema") for notice in api.notices
        )
        for tool in api.tools:
            count(census, f"{path.stem}: {tool.name}", tool)
    with capsys.disabled():
        print(f"\n{census}", file=sys.stderr)
    assert census.fields > 10_000
    assert census.avoidable == []


def count(census: Census, where: str, tool: Tool) -> None:
    for text, schema in (("inputSchema", tool.input), ("outputSchema", tool.output)):
        if schema is None:
            continue
        inferred_type = infer(schema.raw, schema.dialect, arguments=text == "inputSchema")
        for pointer, definition in inferred_type.definitions.items():
            members = definition.body.members if isinstance(definition.body, Record) else ()
            for member in members:
                locations = list(find_subschemas(schema.raw, pointer, member.wire))
                at = f"{where}, {text}{pointer}/{member.wire}"
                census.note(at, member.node, inferred_type, locations, schema.raw)


def holds_any(node: Node, inferred_type: InferredType, visited: frozenset[str]) -> bool:
    """Return True if an annotation, or an alias in it, contains `Any`."""
    if isinstance(node, Reference):
        body = inferred_type.definitions[node.pointer].body
        if isinstance(body, Record) or node.pointer in visited:
            return False
        return holds_any(body, inferred_type, visited | {node.pointer})
    return isinstance(node, Anything) or any(
        holds_any(c, inferred_type, visited) for c in children(node)
    )


def find_subschemas(root: Json, pointer: str, wire: str) -> Iterator[Json]:
    """Yield the subschemas of a property at a pointer. Without any, yield those of its parents."""
    pointer = pointer.replace("/&", "").replace("/|", "")
    while True:
        at = places.resolve(root, f"#{quote(pointer)}")
        results = list(_members(at[1], root, wire, frozenset())) if at else []
        if results or not pointer:
            yield from results or [{}]  # a required property without a schema accepts anything
            return
        pointer = pointer.rpartition("/")[0]


def _members(node: Json, root: Json, wire: str, visited: frozenset[int]) -> Iterator[Json]:
    if not is_object(node) or id(node) in visited:
        return
    properties = node.get("properties")
    if is_object(properties) and wire in properties:
        yield properties[wire]
    for part in parts(node, root):
        yield from _members(part, root, wire, visited | {id(node)})


def parts(node: dict[str, Json], root: Json) -> Iterator[Json]:
    """Yield the schemas that apply to the same value."""
    target = places.resolve(root, node["$ref"]) if isinstance(node.get("$ref"), str) else None
    if target is not None:
        yield target[1]
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from node.get(keyword, [])


SAYS_NOTHING = "the schema says nothing"
NO_ITEMS = "the schema says nothing of the items"
NO_MEMBERS = "the schema says nothing of the members"
NOT_ALONE = "the items beyond those with a place may be anything"


def reasons(schema: Json, root: Json, visited: frozenset[int]) -> Iterator[str]:
    """Yield the reasons for ``Any`` in the type of a schema."""
    if not is_object(schema) or not asserts(schema):
        yield from [SAYS_NOTHING] if schema is not False else []
        return
    if id(schema) in visited:
        return
    visited |= {id(schema)}
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    says_more = [part for part in parts(schema, root) if is_object(part)]
    if not kinds and not says_more and not {"enum", "const", "properties"} & schema.keys():
        yield "the schema names no type"
    if "array" in kinds and not {"items", "prefixItems"} & schema.keys() and not says_more:
        yield NO_ITEMS
    if "array" in kinds and "prefixItems" in schema and "items" not in schema:
        yield NOT_ALONE
    free = schema.get("additionalProperties", True)
    if "object" in kinds and not schema.get("properties") and free in (True, {}):
        yield NO_MEMBERS
    if any(is_array(value) or is_object(value) for value in schema.get("enum", [])):
        yield "no Python type holds one list or object alone"
    inner = [schema.get("items"), free, *(schema.get("prefixItems") or []), *says_more]
    for part in inner:
        if is_object(part):
            yield from reasons(part, root, visited)
        elif is_array(part):
            yield from (reason for item in part for reason in reasons(item, root, visited))


def test_nested_arrays_import_in_linear_time(tmp_path: Path) -> None:
    """Pydantic builds the item of a ``Sequence`` twice: 24 levels took minutes."""
    schema: dict[str, object] = {"type": "number"}
    for _ in range(24):
        schema = {"type": "array", "items": schema}
    tool = {"name": "deep", "inputSchema": {"type": "object", "properties": {"value": schema}}}
    files = generate(read({"tools": [tool]}), Options(name="deep_arrays")).files
    write(files, tmp_path / "deep_arrays")
    code = "from deep_arrays.models.deep import TOOL; TOOL.arguments"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=60)


@pytest.mark.parametrize("names", [{"type": "string"}, True, {}, {"description": "any"}])
def test_property_names_of_any_string_are_exact(names: object) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": names}
    dialect = "https://json-schema.org/draft/2020-12/schema"
    assert infer(schema, dialect, arguments=False).exact
    assert not infer({**schema, "propertyNames": {"pattern": "a"}}, dialect, arguments=False).exact
