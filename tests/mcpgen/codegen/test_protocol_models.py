"""Protocol models of every revision accept exactly the officially valid messages, and preserve
them.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import checkers
import jsonschema_rs
import pytest
from click.testing import CliRunner
from instances import instance
from pydantic import TypeAdapter, ValidationError
from shared_texts import shared_text

from mcpgen.cli.app import cli
from mcpgen.codegen import protocol_models
from mcpgen.errors import UsageError
from mcpgen.files.resources import folder
from mcpgen.jsontext import Json
from mcpgen.schemas.validation import messages as official
from mcpgen.schemas.validation.messages import REVISIONS, definitions, document

# `Annotated` is taken by `typing`; every other definition keeps its name.
RENAMED = {"Annotated": "AnnotatedModel"}
# Their schema forgets null and fractions, which the specification's text allows.
WIDER = {"JSONValue", "JSONObject", "JSONArray"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1", "icons": []},
    "io.modelcontextprotocol/clientCapabilities": {"roots": {}, "experimental": {"x": {}}},
    "org.example/trace": [1, None, 2.5],
}


@cache
def text(revision: str) -> str:
    return shared_text(f"{revision}.py", lambda: protocol_models.generate(revision))


@cache
def models(revision: str) -> ModuleType:
    name = f"mcp_{revision.replace('-', '_')}"
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    exec(compile(text(revision), name, "exec"), module.__dict__)
    return module


@cache
def adapter(revision: str, definition: str) -> TypeAdapter[Any]:
    result: TypeAdapter[Any] = TypeAdapter(
        getattr(models(revision), RENAMED.get(definition, definition))
    )
    return result


def read(revision: str, definition: str, value: Json) -> Any:
    return adapter(revision, definition).validate_python(value)


def round_trip(revision: str, definition: str, value: Json) -> str:
    """Parse and dump a value, and return its JSON text."""
    types = adapter(revision, definition)
    dumped = types.dump_python(types.validate_python(value), mode="json", exclude_unset=True)
    return plain(dumped)


def plain(value: Json) -> str:
    """Return JSON text in which equal values are equal: a whole number has no ``.0``."""
    return re.sub(r"(?<=\d)\.0(?=[],}]|$)", "", json.dumps(value, sort_keys=True))


def accepts(revision: str, definition: str, value: Json) -> bool:
    try:
        read(revision, definition, value)
    except ValidationError:
        return False
    return True


@cache
def validator(revision: str, definition: str) -> Any:
    schema = official._schema(revision, definition)
    return jsonschema_rs.validator_for(schema, validate_formats=False, offline=True)


def allows(revision: str, definition: str, value: Json) -> bool:
    """Return True if the official schema accepts a value."""
    try:
        return bool(validator(revision, definition).is_valid(value))
    except ValueError:  # infinity, for example, is not JSON
        return not official.problems(revision, definition, value)


def disagreements(revision: str, value: Json) -> Iterator[str]:
    """Compare the verdicts of the official schema and of the models, for every definition."""
    for definition in definitions(revision):
        is_valid = allows(revision, definition, value)
        is_accepted = accepts(revision, definition, value)
        if is_valid and not is_accepted:
            yield f"{definition} refuses {value}"
        if is_accepted and not is_valid and definition not in WIDER:
            # An optional member may be given as None in Python, so it may be null.
            problems = official.problems(revision, definition, value)
            if not all(problem.reason.startswith("None is not of type") for problem in problems):
                yield f"{definition} accepts {value}"
        if is_valid and is_accepted:
            back = round_trip(revision, definition, value)
            if back != plain(value):
                yield f"{definition} turns {value} into {back}"


TEXT: Json = {"type": "text", "text": "Grüße, 世界"}
IMAGE: Json = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
AUDIO: Json = {"type": "audio", "data": "aGk", "mimeType": "audio/wav", "_meta": {"a": 1}}
RESOURCE: Json = {"uri": "x:é y", "mimeType": "text/plain", "text": "", "extra": {"kept": [None]}}
BLOB: Json = {"uri": "file:///a%20b", "blob": "no base64!"}
EMBEDDED: Json = {"type": "resource", "resource": BLOB, "annotations": {"priority": 1}}
LINK: Json = {"type": "resource_link", "uri": "http://h", "name": "n", "size": 3, "title": "T"}
TOOL_USE: Json = {"type": "tool_use", "id": "u1", "name": "add", "input": {"a": 1.5}}
TOOL_RESULT: Json = {"type": "tool_result", "toolUseId": "u1", "content": [TEXT, IMAGE]}
TOOL: Json = {
    "name": "add",
    "title": "Add",
    "description": "Adds.",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}, "$defs": {}},
    "outputSchema": {"type": "object", "required": ["sum"], "additionalProperties": False},
    "annotations": {"readOnlyHint": True, "destructiveHint": False, "vendor": 1},
    "icons": [{"src": "data:,", "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "dark"}],
}
FORM: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "format": "email", "minLength": 1},
        "age": {"type": "integer", "minimum": 0, "maximum": 150.5},
        "ok": {"type": "boolean", "default": True},
        "colour": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
        "one": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
        "many": {"type": "array", "items": {"type": "string", "enum": ["x"]}, "minItems": 1},
    },
    "required": ["name"],
}
SAMPLING: Json = {
    "messages": [
        {"role": "user", "content": TEXT},
        {"role": "assistant", "content": [TOOL_USE]},
        {"role": "user", "content": [TOOL_RESULT]},
    ],
    "maxTokens": 100,
    "temperature": 0.5,
    "modelPreferences": {"hints": [{"name": "small"}], "costPriority": 0, "speedPriority": 0.25},
    "includeContext": "thisServer",
    "toolChoice": {"mode": "auto"},
    "tools": [TOOL],
    "metadata": {"provider": {"beta": True}},
}
SIMPLE_SAMPLING: Json = {"messages": [{"role": "user", "content": IMAGE}], "maxTokens": 1}
CAPABILITIES: Json = {
    "roots": {"listChanged": True},
    "sampling": {"tools": {}, "context": {}},
    "elicitation": {"form": {}, "url": {}},
    "tasks": {"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}}},
    "experimental": {"org.example/x": {"level": 1}},
    "unheardOf": [1],
}
OFFERED: Json = {
    "tools": {"listChanged": False},
    "prompts": {},
    "resources": {"subscribe": True},
    "logging": {},
    "completions": {},
    "extensions": {"org.example/y": {}},
    "tasks": {"requests": {"tools": {"call": {}}}},
}
PARAMS: dict[str, Json] = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": CAPABILITIES,
        "clientInfo": {"name": "probe", "version": "1.0", "websiteUrl": "https://example.org"},
    },
    "ping": {},
    "tools/list": {"cursor": ""},
    "tools/call": {"name": "add", "arguments": {"a": None, "b": [1.0, {}]}, "task": {"ttl": 5}},
    "resources/list": {"cursor": "c"},
    "resources/templates/list": {},
    "resources/read": {"uri": "file:///a b"},
    "resources/subscribe": {"uri": "x://y"},
    "resources/unsubscribe": {"uri": "x://y"},
    "prompts/list": {},
    "prompts/get": {"name": "p", "arguments": {"who": "me"}},
    "completion/complete": {
        "ref": {"type": "ref/resource", "uri": "a://{b}"},
        "argument": {"name": "b", "value": ""},
        "context": {"arguments": {"c": "d"}},
    },
    "logging/setLevel": {"level": "warning"},
    "sampling/createMessage": SAMPLING,
    "sampling/createMessage ": SIMPLE_SAMPLING,
    "elicitation/create": {"message": "Who?", "requestedSchema": FORM},
    "elicitation/create ": {
        "message": "",
        "requestedSchema": {"type": "object", "properties": {"age": {"type": "integer"}}},
    },
    "roots/list": {},
    "tasks/get": {"taskId": "t"},
    "tasks/result": {"taskId": "t"},
    "tasks/cancel": {"taskId": "t"},
    "tasks/list": {},
    "server/discover": {},
    "subscriptions/listen": {
        "notifications": {"toolsListChanged": True, "resourceSubscriptions": []}
    },
    "notifications/initialized": {},
    "notifications/cancelled": {"requestId": 7, "reason": "late"},
    "notifications/progress": {"progressToken": "p", "progress": 0.5, "total": 3, "message": "…"},
    "notifications/message": {"level": "debug", "logger": "db", "data": {"any": [None, 1e-7]}},
    "notifications/resources/updated": {"uri": "file:///a"},
    "notifications/resources/list_changed": {},
    "notifications/tools/list_changed": {},
    "notifications/prompts/list_changed": {},
    "notifications/roots/list_changed": {},
    "notifications/elicitation/complete": {"elicitationId": "e"},
    "notifications/subscriptions/acknowledged": {"notifications": {}},
    "notifications/tasks/status": {
        "taskId": "t",
        "status": "working",
        "createdAt": "2025-11-25T10:30:00Z",
        "lastUpdatedAt": "now",
        "ttl": None,
    },
}
RESULTS: list[dict[str, Json]] = [
    {},
    {"_meta": {"a": None}, "extra": True},
    {
        "protocolVersion": "2025-03-26",
        "capabilities": OFFERED,
        "serverInfo": {"name": "s", "version": "0", "title": "S"},
        "instructions": "Ask politely.",
    },
    {
        "supportedVersions": ["2026-07-28"],
        "capabilities": OFFERED,
        "ttlMs": 0,
        "cacheScope": "public",
    },
    {"tools": [TOOL], "nextCursor": ""},
    {
        "tools": [{"name": "bare", "inputSchema": {"type": "object"}}],
        "ttlMs": 1,
        "cacheScope": "private",
    },
    {"content": [TEXT, IMAGE, EMBEDDED], "isError": True},
    {"content": [AUDIO, LINK], "structuredContent": {"n": 1.0, "deep": [[None]]}},
    {"content": [], "structuredContent": [1, "2"]},
    {"resources": [{"uri": "a", "name": "b", "size": 1, "annotations": {"audience": ["user"]}}]},
    {"resourceTemplates": [{"uriTemplate": "a://{b}{?c*}", "name": "t"}], "nextCursor": "n"},
    {"contents": [RESOURCE, BLOB]},
    {"prompts": [{"name": "p", "arguments": [{"name": "who", "required": True}]}]},
    {"messages": [{"role": "assistant", "content": EMBEDDED}], "description": "d"},
    {"completion": {"values": ["a"], "total": 2, "hasMore": True}},
    {"role": "assistant", "content": TEXT, "model": "m", "stopReason": "endTurn"},
    {"role": "assistant", "content": [TOOL_USE], "model": "m", "stopReason": "toolUse"},
    {"roots": [{"uri": "file:///r", "name": "r"}]},
    {"action": "accept", "content": {"name": "Ada", "age": 36, "ok": False, "many": ["x"]}},
    {"action": "decline"},
    {
        "task": {
            "taskId": "t",
            "status": "completed",
            "createdAt": "",
            "lastUpdatedAt": "",
            "ttl": 1,
        }
    },
    {"taskId": "t", "status": "failed", "createdAt": "", "lastUpdatedAt": "", "ttl": None},
    {"tasks": []},
    {"resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}}},
    {"_meta": {"io.modelcontextprotocol/subscriptionId": "s"}, "resultType": "complete"},
]
ERRORS: list[Json] = [
    {"code": -32601, "message": "no such method"},
    {"code": -32602, "message": "bad", "data": {"pointer": "/a"}},
    {"code": -32603, "message": ""},
    {"code": -32600, "message": ""},
    {"code": -32700, "message": ""},
    {"code": -32042, "message": "", "data": {"elicitations": []}},
    {"code": -32020, "message": ""},
    {"code": -32021, "message": "", "data": {"requiredCapabilities": {"roots": {}}}},
    {"code": -32022, "message": "", "data": {"supported": ["2025-11-25"], "requested": "1"}},
]
PARTS: list[Json] = [
    *(TEXT, IMAGE, AUDIO, RESOURCE, BLOB, EMBEDDED, LINK, TOOL_USE, TOOL_RESULT, TOOL),
    *(FORM, SAMPLING, SIMPLE_SAMPLING, CAPABILITIES, OFFERED, META, *ERRORS),
    *FORM["properties"].values(),
    {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "title": "t"},
    {"mode": "url", "elicitationId": "e", "message": "Go", "url": "https://example.org/ä"},
    {"mode": "url", "message": "Go", "url": "x", "_meta": META},
    {"toolsListChanged": True, "resourceSubscriptions": ["file:///a"]},
    {"type": "ref/prompt", "name": "p", "title": "P"},
    *("user", "text", "", 0, 7, 7.0, 7.5, -1, True, None, 1e400, 2**70, [], [1], [TEXT], {}),
]


def messages() -> Iterator[Json]:
    """Yield every kind of message, with and without the newest revision's additions."""
    for name, params in PARAMS.items():
        method = name.strip()
        bare = {"method": method, "params": params}
        modern = {"method": method, "params": {**params, "_meta": META}}
        yield from (params, bare, modern, modern["params"], {"method": method})
        if method.startswith("notifications/"):
            yield {"jsonrpc": "2.0", **bare}
            yield {"jsonrpc": "2.0", **modern}
        else:
            yield {"jsonrpc": "2.0", "id": 1, **bare}
            yield {"jsonrpc": "2.0", "id": "é", **modern}
    for result in RESULTS:
        modern = {"resultType": "complete", "ttlMs": 5, "cacheScope": "public", **result}
        for value in (result, modern):
            yield from (value, {"jsonrpc": "2.0", "id": 1.0, "result": value})
    for error in ERRORS:
        yield {"jsonrpc": "2.0", "id": 0, "error": error}
        yield {"jsonrpc": "2.0", "error": error}
    first = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    yield from ([first, {"jsonrpc": "2.0", "method": "notifications/initialized"}], [first])
    yield [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 2, "error": ERRORS[0]},
    ]


