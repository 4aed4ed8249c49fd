"""Definitions that clients reject are reported and repaired before they are published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from skeletons import MODES, import_server, project

from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.definitions import parse
from mcpgen.contract.document import left_out, read
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import definition_checks, messages

OBJECT: Json = {"type": "object"}
ODD: dict[str, tuple[str, Json, list[str]]] = {
    "icons": ("Tool", {"icons": 5}, ["/icons"]),
    "an icon": ("Tool", {"icons": [5, {"src": "x:y"}, {"src": 6}]}, ["/icons/0", "/icons/2"]),
    "an icon's members": (
        "Tool",
        {"icons": [{"src": "x:y", "sizes": "1x1"}, {"src": "x:y", "theme": "red"}]},
        ["/icons/0", "/icons/1"],
    ),
    "texts": ("Tool", {"title": 5, "description": []}, ["/title", "/description"]),
    "annotations": ("Tool", {"annotations": []}, ["/annotations"]),
    "a hint": ("Tool", {"annotations": {"readOnlyHint": "yes"}}, ["/annotations/readOnlyHint"]),
    "_meta": ("Tool", {"_meta": 5}, ["/_meta"]),
    "arguments": ("Prompt", {"arguments": 5}, ["/arguments"]),
    "an argument": (
        "Prompt",
        {"arguments": [5, {}, {"name": "a"}, {"name": "a"}]},
        ["/arguments/0", "/arguments/1", "/arguments/3"],
    ),
    "an argument's members": (
        "Prompt",
        {"arguments": [{"name": "a", "required": "no", "description": 5}]},
        ["/arguments/0/required", "/arguments/0/description"],
    ),
    "a resource": ("Resource", {"mimeType": 5, "size": "1"}, ["/mimeType", "/size"]),
}
NAMES = {
    "Tool": {"name": "a", "inputSchema": OBJECT},
    "Prompt": {"name": "a"},
    "Resource": {"uri": "x://a", "name": "a"},
}


@pytest.mark.parametrize("name", ODD)
def test_only_the_invalid_property_is_reported_and_removed(name: str) -> None:
    kind, odd, pointers = ODD[name]
    definition = {**NAMES[kind], "x-own": {"icons": 5}, **odd}
    assert [problem.pointer for problem in definition_checks.nonconforming(definition)] == pointers
    before = str(definition)
    sound = definition_checks.conforming(definition)
    assert str(definition) == before
    assert not [*definition_checks.nonconforming(sound)]
    assert not [*messages.problems("2025-11-25", kind, dict(sound))]
    assert sound.items() >= {**NAMES[kind], "x-own": {"icons": 5}}.items()


def test_valid_definition_is_unchanged() -> None:
    definition = {**NAMES["Tool"], "title": None, "icons": [{"src": "x:y", "sizes": ["any"]}]}
    assert definition_checks.conforming(definition) is definition


WHOLE: Json = {
    "server": {"name": "odd", "version": 5, "icons": 5, "title": 7, "websiteUrl": []},
    "capabilities": {"logging": 7, "completions": True, "resources": 5},
    "tools": [{**NAMES["Tool"], "icons": 5, "title": 5}],
    "prompts": [
        {"name": "p", "arguments": 5, "description": 5},
        {"name": "q", "arguments": [5, {"name": "a", "required": "yes"}]},
        {"name": "r", "arguments": None, "description": None},
    ],
    "resources": [{"uri": "x://a", "mimeType": 5}],
    "resourceTemplates": [
        {"uriTemplate": "x://b/{c:3}", "name": 5},
        {"uriTemplate": "x://{d}{e}", "name": "d"},
    ],
}


def test_every_repair_has_a_notice() -> None:
    result = {
        notice.pointer: notice.reason
        for notice in generate_server(read(WHOLE), ServerOptions(standalone=False)).notices
    }
    assert result == {
        "/tools/a/icons": "expected an array; ignored",
        "/tools/a/title": "expected a string; ignored",
        "/prompts/p/arguments": "expected an array; ignored",
        "/prompts/p/description": "expected a string; ignored",
        "/prompts/q/arguments/0": "expected an object with a string 'name'; ignored",
        "/prompts/q/arguments/1/required": "expected true or false; ignored",
        "/resources/x:~1~1a/mimeType": "expected a string; ignored",
        "/resourceTemplates/x:~1~1b~1{c:3}/name": "expected a string; ignored",
        "/resourceTemplates/x:~1~1b~1{c:3}": "a prefix of a variable can't be matched; it is"
        " listed, but nothing can be read by it",
        "/resourceTemplates/x:~1~1{d}{e}": "two variables are adjacent; it is listed,"
        " but nothing can be read by it",
        **{
            f"/server/{name}": f"expected {kind}; ignored"
            for name, kind in (
                ("icons", "an array"),
                ("title", "a string"),
                ("version", "a string"),
                ("websiteUrl", "a string"),
            )
        },
        **{
            f"/capabilities/{name}": "expected an object; ignored"
            for name in ("completions", "logging", "resources")
        },
    }
    assert {notice.pointer for notice in parse(read(WHOLE)).notices} < result.keys()


@pytest.mark.parametrize("mode", MODES)
def test_a_server_of_an_odd_contract_can_be_listed(mode: Any, tmp_path: Path) -> None:
    async def lists(server: Any) -> list[list[str]]:
        async with Client(server, mode=mode) as client:
            return [
                [tool.name for tool in (await client.list_tools()).tools],
                [prompt.name for prompt in (await client.list_prompts()).prompts],
                [resource.name for resource in (await client.list_resources()).resources],
                [
                    template.name
                    for template in (await client.list_resource_templates()).resource_templates
                ],
            ]

    with import_server(project(read(WHOLE), tmp_path)) as module:
        assert anyio.run(lists, module.server) == [
            ["a"],
            ["p", "q", "r"],
            ["x://a"],
            ["x://b/{c:3}", "d"],
        ]


@pytest.mark.parametrize(
    ("document", "pointers"),
    [
        (
            {"tools": [5, {"inputSchema": OBJECT}, {"name": 6}]},
            ["/tools/0", "/tools/1", "/tools/2"],
        ),
        ({"tools": {"a/b": 5, "c": {"definition": 5}}}, ["/tools/a~1b", "/tools/c"]),
        ({"tools": [], "prompts": 5, "resources": "x"}, ["/prompts", "/resources"]),
        ({"tools": [], "serverInfo": 5, "instructions": {}}, ["/serverInfo", "/instructions"]),
        ({"tools": [], "prompts": None, "server": None}, []),
        ([5], ["/tools/0"]),
    ],
)
def test_omitted_definitions_of_a_dump_are_reported(document: Json, pointers: list[str]) -> None:
    assert [notice.pointer for notice in left_out(document)] == pointers
