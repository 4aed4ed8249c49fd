"""Types that differ only in descriptions share one class. Tool names don't depend on other
tools.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import mcpgen_runtime
import pytest
from checkers import slug
from paths import CORPUS, ROOT

from mcpgen.codegen import naming, reserved_names
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.plan import Style, pin
from mcpgen.codegen.plan.sharing import Groups, Types, kept_classes
from mcpgen.codegen.plan.tool_types import (
    RESULT,
    SchemaLocation,
    Sides,
    ToolType,
    arguments,
    result,
)
from mcpgen.compare import compare
from mcpgen.contract import definitions as api
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads
from mcpgen.schemas.types.nodes import (
    Definition,
    Member,
    Node,
    Record,
    Reference,
    Scalar,
    Sequence,
    union,
)
from mcpgen.schemas.types.sharing import equal

SERVERS = sorted(path.stem for path in (CORPUS / "live").glob("*.json"))
ALL = "MCPGEN_ALL" in os.environ
EVERY = 1 if ALL else 9
"""How many tools of a server are passed over for one that is left out."""

needs_corpus = pytest.mark.skipif(not SERVERS, reason=f"no recorded servers in {CORPUS}")

ROUNDS = 30
"""How deep types are compared where they are compared one by one."""


# An independent way to find equal types: compare their contents to a limited depth.


def looks(definitions: Mapping[str, Definition], rounds: int = ROUNDS) -> dict[str, int]:
    """Return a number for each definition, equal for definitions that differ only in
    descriptions.
    """
    numbers = dict.fromkeys(definitions, 0)
    for _ in range(rounds):
        numbers = {
            at: hash(body(definition.body, numbers)) for at, definition in definitions.items()
        }
    return numbers


def body(what: Record | Node, numbers: Mapping[str, int]) -> str:
    if isinstance(what, Record):
        members = [(m.wire, m.required, m.facts, node(m.node, numbers)) for m in what.members]
        return repr((what.closed, members))
    return node(what, numbers)


def node(what: Node, numbers: Mapping[str, int]) -> str:
    text = repr(what)
    for pointer in sorted(numbers, key=len, reverse=True):
        text = text.replace(f"Reference(pointer={pointer!r})", f"<{numbers[pointer]}>")
    return text


@cache
def contract(server: str) -> Contract:
    return read(loads((CORPUS / "live" / f"{server}.json").read_bytes()))


@cache
def sides(server: str) -> Sides:
    new_contract = contract(server)
    names = naming.methods(new_contract.tools, new_contract.names)
    tools = api.read(new_contract).tools
    return {t.name: (arguments(t, names[t.name]), result(t, names[t.name])) for t in tools}


def parts(value: Sides) -> Iterator[tuple[SchemaLocation, ToolType]]:
    """Yield every definition of the schemas of tools."""
    for tool, both in value.items():
        for key, tool_type in zip(("inputSchema", "outputSchema"), both, strict=True):
            for pointer in tool_type.inferred.definitions if tool_type else ():
                assert tool_type is not None
                yield SchemaLocation(tool, key, pointer), tool_type


@cache
def meanings(server: str) -> dict[SchemaLocation, tuple[str, int]]:
    """Return the identity of each definition of a server. Equal definitions have equal
    identities.
    """
    numbers: dict[int, dict[str, int]] = {}
    results: dict[SchemaLocation, tuple[str, int]] = {}
    for location, tool_type in parts(sides(server)):
        if id(tool_type) not in numbers:
            numbers[id(tool_type)] = looks(tool_type.inferred.definitions)
        results[location] = location.key, numbers[id(tool_type)][location.pointer]
    return results


# Generated modules


def resolve_names(files: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return the class behind each name in each models module, as `module.Class`."""
    resolved: dict[tuple[str, str], str] = {}
    modules = {p: t for p, t in files.items() if p.startswith("models/") and "__init__" not in p}
    # Split-off modules come before their origin, shared modules before those of tools.
    for path in sorted(modules, key=lambda p: ("shared" not in p, "_parts" not in p, p)):
        module = Path(path).stem
        for statement in ast.parse(files[path]).body:
            source = str(getattr(statement, "module", "")).rpartition(".")[2]
            if isinstance(statement, ast.ImportFrom) and source.startswith("shared"):
                for alias in statement.names:
                    resolved[module, alias.name] = resolved[source, alias.name]
            elif isinstance(statement, ast.ClassDef):
                resolved[module, statement.name] = f"{module}.{statement.name}"
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                name, value = assignment(statement)
                is_alias = isinstance(value, ast.Name) and (module, value.id) in resolved
                resolved[module, name] = (
                    resolved[module, ast.unparse(value)] if is_alias else f"{module}.{name}"
                )
    return resolved


