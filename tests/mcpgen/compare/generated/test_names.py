"""Changes of the names in generated code, and of the classes that arguments accept."""

from __future__ import annotations

from shared_classes import (
    TEXT,
    item,
    make_contract,
)

from mcpgen.codegen.plan import pin
from mcpgen.compare import compare
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json


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
