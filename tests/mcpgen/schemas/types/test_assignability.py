"""Callers can pass result objects on as arguments: type checkers accept them, and they are sent
unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from checkers import typed, write
from paths import CORPUS, ROOT
from pydantic import ValidationError
from runtime.packages import STYLES, Style, import_client
from runtime.scripted import Scripted

from mcpgen.codegen.pipeline import Options, generate
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads

MEMORY = CORPUS / "live" / "modelcontextprotocol__server-memory.json"
TRACKER = ROOT / "golden" / "shared-types" / "contract.json"

needs_corpus = pytest.mark.skipif(not MEMORY.exists(), reason=f"no {MEMORY}")


def contract(path: Path) -> Contract:
    return read(loads(path.read_bytes()))


# Type checkers. Both must reject a line with `# error`.

USES_MEMORY = """\
from collections.abc import Sequence

from {package} import Client
from {package}.models import {input}, {output}


async def use(client: Client) -> None:
    graph = await client.read_graph()
    entities: list[{output}] = graph{entities}
    made = {input}(
        name="a", {entity_type}="b", observations=[]
    )
    await client.create_entities(entities=graph{entities})
    await client.create_entities(entities=[*entities, made])
    await client.create_entities(entities=(entities[0], made))
    await client.create_entities(entities=[made])
    both: Sequence[{output} | {input}] = [made]
    await client.create_entities(entities=both)
    await client.create_relations(relations=graph{relations})
    await client.create_entities(entities=["a"])  # error
    await client.create_entities(entities=graph{relations})  # error
    await client.create_entities(entities=entities[0])  # error
    await client.create_entities(entities=[{input}(name="a")])  # error
"""

USES_TRACKER = """\
from {package} import Client
from {package}.models import Issue, IssueInput, Person, PersonInput, TeamReference


async def use(client: Client, person: Person, teams: list[TeamReference]) -> None:
    listed = await client.list_issues()
    issue = (await client.get_issue(id="1")).issue
    person = await client.get_person(name="a")
    await client.move_issues(issues=listed.issues or [], by=person)
    if issue is not None:
        mine = IssueInput(id="2", title="t", author=person, children=listed.issues or [])
        await client.move_issues(issues=[issue, mine], by=issue.author)
        await client.move_issues(issues=issue.children or ())
    both: list[Issue | IssueInput] = [*(listed.issues or [])]
    await client.move_issues(issues=both, by=PersonInput(name="a"))
    teams = (await client.list_services()).services or []
    await client.move_issues(issues=[person])  # error
    await client.move_issues(issues=[], by=teams)  # error
"""


def uses(style: Style, package: str) -> str:
    text = USES_MEMORY
    if style == "typeddict":
        for name in ("entities", "relations"):
            text = text.replace(f"{{{name}}}", f'["{name}"]')
        text = text.replace("{entity_type}", "entityType")
    return text.format(
        package=package,
        entities=".entities",
        relations=".relations",
        entity_type="entity_type",
        input="CreateEntitiesInputEntitiesItem",
        output="ReadGraphOutputEntitiesItem",
    )


def rejected_lines(lines: list[str]) -> set[tuple[str, int]]:
    """Return the lines of user files that a type checker rejects."""
    results = [re.match(r"user/(\w+)\.py:(\d+):", line) for line in lines]
    return {(match[1], int(match[2])) for match in results if match}


def expected_errors(texts: Mapping[Style, str]) -> set[tuple[str, int]]:
    return {
        (f"of_{style}", n)
        for style, text in texts.items()
        for n, line in enumerate(text.splitlines(), 1)
        if "# error" in line
    }


RULES = {"reportUnusedVariable": "none", "reportUnnecessaryComparison": "none"}


def write_packages(folder: Path, name: str, server: Path, uses: Mapping[Style, str]) -> None:
    """Write a server's package in some styles, and a file of uses for each."""
    for style in uses:
        options = Options(name=f"{name}_{style}", style=style)
        write(generate(contract(server), options).files, folder / options.name)
    texts = {f"of_{style}.py": text for style, text in uses.items()}
    write({"__init__.py": "", **texts}, folder / "user")


USES_OF_MEMORY = {style: uses(style, f"memory_{style}") for style in STYLES}


@typed(rules=RULES)
def memory(folder: Path) -> None:
    if MEMORY.exists():
        write_packages(folder, "memory", MEMORY, USES_OF_MEMORY)


@needs_corpus
@pytest.mark.slow
def test_type_checkers_accept_results_as_arguments_for_recorded_server() -> None:
    for errors in (memory.pyright(), memory.mypy()):
        assert rejected_lines(errors) == expected_errors(USES_OF_MEMORY)


USES_OF_TRACKER: dict[Style, str] = {
    style: USES_TRACKER.format(package=f"tracker_{style}") for style in ("dataclass", "basemodel")
}


