"""Example calls of a page are short, valid, and read back unchanged."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

import pytest
from contract_pages import tool_entry
from recorded_servers import SERVERS, client_of, contract

from mcpgen.codegen.pages import contract_page
from mcpgen.jsontext import Json
from mcpgen.schemas.validation.schemas import SchemaValidator


@pytest.mark.parametrize(
    ("schema", "options"),
    [
        ({"n": {"type": "integer", "const": 3}}, "--n 3"),
        ({"q": {"const": "two words"}}, "--q 'two words'"),
        ({"deep": {"const": True}}, "--deep"),
        ({"deep": {"const": False, "type": "boolean"}}, "--deep=false"),
        ({"q": {"const": "-x"}}, "--q=-x"),
        ({"q": {"examples": ["5"], "type": ["string", "integer"]}}, "'--q:=\"5\"'"),
    ],
)
def test_shell_call_is_short_and_read_back(schema: Json, options: str) -> None:
    entry = tool_entry({"type": "object", "properties": schema, "required": list(schema)})
    assert entry.calls[1].code == f"mcpgen call shop order {options}"


def test_unusual_names_are_sent_by_stdin() -> None:
    schema: Json = {"type": "object", "properties": {"a b": {"const": "c'd"}}, "required": ["a b"]}
    assert tool_entry(schema).calls[1].code == (
        'mcpgen call shop order - <<\'JSON\'\n{"a b": "c\'d"}\nJSON'
    )


def sent_arguments(code: str) -> dict[str, Json]:
    """Return the arguments of a JSON call."""
    arguments: dict[str, Json] = json.loads(code)["arguments"]
    return arguments


def parameters_by_method(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the parameters of each tool's method. Prompts can have the same names."""
    trees = [ast.parse(t) for path, t in files.items() if re.match(r"client\.py|tools/", path)]
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    return {
        method.name: {argument.arg for argument in (*method.args.args, *method.args.kwonlyargs)}
        for class_ in classes
        if not re.search(r"(?:Prompts|Resources)$", class_.name)
        for method in class_.body
        if isinstance(method, ast.AsyncFunctionDef)
    }


@pytest.mark.slow
@pytest.mark.sampled(8)
@pytest.mark.parametrize("server", SERVERS)
def test_example_calls_of_recorded_servers_are_valid(server: str) -> None:
    """The arguments are valid, and the Python call has the parameters of the generated method."""
    recorded = contract(server)
    methods = parameters_by_method(client_of(server)[1].files)
    page = contract_page(recorded, "pkg")
    tools = next(section for section in page.sections if section.anchor == "tools")
    with_calls = [entry for entry in tools.entries if entry.calls]
    assert len(with_calls) >= len(tools.entries) - 1  # one tool of the corpus has none
    for entry in with_calls:
        python, shell, sent = (call.code for call in entry.calls)
        assert SchemaValidator(recorded.tools[entry.name]["inputSchema"]).allows(
            sent_arguments(sent)
        )
        assert shlex.split(shell.partition("<<")[0])[:3] == ["mcpgen", "call", "pkg"]
        call: Any = ast.parse(python).body[0]
        awaited = call.value.value
        assert {keyword.arg for keyword in awaited.keywords} <= methods[awaited.func.attr]