@cache
def values() -> list[Json]:
    """Return every message and every part of one, each once."""
    result: dict[str, Json] = {}
    waiting: list[Json] = [*messages(), *PARTS]
    while waiting:
        value = waiting.pop()
        result.setdefault(json.dumps(value), value)
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
    return list(result.values())


def damaged_copies(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield copies of the value: without each property, and with each property of another type."""
    for name in value:
        yield {key: member for key, member in value.items() if key != name}
        for other in ("x", 1, True, [], {}):
            yield {**value, name: other}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", REVISIONS)
def test_models_agree_with_official_schema_on_every_message(
    revision: str,
) -> None:
    assert not [
        wrong for value in [*messages(), *PARTS] for wrong in disagreements(revision, value)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("revision", REVISIONS)
def test_sample_messages_cover_every_definition(revision: str) -> None:
    unseen = [
        name
        for name in definitions(revision)
        if not any(allows(revision, name, value) for value in values())
    ]
    assert unseen == []


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("revision", REVISIONS)
def test_models_round_trip_officially_valid_values(revision: str) -> None:
    whole, key = document(revision), "$defs" if "$defs" in document(revision) else "definitions"
    for name in definitions(revision):
        schema = {"$schema": whole["$schema"], "$ref": f"#/{key}/{name}", key: whole[key]}
        for full in (True, False):
            value = instance(schema, full=full)
            assert round_trip(revision, name, value) == plain(value), name


@pytest.mark.slow
@pytest.mark.parametrize("revision", REVISIONS)
def test_models_reject_damaged_messages_like_the_schema(revision: str) -> None:
    for value in [TOOL, SAMPLING, TEXT, LINK, CAPABILITIES, *RESULTS, *PARAMS.values()]:
        for name in definitions(revision):
            if name in WIDER or not allows(revision, name, value):
                continue
            for broken in damaged_copies(copy.deepcopy(value)):
                is_valid = allows(revision, name, broken)
                assert accepts(revision, name, broken) is is_valid, (name, broken)


@pytest.mark.slow
@pytest.mark.parametrize("value", ["1", "1.0", "0.5", "100000000000000000000"])
def test_a_number_is_written_as_it_was_sent(value: str) -> None:
    payload = f'{{"progress":{value},"progressToken":1}}'
    read = models("2025-11-25").ProgressNotificationParams.model_validate_json(payload)
    assert read.model_dump_json(exclude_unset=True) == payload.replace('":1}', '":1}')


@pytest.mark.slow
def test_json_values_may_be_null_or_fractional() -> None:
    """The official schema omits null and fractions."""
    value = {"a": [None, 0.5, {"b": "c"}], "d": True}
    for name in ("JSONValue", "JSONObject"):
        assert official.problems("2026-07-28", name, value)
        assert round_trip("2026-07-28", name, value) == plain(value)


@pytest.mark.slow
@pytest.mark.parametrize("revision", [r for r in REVISIONS if r >= "2025-06-18"])
def test_an_answer_of_a_user_may_be_a_fraction(revision: str) -> None:
    value = {"action": "accept", "content": {"height": 1.75, "age": 40, "ok": True}}
    value |= {"resultType": "complete"}
    assert official.problems(revision, "ElicitResult", value)
    assert round_trip(revision, "ElicitResult", value) == plain(value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, "JSONRPCRequest"),
        ({"jsonrpc": "2.0", "method": "ping"}, "JSONRPCNotification"),
        (
            {"jsonrpc": "2.0", "id": "1", "result": {"resultType": "complete"}},
            "JSONRPCResponse|JSONRPCResultResponse",
        ),
        ({"jsonrpc": "2.0", "id": 1, "error": ERRORS[0]}, "JSONRPCError|JSONRPCErrorResponse"),
    ],
)
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_message_is_read_as_the_kind_it_is(revision: str, value: Json, kind: str) -> None:
    assert type(read(revision, "JSONRPCMessage", value)).__name__ in kind.split("|")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("revision", REVISIONS)
def test_union_parses_the_discriminated_alternative(revision: str) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "a", "_meta": META},
    }
    assert type(read(revision, "ClientRequest", call)).__name__ == "CallToolRequest"
    result = read(
        revision, "CallToolResult", {"content": [EMBEDDED, TEXT], "resultType": "complete"}
    )
    kinds = [type(block).__name__ for block in result.content]
    assert kinds == ["EmbeddedResource", "TextContent"]
    assert type(result.content[0].resource).__name__ == "BlobResourceContents"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("revision", REVISIONS)
def test_fields_accept_python_and_wire_names(revision: str) -> None:
    module = models(revision)
    by_name = module.CallToolResult(content=[], is_error=True, meta={}, result_type="complete")
    by_alias = module.CallToolResult.model_validate(
        {"content": [], "isError": True, "_meta": {}, "resultType": "complete"}
    )
    assert by_name.is_error is by_alias.is_error is True
    assert by_alias.model_dump(exclude_unset=True)["_meta"] == {}
    assert json.loads(by_alias.model_dump_json(exclude_unset=True))["isError"] is True


def test_members_of_the_protocol_itself_have_short_names() -> None:
    meta = models("2026-07-28").RequestMetaObject.model_validate(META)
    assert (meta.protocol_version, meta.client_info.name) == ("2026-07-28", "probe")
    assert meta.model_dump(mode="json", exclude_unset=True) == META


@pytest.mark.sampled(2)
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_definition_is_there_under_its_own_name(revision: str) -> None:
    module = models(revision)
    missing = {name for name in definitions(revision) if not hasattr(module, name)}
    assert missing <= set(RENAMED)
    assert not hasattr(module, "Model")
    numbered = [name for name in vars(module) if re.search(r"\d$", name)]
    assert numbered == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("revision", REVISIONS)
def test_header_names_source_without_a_date(revision: str) -> None:
    schema = (folder("schema") / revision / "schema.json").read_bytes()
    first, second, third, *_ = text(revision).splitlines()
    assert re.fullmatch(r"# Code generated by mcpgen \d+\.\d+\.\d+\. DO NOT EDIT\.", first)
    assert second.endswith(f"MCP {revision},")
    assert third == f"# sha256:{hashlib.sha256(schema).hexdigest()}"
    assert time.strftime("%Y-%m") not in text(revision).replace(revision, "")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("revision", REVISIONS)
def test_descriptions_become_docstrings_in_plain_words(revision: str) -> None:
    assert "Definition for a tool the client can call." in models(revision).Tool.__doc__
    assert "{@link" not in text(revision)
    assert "A human-readable description of the tool." in text(revision)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_module_imports_pydantic_alone_and_silences_no_checker(revision: str) -> None:
    tree = ast.parse(text(revision))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules == {"__future__", "typing", "pydantic", "typing_extensions"}
    assert not any(isinstance(node, ast.Import) for node in ast.walk(tree))
    assert checkers.ignores(text(revision)) == []


@pytest.mark.slow
def test_same_revision_gives_same_bytes_in_any_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.black]\nline-length = 40\n[tool.datamodel-codegen]\nclass-name = 'X'\n"
    )
    program = (
        "from mcpgen.codegen.protocol_models import generate; print(generate('2025-03-26'), end='')"
    )
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert run.stdout == text("2025-03-26")


@checkers.typed()
def all_revisions(folder: Path) -> None:
    files = {f"{models(revision).__name__}/__init__.py": text(revision) for revision in REVISIONS}
    files["use/__init__.py"] = (
        "from mcp_2025_11_25 import CallToolRequest, CallToolRequestParams, TextContent, Tool\n\n\n"
        "def call(tool: Tool) -> CallToolRequest:\n"
        "    params = CallToolRequestParams(name=tool.name, arguments={}, meta=None)\n"
        '    return CallToolRequest(jsonrpc="2.0", id=1, method="tools/call", params=params)\n\n\n'
        'text: str = TextContent(type="text", text="", annotations=None).text\n'
    )
    checkers.write(files, folder)


@pytest.mark.slow
def test_both_strict_type_checkers_find_nothing_in_any_revision() -> None:
    assert all_revisions.pyright() == []
    assert all_revisions.mypy() == []


@pytest.mark.parametrize(
    ("revision", "near"),
    [
        ("2025-06-19", "2025-06-18"),
        ("2025-11", "2025-11-25"),
        ("draft", ""),
        ("", ""),
        ("9" * 999, ""),
    ],
)
def test_unknown_revision_error_lists_known_ones(revision: str, near: str) -> None:
    with pytest.raises(UsageError, match="unknown protocol revision") as caught:
        protocol_models.generate(revision)
    assert f"did you mean {near}" in caught.value.hint
    assert all(item in caught.value.hint for item in REVISIONS)
    assert len(caught.value.problem) < 100


def test_the_command_writes_to_stdout() -> None:
    run = CliRunner().invoke(cli, ["protocol", "2024-11-05"])
    assert (run.exit_code, run.stdout) == (0, text("2024-11-05"))


@pytest.mark.slow
def test_command_writes_a_file_and_reports_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "new" / "messages.py"
    for message in ("revision 2024-11-05\n", "revision 2024-11-05, unchanged\n"):
        run = CliRunner().invoke(cli, ["protocol", "2024-11-05", "-o", str(file)])
        assert (run.exit_code, run.stdout) == (0, "")
        assert run.stderr.endswith(message)
        assert file.read_text(encoding="utf-8") == text("2024-11-05")
    assert [path.name for path in file.parent.iterdir()] == ["messages.py"]


@pytest.mark.slow
def test_the_command_replaces_its_own_file_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "messages.py"
    file.write_text(text("2024-11-05"), encoding="utf-8")
    assert CliRunner().invoke(cli, ["protocol", "2025-03-26", "-o", str(file)]).exit_code == 0
    assert file.read_text(encoding="utf-8") == text("2025-03-26")
    file.write_text("mine = True\n")
    run = CliRunner().invoke(cli, ["protocol", "2025-03-26", "-o", str(file)])
    assert isinstance(run.exception, UsageError)
    assert file.read_text() == "mine = True\n"


FENCE = re.compile(r"^[ \t]*```json[^\n]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"(?m)(^|(?<=[\s,{\[]))//.*$")
SPECIFICATION = os.environ.get("MCPGEN_SPEC", "")


def documented_examples(revision: str) -> Iterator[tuple[str, str, Json]]:
    """Yield each JSON example in the documents of a revision, with its definition."""
    for file in sorted(Path(SPECIFICATION, "docs/specification", revision).rglob("*.mdx")):
        for block in FENCE.findall(file.read_text(encoding="utf-8")):
            try:
                yield file.name, "", json.loads(COMMENT.sub("", block))
            except ValueError:  # an ellipsis, or several values in one block
                continue
    for file in sorted(Path(SPECIFICATION, "schema", revision, "examples").rglob("*.json")):
        yield file.name, file.parent.name, json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.skipif(not SPECIFICATION, reason="MCPGEN_SPEC names no checkout of the specification")
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_example_of_the_specification_is_accepted(revision: str) -> None:
    examples = list(documented_examples(revision))
    assert len(examples) > 50
    for where, filed, value in examples:
        assert not list(disagreements(revision, value)), where
        if filed:
            assert accepts(revision, filed, value), where
        if isinstance(value, dict) and "jsonrpc" in value:
            assert accepts(revision, "JSONRPCMessage", value), where
            for part in ("params", "result", "error"):
                assert not list(disagreements(revision, value.get(part))), where