def assignment(statement: ast.Assign | ast.AnnAssign) -> tuple[str, ast.expr]:
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    assert isinstance(target, ast.Name)
    assert statement.value is not None
    return target.id, statement.value


@pytest.mark.sampled(2)
@needs_corpus
@pytest.mark.parametrize("style", STYLES if ALL else STYLES[:1])
@pytest.mark.parametrize("server", SERVERS)
def test_nested_classes_are_distinct_and_have_one_type(server: str, style: Style) -> None:
    files = generate(contract(server), Options(name=slug(server), style=style)).files
    names = naming.methods(contract(server).tools, contract(server).names)
    resolved = resolve_names(files)
    classes: dict[tuple[str, int], set[str]] = {}
    types: dict[str, set[tuple[str, int]]] = {}
    for location, tool_type in parts(sides(server)):
        own = resolved[naming.module(names[location.tool]), tool_type.names[location.pointer]]
        types.setdefault(own, set()).add(meanings(server)[location])
        if location.pointer:
            classes.setdefault(meanings(server)[location], set()).add(own)
    assert next((own for own, expected in types.items() if len(expected) > 1), "") == ""
    assert next((entry for entry in classes.values() if len(entry) > 1), set()) == set()


# Names, when a tool goes or comes


def names_of(types: Types, server: str) -> dict[str, tuple[str, int]]:
    """Return the identity of each shared type, by its name in the package."""
    expected = meanings(server)
    titles = {name: expected[entry] for entry, name in types.titles.items()}
    return titles | {
        name: expected[type_.locations[0]]
        for type_ in types.types
        if type_.is_shared
        for name in type_.names
    }


def owners(types: Types) -> dict[str, set[str]]:
    """Return the tools whose schemas name a shared type."""
    results: dict[str, set[str]] = {}
    results.update({name: {entry.tool} for entry, name in types.titles.items()})
    for type_ in types.types:
        for entry in type_.locations if type_.is_shared else ():
            tool_type = types.side(entry)
            text = tool_type.schema_names.get(entry.pointer, "")
            name = naming.shared_class(text, arguments=tool_type.arguments) if text else ""
            results.setdefault(name, set()).add(entry.tool)
            results.setdefault(tool_type.names[entry.pointer], set()).add(entry.tool)
    return results


@pytest.mark.sampled(3)
@needs_corpus
@pytest.mark.parametrize("server", SERVERS)
def test_no_name_changes_when_a_tool_goes_or_comes(server: str) -> None:
    every = sides(server)
    whole = Groups.from_sides(every)
    with_all = whole.with_names({})
    before = names_of(with_all, server)
    said_by = owners(with_all)
    for gone in sorted(every)[::EVERY]:
        rest = Groups.from_sides({tool: both for tool, both in every.items() if tool != gone})
        without = rest.with_names({})
        after = names_of(without, server)
        for name, meaning in before.items():
            if said_by[name] != {gone}:
                # A tool's own name is defined in its own module, whatever the shared module
                # contains.
                is_own = name not in after and name in own_names(every, gone)
                assert is_own or after[name] == meaning, (name, gone)
        pins = kept_classes(without, whole, {})
        again = names_of(whole.with_names(pins), server)
        assert {name: again.get(name) for name in after} == after, gone


def own_names(value: Sides, gone: str) -> set[str]:
    return {tool_type.names[p.pointer] for p, tool_type in parts(value) if p.tool != gone}


# Pins

TEXT: Json = {"type": "string"}


def record(**members: Json) -> Json:
    return {"type": "object", "properties": members, "required": sorted(members)}


def item(**members: Json) -> Json:
    """Return the schema of a result with an ``Item``."""
    item_record = record(item={"$ref": "#/$defs/Item"})
    return {**item_record, "$defs": {"Item": record(**members)}}


def make_contract(inputs: Mapping[str, Json] = {}, **outputs: Json) -> Contract:
    free: Json = {"type": "object"}
    tools: dict[str, Json] = {
        name: {"name": name, "inputSchema": inputs.get(name, free)} for name in inputs
    }
    for name, schema in outputs.items():
        tools.setdefault(name, {"name": name, "inputSchema": free})["outputSchema"] = schema
    return Contract(tools=tools)


