"""Lists, searches and reads of changed entities."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks.entity import changes, defaults, references, search
from mcpgen.testing.checks.entity.kind import Kind

TEXT: Json = {"type": "string"}
SCHEMAS: dict[str, Json] = {
    "add_note": {"title": TEXT, "tags": {"type": "array"}},
    "get_note": {"note_id": TEXT},
    "edit_note": {"note_id": TEXT, "title": TEXT, "color": TEXT, "parent_id": TEXT},
    "list_notes": {"color": TEXT},
    "find_notes": {"text": TEXT},
}


class Lab:
    """A server of notes. A ``stale`` one lists and finds them by their first color and title.

    If it ``shares``, all notes without tags have the same list of them. If it ``keeps``, no list is
    ever emptied.
    """

    def __init__(self, *, stale: bool = False, shares: bool = False, keeps: bool = False) -> None:
        self.stale, self.shares, self.keeps, self.calls = stale, shares, keeps, 3
        self.tags: list[Json] = []
        self.notes: dict[str, dict[str, Json]] = {}
        self.first: dict[str, dict[str, Json]] = {}
        self.known_values = KnownValues()
        self.suspects: set[str] = set()

    def input(self, tool: str) -> Schema:
        return Schema({"type": "object", "properties": SCHEMAS[tool]})

    def tool(self, name: str) -> dict[str, Json]:
        return {"name": name}

    def call_again(self, tool: str, arguments: Any) -> Answer:
        return self.call(tool, arguments)

    def call(self, tool: str, arguments: Any) -> Answer:
        indexed = self.first if self.stale else self.notes
        if tool == "add_note":
            tags = self.tags if self.shares else []
            note = {"note_id": f"n{len(self.notes)}", "color": "red", "tags": tags, **arguments}
            self.notes[note["note_id"]], self.first[note["note_id"]] = note, {**note}
            return make_result(note)
        if tool == "list_notes":
            color = arguments.get("color")
            chosen = [key for key, note in indexed.items() if color in (None, note["color"])]
            return make_result({"notes": [self.notes[key] for key in chosen]})
        if tool == "find_notes":
            chosen = [key for key, note in indexed.items() if note["title"] == arguments["text"]]
            return make_result({"notes": [self.notes[key] for key in chosen]})
        if self.keeps and not arguments.get("tags", True):
            del arguments["tags"]
        if self.shares and "tags" in arguments:
            self.notes[arguments["note_id"]]["tags"][:] = arguments.pop("tags")
        self.notes[arguments["note_id"]] |= arguments
        return make_result(self.notes[arguments["note_id"]])


def make_result(data: Json) -> Answer:
    return Answer({"content": [], "structuredContent": copy.deepcopy(data)})


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "_PAUSE", 0)
    monkeypatch.setattr(search, "_PAUSE", 0)


def kind_of_notes(lab: Lab) -> Kind:
    changing: Json = {"tool": "edit_note", "argument": "note_id", "within": ""}
    changing["changes"] = [{"color": "blue"}, {"title": "Harbor"}]
    data: Json = {
        "arguments": {"title": "Atlas"},
        "get": [{"tool": "get_note", "argument": "note_id"}],
        "list": [{"tool": "list_notes", "arguments": {}, "ids": ["note_id"]}],
        "search": [{"tool": "find_notes", "argument": "text"}],
        "change": [changing],
    }
    context: Any = lab
    return Kind(context, Case("entity", "tool add_note", data))


@pytest.mark.parametrize("stale", [True, False])
def test_filtered_list_of_a_changed_entity(*, stale: bool) -> None:
    kind = kind_of_notes(Lab(stale=stale))
    verdicts = changes.run(kind, kind.create(), kind.create())
    details = {verdict.detail for verdict in verdicts if verdict.judge == "C906"}
    assert details == ({"list_notes still finds 'n0' with color 'red'"} if stale else set())


@pytest.mark.parametrize("stale", [True, False])
def test_search_for_a_changed_text(*, stale: bool) -> None:
    details = [verdict.detail for verdict in search.run(kind_of_notes(Lab(stale=stale)))]
    assert details == (["find_notes finds 'n0' by its old text"] if stale else [])


@pytest.mark.parametrize("shares", [True, False])
def test_list_shared_by_new_entities(*, shares: bool) -> None:
    kind = kind_of_notes(Lab(shares=shares))
    kind.case.data["change"][0]["changes"].append({"tags": ["wood"]})
    kind.arguments["tags"] = ["iron"]
    verdicts = [*defaults.run(kind, kind.create())]
    assert {verdict.judge for verdict in verdicts} == ({"C907"} if shares else set())
    assert shares == any("tags of 'n2' becomes ['wood']" in item.detail for item in verdicts)


@pytest.mark.parametrize("keeps", [True, False])
def test_emptied_property_of_a_setter(*, keeps: bool) -> None:
    lab = Lab(keeps=keeps)
    kind = kind_of_notes(lab)
    pair: list[Json] = [{"title": "Atlas", "tags": ["wood"]}, {"title": "Atlas", "tags": []}]
    setter: Json = {"tool": "edit_note", "argument": "note_id", "is_setter": True}
    kind.case.data["change"] = [{**setter, "changes": [], "emptied": [pair]}]
    details = [verdict.detail for verdict in defaults.run(kind, kind.create())]
    assert details == (["edit_note sets tags to []: ['wood']"] if keeps else [])


def test_mutual_references() -> None:
    lab = Lab(stale=False)
    references.run(kind_of_notes(lab))
    assert [note["parent_id"] for note in lab.notes.values()] == ["n1", "n0"]
