"""Entities that tools create, find, and delete."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json
from mcpgen.testing.answer import Answer
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.checks.entity import changes, lifecycle, search
from mcpgen.testing.checks.entity.kind import Kind, _own_ids
from mcpgen.testing.checks.neighbors import GROUPS_OF_SIGNS


class Lab:
    """A server of books. Its search may forget a deletion, or find nothing at all."""

    def __init__(self, *, forgets: bool = False, finds: bool = True, stale: bool = False) -> None:
        self.forgets, self.finds, self.stale = forgets, finds, stale
        self.subtitle = ""
        self.follow_ups: list[tuple[str, Json]] = []
        self.books: dict[int, str] = {}
        self.deleted: set[int] = set()
        self.calls = 7

    def input(self, tool: str) -> Schema:
        del tool
        return Schema({"type": "object", "properties": {"title": {"type": "string"}}})

    def call(self, tool: str, arguments: Any) -> Answer:
        if tool == "add_book":
            self.books[len(self.books)] = arguments["title"]
            return make_result({"book": {"id": len(self.books) - 1, "title": arguments["title"]}})
        if tool == "card" and not self.books[arguments["id"]].isascii():
            return Answer(code=-32603, message="internal error: UnicodeEncodeError")
        if tool == "list_books":
            return make_result({"books": [self.book(number) for number in self.books]})
        self.deleted.add(arguments["id"])
        return make_result({"deleted": True})

    def book(self, number: int) -> Json:
        return {"id": number, "title": self.books[number], "subtitle": self.subtitle}

    def follow_up(self, tool: str, arguments: Json) -> None:
        self.follow_ups.append((tool, arguments))

    def call_again(self, tool: str, arguments: Any) -> Answer:
        del tool
        gone = set() if self.forgets else self.deleted
        matches: list[Json] = [
            {"id": number, "title": title}
            for number, title in self.books.items()
            if title == arguments["query"] and number not in gone and self.finds
            if not self.stale or number < len(self.books) - 1
        ]
        return make_result({"books": matches})


def make_result(data: Json) -> Answer:
    return Answer({"content": [], "structuredContent": data})


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "_PAUSE", 0)
    monkeypatch.setattr(changes, "_PAUSE", 0)
    monkeypatch.setattr(search, "_PAUSE", 0)


def verdicts_of_search(lab: Lab, **tools: Json) -> list[tuple[str, str]]:
    data: Json = {
        "arguments": {"title": "Harbor"},
        "delete": [{"tool": "delete_book", "argument": "id"}],
        "search": [{"tool": "search_books", "argument": "query"}],
        "list": [],
        **tools,
    }
    context: Any = lab
    kind = Kind(context, Case("entity", "tool add_book", data))
    return [(verdict.judge, verdict.detail) for verdict in search.run(kind)]


def test_deleted_entity_found_by_search() -> None:
    assert verdicts_of_search(Lab(forgets=True)) == [("C908", "search_books still finds 0")]
    assert verdicts_of_search(Lab()) == []


def test_new_entity_not_found() -> None:
    lab = Lab(stale=True)
    lab.books = {0: "Atlas", 1: "Delta"}
    listing: Json = [{"tool": "list_books", "arguments": {}}]
    assert verdicts_of_search(lab, list=listing) == [
        ("C904", "search_books does not find 2 by its title")
    ]
    lab = Lab(stale=True)
    lab.books = {0: "Atlas of Atlas"}
    lab.subtitle = "Atlas of Atlas"  # the search may have found the subtitle
    assert verdicts_of_search(lab, list=listing) == []


def test_ids_of_other_entities() -> None:
    meals: Json = [{"recipe_id": 1, "meal_id": "a"}, {"recipe_id": 2, "meal_id": "b"}]
    recipes: Json = [{"recipe_id": 1, "title": "t"}]
    assert [*_own_ids(meals, ["recipe_id"])] == []
    assert [*_own_ids(recipes, ["recipe_id"])] == [1]
    assert [*_own_ids([{"meal_id": "a"}], ["meal_id", "recipe_id"])] == ["a"]
    assert [*_own_ids([{"id": 3, "author_id": 4}], ["id"])] == [3]
    assert [*_own_ids(meals, None)] == [1, 2]


def test_odd_texts_of_entity() -> None:
    lab = Lab()
    data: Json = {"arguments": {"title": "Harbor"}, "get": [{"tool": "card", "argument": "id"}]}
    context: Any = lab
    kind = Kind(context, Case("entity", "tool add_book", data))
    lifecycle._read_odd_texts(kind)
    assert lab.follow_ups[0] == ("card", {"id": 0})
    assert len(lab.books) == 1 + len(GROUPS_OF_SIGNS)


def test_search_without_results() -> None:
    lab = Lab(finds=False)
    assert verdicts_of_search(lab) == []
    assert lab.deleted == set()


def test_search_without_deletion() -> None:
    lab = Lab()
    assert verdicts_of_search(lab, search=[]) == []
    assert lab.books == {}
    assert verdicts_of_search(lab, delete=[]) == []
    assert len(lab.books) == 1


@pytest.mark.parametrize(("is_guess", "rules"), [(True, []), (False, ["C905"])])
def test_same_id_twice(
    monkeypatch: pytest.MonkeyPatch, *, is_guess: bool, rules: list[str]
) -> None:
    monkeypatch.setattr(Kind, "create", lambda _: "b1")
    for name in ("_check_shown", "_created_at_once", "_check_deletion"):
        monkeypatch.setattr(lifecycle, name, lambda *_: ())
    monkeypatch.setattr(changes, "run", lambda *_: ())
    context: Any = SimpleNamespace(tool=lambda _: {}, input=lambda _: Schema({}))
    data: Json = {"arguments": {}, "get": [], "delete": [], "is_guess": is_guess}
    verdicts = lifecycle.run(context, Case("entity", "tool borrow_book", data))
    assert [verdict.judge for verdict in verdicts] == rules


class Jobs:
    """A server of repair jobs. With ``spreads``, a status is set for all of them."""

    def __init__(self, *, spreads: bool, deletes: bool = True) -> None:
        self.spreads, self.deletes = spreads, deletes
        self.jobs: dict[int, str] = {}
        self.parts: list[int] = []
        self.suspects: set[str] = set()
        self.forgotten: list[Json] = []
        """Entities that only a filtered list still shows."""
        self.known_values = KnownValues()

    def input(self, tool: str) -> Schema:
        day: Json = {"type": "string", "format": "date"}
        members: Json = {"job_id": {}, "day": day} if tool == "postpone_job" else {"status": {}}
        return Schema({"type": "object", "properties": members})

    def call(self, tool: str, arguments: Any) -> Answer:
        if tool == "open_job":
            self.jobs[len(self.jobs)] = "open"
            return make_result({"job": {"id": len(self.jobs) - 1}})
        if tool == "list_jobs":
            status = arguments.get("status")
            jobs: list[Json] = [{"id": key, "status": item} for key, item in self.jobs.items()]
            jobs += self.forgotten if status else []
            return make_result({"jobs": [job for job in jobs if status in (None, job["status"])]})
        number = arguments["job_id"]
        if tool == "add_part":
            self.parts.append(number)
        elif tool == "delete_job":
            job = self.jobs.pop(number)
            self.forgotten = [{"id": number, "status": job}] if self.spreads else []
        elif tool == "postpone_job" and arguments["day"] in self.jobs.values():
            return Answer({"content": [{"type": "text", "text": "taken"}], "isError": True})
        elif tool == "postpone_job":
            self.jobs[number] = arguments["day"]
        elif tool == "set_status":
            for other in self.jobs if self.spreads else [number]:
                self.jobs[other] = arguments["status"]
        return make_result({"job": {"id": number, "status": self.jobs.get(number)}})

    def ask_all(self, asks: list[Any]) -> list[Answer]:
        return [self.call(ask.params["name"], ask.params["arguments"]) for ask in asks]

    def renew(self, tool: str, arguments: Json) -> Json:
        del tool
        return arguments

    def note(self, tool: str, arguments: Json, answer: Answer) -> None:
        del tool, arguments, answer


def kind_of_jobs(lab: Jobs, **tools: Json) -> Kind:
    context: Any = lab
    data: Json = {"arguments": {"bike_id": 7}, "change": [], "list": [], **tools}
    data["get"] = tools.get("get", [{"tool": "get_job", "argument": "job_id"}])
    return Kind(context, Case("entity", "tool open_job", data))


@pytest.mark.parametrize("spreads", [True, False])
def test_setter_for_other_entities(*, spreads: bool) -> None:
    setter: Json = {"tool": "set_status", "argument": "job_id", "within": "", "is_setter": True}
    kind = kind_of_jobs(Jobs(spreads=spreads), change=[{**setter, "changes": [{"status": "done"}]}])
    details = [verdict.detail for verdict in changes._changes(kind, kind.create(), kind.create())]
    assert details == ["set_status changes 0, and 1 changes, too"] * spreads


class PaintedJobs(Jobs):
    """Jobs with a color and a note, each set by a tool of its own."""

    def __init__(self) -> None:
        super().__init__(spreads=False)
        self.properties: dict[int, dict[str, Json]] = {}

    def call(self, tool: str, arguments: Any) -> Answer:
        if tool == "open_job":
            return super().call(tool, arguments)
        number = arguments["job_id"]
        job = self.properties.setdefault(number, {"color": "red", "note": "n"})
        job |= {name: value for name, value in arguments.items() if name != "job_id"}
        return make_result({"job": {"id": number, **job}})


def test_change_after_setter() -> None:
    named: Json = {"argument": "job_id", "within": ""}
    painting: Json = {**named, "tool": "paint", "is_setter": True, "changes": [{"color": "blue"}]}
    noting: Json = {**named, "tool": "update_job", "changes": [{"note": "m"}]}
    kind = kind_of_jobs(PaintedJobs(), change=[painting, noting])
    assert [*changes._changes(kind, kind.create(), kind.create())] == []


def test_exclusive_setter() -> None:
    setter: Json = {"tool": "set_status", "argument": "job_id", "within": "", "is_setter": True}
    kind = kind_of_jobs(Jobs(spreads=True), change=[{**setter, "changes": [{"default": True}]}])
    assert [*changes._changes(kind, kind.create(), kind.create())] == []


def test_deletion_with_parts() -> None:
    lab = Jobs(spreads=False)
    adding: Json = {"tool": "add_part", "argument": "job_id", "arguments": {"part": "P1"}}
    deleting: Json = {"tool": "delete_job", "argument": "job_id"}
    lifecycle._delete_with_parts(kind_of_jobs(lab, add=[adding], delete=[deleting]))
    assert (lab.jobs, lab.parts) == ({}, [0])


def test_entities_without_a_getter() -> None:
    lab = Jobs(spreads=False)
    kind = kind_of_jobs(lab, get=[])
    assert [*lifecycle._created_at_once(kind, kind.create())] == []
    assert len(lab.jobs) == 7


LIST_OF_JOBS: Json = {"tool": "list_jobs", "arguments": {}, "ids": ["id"]}


def test_entity_of_a_list() -> None:
    kind = kind_of_jobs(Jobs(spreads=False), get=[], list=[LIST_OF_JOBS])
    assert kind.get(kind.create()) == {"id": 0, "status": "open"}
    assert kind.get(9) is None


@pytest.mark.parametrize("is_forgotten", [True, False])
def test_deleted_entity_in_a_filtered_list(*, is_forgotten: bool) -> None:
    deleting: Json = {"tool": "delete_job", "argument": "job_id", "is_guess": True}
    lab = Jobs(spreads=is_forgotten)
    kind = kind_of_jobs(lab, get=[], list=[LIST_OF_JOBS], delete=[deleting])
    verdicts = lifecycle._check_deletion(kind, kind.create(), kind.create())
    detail = 'list_jobs with {"status": "open"} still lists 0'
    assert [verdict.detail for verdict in verdicts] == [detail] * is_forgotten
    assert kind.deletions == [deleting]


def test_destructive_tool_without_deletion() -> None:
    ending: Json = {"tool": "end_job", "argument": "job_id", "is_guess": True}
    kind = kind_of_jobs(Jobs(spreads=False), get=[], list=[LIST_OF_JOBS], delete=[ending])
    assert [*lifecycle._check_deletion(kind, kind.create(), kind.create())] == []
    assert kind.deletions == []


def test_setter_of_a_taken_slot() -> None:
    lab = Jobs(spreads=False)
    moving: Json = {"tool": "postpone_job", "argument": "job_id", "within": "", "is_setter": True}
    change: Json = {"day": "2027-03-01"}
    kind = kind_of_jobs(lab, list=[LIST_OF_JOBS], change=[{**moving, "changes": [change]}])
    first, second = kind.create(), kind.create()
    lab.jobs[second] = change["day"]
    assert [*changes._changes(kind, first, second)] == []
    assert lab.jobs == {first: "2027-04-02", second: "2027-03-01"}


def test_id_among_arguments() -> None:
    kind = kind_of_jobs(Jobs(spreads=False))
    assert kind.is_given(7)
    assert not kind.is_given(8)


class Notes(Lab):
    """Notes with a list that may keep the first title, and may show it in capital letters."""

    def __init__(self, *, is_stale: bool, is_upper: bool = False) -> None:
        self.note = {"id": "n1", "title": "a", "text": "t"}
        self.shown = dict(self.note)
        self.is_stale, self.is_upper = is_stale, is_upper
        self.known_values = KnownValues()

    def call(self, name: str, arguments: Any) -> Answer:
        if name == "edit":
            self.note |= {"title": arguments["title"]}
        if name == "show":
            return make_result(dict(self.note))
        listed = dict(self.shown if self.is_stale else self.note)
        if self.is_upper:
            listed["title"] = listed["title"].upper()
        return make_result({"notes": [listed]})


@pytest.mark.parametrize(
    ("is_stale", "is_upper", "expected"),
    [(True, False, ["list_notes still shows title as 'a'"]), (False, False, []), (True, True, [])],
)
def test_list_after_a_change(is_stale: bool, is_upper: bool, expected: list[str]) -> None:
    lab: Any = Notes(is_stale=is_stale, is_upper=is_upper)
    show: Json = {"tool": "show", "argument": "id"}
    listed: Json = {"tool": "list_notes", "arguments": {}, "ids": ["id"]}
    data: Json = {"arguments": {}, "get": [show], "list": [listed], "change": [{"tool": "edit"}]}
    kind = Kind(lab, Case("entity", "tool add", data))

    def change() -> Iterator[Verdict]:
        lab.call("edit", {"title": "b"})
        yield from ()

    assert [item.detail for item in changes._around_lists(kind, "n1", change())] == expected


def test_list_with_another_form_of_a_value() -> None:
    class Shortened(Notes):
        def call(self, name: str, arguments: Any) -> Answer:
            answer = super().call(name, arguments)
            if name == "list_notes" and self.note["title"] == "b":
                return make_result({"notes": [{**self.note, "title": "b..."}]})
            return answer

    lab: Any = Shortened(is_stale=False)
    show: Json = {"tool": "show", "argument": "id"}
    listed: Json = {"tool": "list_notes", "arguments": {}, "ids": ["id"]}
    data: Json = {"arguments": {}, "get": [show], "list": [listed], "change": [{"tool": "edit"}]}
    kind = Kind(lab, Case("entity", "tool add", data))

    def change() -> Iterator[Verdict]:
        lab.call("edit", {"title": "b"})
        yield from ()

    assert [*changes._around_lists(kind, "n1", change())] == []


class SharedNotes(Notes):
    """A note whose concurrent changes may overwrite each other, and whose text may be reset."""

    def __init__(self, *, overwrites: bool, resets: bool = False) -> None:
        super().__init__(is_stale=False)
        self.overwrites, self.resets = overwrites, resets
        self.suspects: set[str] = set()

    def call(self, name: str, arguments: Any) -> Answer:
        if name == "update_note":
            self.note |= arguments
            if self.resets and arguments.keys() == {"id"}:
                self.note["text"] = ""
        return make_result(dict(self.note))

    def call_again(self, tool: str, arguments: Any) -> Answer:
        return self.call(tool, arguments)

    def ask_all(self, asks: list[Any]) -> list[Answer]:
        for ask in asks[-1:] if self.overwrites else asks:
            self.call("update_note", ask.params["arguments"])
        return [make_result({})] * len(asks)

    def note_call(self, tool: str, arguments: Json, answer: Answer) -> None:
        """Do nothing: no call counts."""


def kind_of_notes(lab: SharedNotes) -> Kind:
    context: Any = SimpleNamespace(
        call=lab.call,
        call_again=lab.call_again,
        ask_all=lab.ask_all,
        note=lab.note_call,
        suspects=lab.suspects,
        tool=lambda name: {"name": name},
    )
    data: Json = {"arguments": {}, "get": [{"tool": "show", "argument": "id"}]}
    return Kind(context, Case("entity", "tool add", data))


UPDATE: Json = {"tool": "update_note", "argument": "id", "within": ""}


@pytest.mark.parametrize("overwrites", [True, False])
def test_properties_changed_at_once(*, overwrites: bool) -> None:
    kind = kind_of_notes(SharedNotes(overwrites=overwrites))
    tool: Json = {**UPDATE, "changes": [{"title": "b"}, {"title": "c"}, {"text": "u"}, {"x": 1}]}
    verdicts = [*changes._change_at_once(kind, tool, "n1")]
    details = ["update_note sets title, text at once: title stays 'a'"]
    assert [verdict.detail for verdict in verdicts] == details * overwrites
    assert [verdict.judge for verdict in verdicts] == ["C703"] * overwrites


@pytest.mark.parametrize(
    ("resets", "is_update", "count"), [(True, True, 1), (True, False, 0), (False, True, 0)]
)
def test_update_without_a_change(*, resets: bool, is_update: bool, count: int) -> None:
    kind = kind_of_notes(SharedNotes(overwrites=False, resets=resets))
    verdicts = [*changes._set(kind, {**UPDATE, "is_update": is_update}, {}, "n1", "n1")]
    details = {verdict.detail for verdict in verdicts if verdict.pointer == "update_note text"}
    assert len(details) == count


def test_properties_of_a_tool_acting_outside() -> None:
    lab = SharedNotes(overwrites=True)
    kind = kind_of_notes(lab)
    tool: Json = {**UPDATE, "tool": "send_update", "changes": [{"title": "b"}, {"text": "u"}]}
    assert [*changes._change_at_once(kind, tool, "n1")] == []
    assert lab.note == {"id": "n1", "title": "a", "text": "t"}