def class_of(recorded_contract: Contract, name: str) -> str:
    """Return the source of a class in the shared module, or `""` if it isn't there."""
    files = generate(recorded_contract, Options(name="made")).files
    tree = ast.parse(files.get("models/shared.py", ""))
    classes = {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.ClassDef)}
    return classes.get(name, "")


def test_existing_class_keeps_its_name_against_new_tools() -> None:
    old = make_contract(get=item(id=TEXT), list=item(id=TEXT))
    new = make_contract(get=item(id=TEXT), list=item(id=TEXT), find=item(score=TEXT))
    assert "id: str" in class_of(old, "Item")
    assert class_of(new, "Item") == ""
    pinned = pin(old, new)
    assert pinned.classes == {"Item": "/tools/get/outputSchema/$defs/Item"}
    assert class_of(pinned, "Item") == class_of(old, "Item")
    assert read(pinned.document()) == pinned
    assert pin(pinned, new).classes == pinned.classes
    # The pinned tool is removed, and another tool still has the class.
    later = pin(pinned, make_contract(list=item(id=TEXT), find=item(score=TEXT)))
    assert later.classes == {"Item": "/tools/list/outputSchema/$defs/Item"}
    assert class_of(later, "Item") == class_of(old, "Item")
    # No tool has the class.
    assert pin(later, make_contract(find=item(score=TEXT))).classes == {}


def test_unaffected_names_are_not_pinned() -> None:
    old = make_contract(get=item(id=TEXT))
    new = make_contract(get=item(id=TEXT), list=item(id=TEXT))
    assert pin(old, new).classes == {}
    assert "classes" not in pin(old, new).document()


def test_unnamed_class_keeps_the_name_of_its_first_tool() -> None:
    part = {"output": record(part=record(id=TEXT))}
    old = make_contract(b=part["output"], c=part["output"])
    new = make_contract(a=part["output"], b=part["output"], c=part["output"])
    assert class_of(old, "BOutputPart") != ""
    assert class_of(new, "AOutputPart") != ""
    assert class_of(pin(old, new), "BOutputPart") == class_of(old, "BOutputPart")


def test_new_tool_does_not_take_over_a_class_name() -> None:
    value = record(issue={"$ref": "#/$defs/IssueCreateInput"})
    put = {**value, "$defs": {"IssueCreateInput": record(title=TEXT)}}
    old = make_contract({"put": put})
    new = make_contract({"put": put, "issue_create": record(name=TEXT)})
    pinned = pin(old, new)
    assert class_of(pinned, "IssueCreateInput") == class_of(old, "IssueCreateInput") != ""
    files = generate(pinned, Options(name="made")).files
    assert "class IssueCreateInput_" in files["models/issue_create.py"]


@pytest.mark.parametrize(
    "name", ["str", "Field", "__all__", "x y", "import os", "Client", "_Item", "I\u200btem", ""]
)
def test_invalid_class_pin_is_ignored(name: str) -> None:
    old = make_contract(get=item(id=TEXT))
    odd = replace(old, classes={name: "/tools/get/outputSchema/$defs/Item"})
    assert class_of(odd, "Item") == class_of(old, "Item") != ""


def test_shared_classes_do_not_shadow_package_names() -> None:
    reserved = set(mcpgen_runtime.__all__)
    for style in STYLES:
        suffix = "" if style == "dataclass" else f"-{style}"
        for path in (ROOT / "golden" / f"fields{suffix}" / "expected").rglob("models/*.py"):
            tree = ast.parse(path.read_text("utf-8"))
            lines = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
            reserved |= {a.name for node in lines if node.module != "shared" for a in node.names}
    classes = {name for name in reserved if name[:1].isupper() and name != "TYPE_CHECKING"}
    assert len(classes) > 40
    assert classes <= reserved_names.CLASSES


# Reports of diff


def rules(old: Contract, new: Contract) -> dict[str, set[tuple[str, str, str]]]:
    results: dict[str, set[tuple[str, str, str]]] = {}
    for change in compare(old, new):
        values = str(change.old), str(change.new)
        results.setdefault(change.rule, set()).add((change.subject, *values))
    return results


def test_renaming_a_shared_class_is_a_change() -> None:
    old = make_contract(get=item(id=TEXT), list=item(id=TEXT))
    new = make_contract(get=item(id=TEXT), list=item(id=TEXT), find=item(score=TEXT))
    assert rules(old, new)["O25"] == {
        ("tool get", "Item", "GetOutputItem"),
        ("tool list", "Item", "GetOutputItem"),
    }
    assert "O25" not in rules(old, pin(old, new))