@typed(rules=RULES)
def tracker(folder: Path) -> None:
    write_packages(folder, "tracker", TRACKER, USES_OF_TRACKER)


@pytest.mark.slow
def test_type_checkers_accept_results_inside_new_arguments() -> None:
    for errors in (tracker.pyright(), tracker.mypy()):
        assert rejected_lines(errors) == expected_errors(USES_OF_TRACKER)


# Requests

GRAPH: Json = {
    "entities": [
        {"name": "a", "entityType": "b", "observations": ["c"]},
        {"name": "d", "entityType": "e", "observations": []},
    ],
    "relations": [{"from": "a", "to": "d", "relationType": "knows"}],
}


def part(value: Any, name: str) -> Any:
    return value[name] if isinstance(value, dict) else getattr(value, name)


@needs_corpus
@pytest.mark.parametrize("style", STYLES)
def test_result_of_recorded_server_is_sent_unchanged(style: Style) -> None:
    recorded = contract(MEMORY)
    package = import_client(recorded, f"memory_{style}", style)
    server = Scripted(
        recorded,
        read_graph=GRAPH,
        create_entities={"entities": []},
        create_relations={"relations": []},
    )

    async def run() -> None:
        async with package.Client.connect(server.server, verify="off") as client:
            graph = await client.read_graph()
            await client.create_entities(entities=part(graph, "entities"))
            await client.create_entities(entities=(part(graph, "entities")[1],))
            await client.create_relations(relations=part(graph, "relations"))

    anyio.run(run)
    assert [payload for _, payload in server.sent[1:]] == [
        {"entities": GRAPH["entities"]},
        {"entities": GRAPH["entities"][1:]},
        {"relations": GRAPH["relations"]},
    ]


ISSUES: Json = [
    {"id": "1", "title": "one"},
    {"id": "2", "title": "two", "author": {"name": "a"}, "x-more": {"k": None}},
    {"id": "3", "title": "three", "author": {"name": "b", "born": None}, "children": []},
    {"id": "4", "title": "four", "children": [{"id": "5", "title": "five"}]},
]


@pytest.mark.parametrize("style", STYLES)
def test_absent_and_null_properties_are_preserved(style: Style) -> None:
    recorded = contract(TRACKER)
    package = import_client(recorded, f"tracker_{style}", style)
    server = Scripted(
        recorded, list_issues={"issues": ISSUES}, get_person={"name": "a"}, move_issues=None
    )

    async def run() -> None:
        async with package.Client.connect(server.server, verify="off") as client:
            issues = part(await client.list_issues(), "issues")
            person = await client.get_person(name="a")
            await client.move_issues(issues=issues, by=person)
            if style == "typeddict":
                mine: Any = {"id": "6", "title": "six", "author": person, "children": issues}
            else:
                mine = package.IssueInput(id="6", title="six", author=person, children=issues)
            await client.move_issues(issues=[mine, issues[0]])

    anyio.run(run)
    requests = [arguments for tool, arguments in server.sent if tool == "move_issues"]
    mine = {"id": "6", "title": "six", "author": {"name": "a"}, "children": ISSUES}
    assert requests == [{"issues": ISSUES, "by": {"name": "a"}}, {"issues": [mine, ISSUES[0]]}]


@pytest.mark.parametrize("style", ["dataclass", "basemodel"])
def test_new_arguments_accept_only_matching_result_classes(style: Style) -> None:
    package = import_client(contract(TRACKER), f"tracker_{style}", style)
    person = package.Person(name="a")
    result = package.IssueInput(id="1", title="t", author=person)
    assert result.author is person
    arguments = package.IssueInput(id="1", title="t", author={"name": "a"})
    assert type(arguments.author) is package.PersonInput
    for wrong in ("a", {"born": 1}, package.TeamReference(ref="a")):
        with pytest.raises(ValidationError):
            package.IssueInput(id="1", title="t", author=wrong)


@pytest.mark.parametrize("style", STYLES)
def test_invalid_objects_are_not_sent_regardless_of_class(style: Style) -> None:
    inner: Json = {"type": "object", "properties": {"size": {"type": "integer"}}}
    small = {**inner, "properties": {"size": {"type": "integer", "maximum": 5}}}
    recorded = Contract(
        tools={
            "get": {
                "name": "get",
                "inputSchema": {"type": "object"},
                "outputSchema": {"type": "object", "properties": {"box": inner}},
            },
            "put": {
                "name": "put",
                "inputSchema": {"type": "object", "properties": {"box": small}},
            },
        }
    )
    package = import_client(recorded, f"boxes_{style}", style)
    server = Scripted(recorded, get={"box": {"size": 9}}, put=None)

    async def run() -> None:
        async with package.Client.connect(server.server, verify="off") as client:
            box = part(await client.get(), "box")
            with pytest.raises(package.InvalidArguments):
                await client.put(box=box)

    anyio.run(run)
    assert [tool for tool, _ in server.sent] == ["get"]
