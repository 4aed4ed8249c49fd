"""Names of classes stay the same when other tools are added or removed."""

from __future__ import annotations

import ast
from dataclasses import replace

import mcpgen_runtime
import pytest
from paths import ROOT
from shared_classes import (
    ALL,
    SERVERS,
    TEXT,
    item,
    make_contract,
    meanings,
    needs_corpus,
    parts,
    record,
    sides,
    titled_contract,
)

from mcpgen.codegen import naming, reserved_names
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.plan import pin
from mcpgen.codegen.plan.sharing import Groups, Types, kept_classes
from mcpgen.codegen.plan.tool_types import (
    Sides,
)
from mcpgen.contract.document import Contract, read

EVERY = 1 if ALL else 9
"""How many tools of a server are passed over for one that is left out."""


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


def test_result_title_of_several_tools_names_their_class() -> None:
    files = generate(titled_contract({"search": "Quote", "news": "Quote"}), Options()).files
    assert "class Quote(" in files["models/shared.py"]
    assert ") -> models.SearchOutput" in files["client.py"]
    assert "SearchOutput: TypeAlias = Quote" in files["models/search.py"]