def test_sharing_a_class_under_its_name_is_compatible() -> None:
    recorded_contract = make_contract(get=item(id=TEXT))
    two = make_contract(get=item(id=TEXT), list=item(id=TEXT))
    assert rules(recorded_contract, two).keys() == {"T02"}
    assert rules(two, recorded_contract).keys() == {"T01"}


def test_losing_a_matching_argument_type_is_a_change() -> None:
    put = {"put": {**item(id=TEXT)}}
    number: Json = {"type": "integer"}
    old = make_contract(put, get=item(id=TEXT))
    assert rules(old, make_contract(put, get=item(id=TEXT), more=item(id=TEXT))).keys() == {"T02"}
    changed = rules(old, make_contract(put, get=item(id=number)))
    assert ("tool put", "Item | ItemInput", "ItemInput") in changed["I30"]


# Which types are one


def random_definitions(random: Random, size: int) -> dict[str, Definition]:
    """Return definitions that refer to each other, many of them equal."""
    results: dict[str, Definition] = {}
    for n in range(size):
        members = tuple(
            Member(wire, made_node(random, size), random.random() < 0.5, f"text {random.random()}")
            for wire in "ab"[: random.randint(0, 2)]
        )
        what: Record | Node = Record(members, closed=random.random() < 0.2)
        if random.random() < 0.2:
            what = Sequence(made_node(random, size))
        results[f"/{n}"] = Definition(f"/{n}", what, f"text {n}", "", exact=True)
    return results


def made_node(random: Random, size: int) -> Node:
    if random.random() < 0.2:
        return Scalar(random.choice(["string", "integer"]))
    reference = Reference(f"/{random.randrange(size)}")
    return reference if random.random() < 0.7 else union([reference, Scalar("null")])


@pytest.mark.parametrize("seed", range(60))
def test_types_are_one_where_nothing_tells_them_apart(seed: int) -> None:
    random = Random(seed)
    schemas = [
        random_definitions(random, random.randint(1, 8)) for _ in range(random.randint(1, 3))
    ]
    results = equal([("", schema) for schema in schemas])
    calls = [looks(schema) for schema in schemas]
    expected: dict[int, set[tuple[int, str]]] = {}
    for n, numbers in enumerate(calls):
        for pointer, number in numbers.items():
            expected.setdefault(number, set()).add((n, pointer))
    assert sorted(map(sorted, results)) == sorted(map(sorted, expected.values()))


@pytest.mark.slow
def test_comparing_a_long_chain_takes_linear_time() -> None:
    size = 20_000
    chain = {
        f"/{n}": Definition(
            f"/{n}",
            Record((Member("a", Reference(f"/{max(n - 1, 0)}"), True),), False),
            "",
            "",
            True,
        )
        for n in range(size)
    }
    assert len(equal([("", chain)])) == 1  # each leads to the next, for ever
    chain["/0"] = Definition("/0", Scalar("string"), "", "", exact=True)
    assert len(equal([("", chain)])) == size


def titled_contract(titles: Mapping[str, str]) -> Contract:
    """Return a contract whose tools return equal objects, titled as FastMCP does."""
    result = {"type": "object", "properties": {"price": {"type": "number"}}}
    return read(
        {
            "tools": [
                {
                    "name": tool,
                    "inputSchema": {"type": "object"},
                    "outputSchema": {**result, "title": title},
                }
                for tool, title in titles.items()
            ]
        }
    )


def test_method_returns_a_class_of_its_own_tool() -> None:
    files = generate(
        titled_contract({"search": "estimatesOutput", "news": "newsOutput"}), Options()
    ).files
    assert ") -> models.SearchOutput" in files["client.py"]
    assert ") -> models.NewsOutput" in files["client.py"]
    assert "class SearchOutput(" in files["models/search.py"]
    assert "\nEstimatesOutput: TypeAlias = SearchOutput" in files["models/search.py"]


def test_result_title_of_several_tools_names_their_class() -> None:
    files = generate(titled_contract({"search": "Quote", "news": "Quote"}), Options()).files
    assert "class Quote(" in files["models/shared.py"]
    assert ") -> models.SearchOutput" in files["client.py"]
    assert "SearchOutput: TypeAlias = Quote" in files["models/search.py"]


@needs_corpus
@pytest.mark.parametrize("server", SERVERS)
def test_every_method_returns_its_own_name(server: str) -> None:
    types = Groups.from_sides(sides(server)).with_names({})
    for tool, (_, own) in types.types_by_tool.items():
        if own is not None:
            assert types.known_as(SchemaLocation(tool, RESULT, "")) == own.names[""]
