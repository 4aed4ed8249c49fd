"""A failure in one tool never affects another, in any function at any stage. The functions are
not listed by hand. A run is traced for all of mcpgen's own functions that receive data of one
tool, and then each of them is made to fail for that tool.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest
from mcpgen_runtime.redaction.credentials import Credentials
from projects import call

from mcpgen import isolation
from mcpgen.codegen.agent_files.budget import budget
from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.compare import compare
from mcpgen.compare.judge import judge
from mcpgen.contract import document as contract
from mcpgen.contract.document import Contract
from mcpgen.errors import BugError, ContractError, Notice, UsageError
from mcpgen.findings.options import ReportOptions
from mcpgen.findings.policy import DiffPolicy
from mcpgen.findings.reports.formats import DIFF_FORMATS, render_diff
from mcpgen.isolation import FAILURE, isolate, surviving
from mcpgen.jsontext import Json
from mcpgen.lint.lint import lint
from mcpgen.servers.endpoint.origin import Origin
from mcpgen.servers.endpoint.redaction import Secrets
from mcpgen.servers.recording.build_contract import build_contract
from mcpgen.servers.recording.raw_responses import Answers
from mcpgen.testing import mock

MARK = "culprit"
MOST_CALLS = 200
"""How many calls of a function are looked at for what it is given."""

PACKAGE = Path(isolation.__file__).parent


class BrokenError(Exception):
    """Raised by a function that the test broke."""


# Input: a tool with every feature, which mentions its name wherever possible, and its neighbors.

SAID: Json = {
    "type": "object",
    "description": "What the culprit takes.",
    "properties": {
        "culprit_id": {"type": "string", "format": "uuid", "description": "Of the culprit."},
        "culprit_kind": {"enum": ["culprit", "other", 3], "default": 5},
        "culprit_size": {"type": "integer", "minimum": 1, "maximum": 9, "title": "culprit"},
        "culprit_part": {"$ref": "#/$defs/Culprit"},
        "culprit_list": {"type": "array", "items": {"$ref": "#/$defs/Culprit"}, "minItems": 1},
        "culprit_any": {
            "oneOf": [
                {"type": "object", "properties": {"is": {"const": "culprit"}}, "required": ["is"]},
                {"type": "object", "properties": {"is": {"const": "other"}}, "required": ["is"]},
            ]
        },
        "culprit_text": {"type": "string", "pattern": "^culprit(?=x)", "x-mcp-header": "Culprit"},
    },
    "required": ["culprit_id"],
    "$defs": {
        "Culprit": {
            "type": "object",
            "properties": {"culprit": {"$ref": "#/$defs/Culprit"}, "on": {"const": "culprit"}},
        }
    },
}
CULPRIT: Json = {
    "name": "culprit",
    "title": "The culprit",
    "description": "A culprit that is described in more words than will ever fit on one line.",
    "inputSchema": SAID,
    "outputSchema": {**SAID, "additionalProperties": False},
    "annotations": {"readOnlyHint": True, "culprit": 1, "title": 7},
}


def fine(name: str) -> Json:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    return {"name": name, "inputSchema": schema, "outputSchema": schema, "description": "Fine."}


FINE = [fine("before"), fine("later")]
PROMPT = {"name": "culprit", "arguments": [{"name": "culprit_of", "required": True}]}
RESOURCE = {"uri": "culprit://one", "name": "culprit", "mimeType": "text/culprit"}
TEMPLATE = {"uriTemplate": "culprit://{culprit}", "name": "culprits", "description": "culprit"}
OTHERS: dict[str, Json] = {
    "prompts": [{"name": "ask", "arguments": [{"name": "x"}]}],
    "resources": [{"uri": "fine://one", "name": "one"}],
    "resourceTemplates": [{"uriTemplate": "fine://{a}", "name": "some"}],
}
WITHOUT: dict[str, Json] = {
    "serverInfo": {"name": "Many", "version": "1"},
    "protocolVersion": "2025-11-25",
    "tools": FINE,
    **OTHERS,
}
WITH: dict[str, dict[str, Json]] = {
    "tools": {**WITHOUT, "tools": [*FINE, CULPRIT]},
    "prompts": {**WITHOUT, "prompts": [*OTHERS["prompts"], PROMPT]},
    "resources": {**WITHOUT, "resources": [*OTHERS["resources"], RESOURCE]},
    "resourceTemplates": {
        **WITHOUT,
        "resourceTemplates": [*OTHERS["resourceTemplates"], TEMPLATE],
    },
}


def change_document(document: dict[str, Json]) -> dict[str, Json]:
    """Return a document with changes to the culprit and to one neighbor."""
    tools = [
        {
            **tool,
            "description": f"{tool['description']} Now else.",
            "inputSchema": {**tool["inputSchema"], "minProperties": 2, "required": []},
        }
        for tool in document["tools"]
    ]
    prompts = [{**prompt, "description": "Now else."} for prompt in document["prompts"]]
    return {**document, "tools": tools, "prompts": prompts}


# Output: comparable parts, and notices.


@dataclass(frozen=True)
class Made:
    """The output of a stage by definition, with its notices."""

    parts: Mapping[str, object]
    notices: Sequence[Notice]


Run = Callable[[], Made]


def client(style: Any) -> Callable[[dict[str, Json]], Run]:
    def prepare(document: dict[str, Json]) -> Run:
        recorded_contract = contract.read(document)

        def run() -> Made:
            package = generate(recorded_contract, Options(style=style))
            return Made(package.files, package.notices)

        return run

    return prepare


def server(document: dict[str, Json]) -> Run:
    recorded_contract = contract.read(document)

    def run() -> Made:
        project = generate_server(recorded_contract, ServerOptions(standalone=False))
        return Made({**project.generated, **project.own}, project.notices)

    return run


def by_part(recorded_contract: Contract) -> dict[str, object]:
    lists = recorded_contract.lists()
    return {f"{member} {key}": lists[member][key] for member in lists for key in lists[member]}


def mock_run(document: dict[str, Json]) -> Run:
    recorded_contract = contract.read(document)

    def run() -> Made:
        served, notices = mock.servable(recorded_contract)
        mock.server(served)
        return Made(by_part(served), notices)

    return run


def read(document: dict[str, Json]) -> Run:
    return lambda: recorded_file(document)


def recorded_file(document: dict[str, Json]) -> Made:
    """Read a file as `record` does."""
    from mcpgen.cli.record import _to_text

    recorded_contract = contract.read(document)
    (_, text, odd), failures = isolate(_to_text, recorded_contract)
    notices = [*contract.left_out(document), *isolation.failure_notices(failures), *odd]
    return Made({"text": text}, notices)


def assemble_run(document: dict[str, Json]) -> Run:
    return lambda: assemble_document(document)


def assemble_document(document: dict[str, Json]) -> Made:
    """Assemble a contract from a server's responses."""
    methods = {
        "tools": "tools/list",
        "prompts": "prompts/list",
        "resources": "resources/list",
        "resourceTemplates": "resources/templates/list",
    }
    pages = {method: [{member: document[member]}] for member, method in methods.items()}
    greeting = {
        "protocolVersion": document["protocolVersion"],
        "serverInfo": document["serverInfo"],
        "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
    }
    answers = Answers(document["protocolVersion"], greeting, pages)
    recorded = build_contract(answers, Origin({}, Secrets({})), Credentials())
    return Made(by_part(recorded.contract), recorded.notices)


def compare_run(document: dict[str, Json]) -> Run:
    old, new = contract.read(document), contract.read(change_document(document))
    return lambda: compare_and_report(old, new)


def compare_and_report(old: Contract, new: Contract) -> Made:
    """Compare and report as `diff`, `lock` and `check --live` do."""
    changes = compare(old, new)
    report = judge(changes, DiffPolicy())
    texts = {
        diff_format: render_diff(report, ReportOptions(diff_format)) for diff_format in DIFF_FORMATS
    }
    parts = {f"{c.subject} {c.rule} {c.path}": c for c in changes if MARK not in c.subject}
    assert all("before" in text for text in texts.values())
    missing = [c for c in changes if c.rule == "U03" and MARK in c.subject]
    messages = [text for text in texts.values() if "mcpgen failed to show its values" in text]
    named = [Notice(c.new_pointer, c.subject, FAILURE) for c in missing]
    return Made(parts, named or [Notice(f"/tools/{MARK}", text, FAILURE) for text in messages])


def lint_run(document: dict[str, Json]) -> Run:
    recorded_contract = contract.read(document)

    def run() -> Made:
        items, notices = lint(recorded_contract)
        parts = {f"{item.rule} {item.pointer}": item for item in items}
        return Made({key: item for key, item in parts.items() if MARK not in key}, notices)

    return run


def budget_run(document: dict[str, Json]) -> Run:
    recorded_contract = contract.read(document)

    def run() -> Made:
        result, failures = isolate(budget, recorded_contract)
        return Made({tool.name: tool for tool in result.tools}, isolation.failure_notices(failures))

    return run


RUNS: dict[str, Callable[[dict[str, Json]], Run]] = {
    **{f"client {style}": client(style) for style in STYLES},
    "server": server,
    "mock": mock_run,
    "record a file": read,
    "record a server": assemble_run,
    "diff": compare_run,
    "lint": lint_run,
    "budget": budget_run,
}

# Functions of the isolation itself, and the start and end of a run.
MECHANISM = {
    "isolation.py": "all",
    "jsontext.py": "is_array is_object",
    "jsonpointer.py": "escape",
    "contract/definitions.py": "parse server_name",
    "contract/document.py": "read parts lists only _string _object __post_init__ _order"
    " _texts_by_key _sort _sorted_list _lists left_out _left_out_of _by_key _texts _definition"
    " _definitions _entries unfit _fit <lambda> <listcomp> <dictcomp> <genexpr>",
    # Functions that receive the whole contract but only handle definitions other than tools.
    "codegen/plan/client.py": "_resources _resource resource_names",
    "codegen/plan/server.py": "_resources",
    "contract/capabilities.py": "capabilities_to_declare",
    "codegen/pipeline.py": "generate package <lambda>",
    "codegen/server_pipeline.py": "generate_server package <lambda>",
    "codegen/naming.py": "pin",
    "codegen/plan/sharing.py": "pin",
    "testing/mock/contract_server.py": "servable server conversation tasks answering capabilities"
    " server_info",
    "testing/mock/scripted_responses.py": "read",
    "testing/mock/conversation.py": "serve",
    "testing/mock/tasks.py": "serve support declared_capabilities runs_tasks <dictcomp>",
    "compare/contracts.py": "compare _refuse_unlike _uncompared _definition _sorted_changes _order"
    " <dictcomp> <listcomp> <genexpr>",
    # A failed comparison must never count as "no change".
    "compare/judge.py": "judge _findings _position_only _finding <listcomp> <genexpr>",
    "findings/change.py": "is_same fingerprint",
    "findings/reports/formats.py": "render_diff _without_values <lambda>",
    "lint/lint.py": "lint _in_order <lambda>",
    "servers/recording/build_contract.py": "build_contract entry_in _positions _only _lost_notice"
    " <lambda> <listcomp>",
    "servers/recording/raw_responses.py": "entries_of",
}


@cache
def place(code: CodeType) -> tuple[str, str, int]:
    """Return the file below mcpgen, the name and the line of a function. The file is empty for
    other packages.
    """
    file = Path(code.co_filename)
    inner = file.relative_to(PACKAGE).as_posix() if file.is_relative_to(PACKAGE) else ""
    return inner, code.co_name, code.co_firstlineno


@cache
def is_isolated(code: CodeType) -> bool:
    inner, name, _ = place(code)
    if not inner or inner.startswith("cli/"):
        return False
    exempt = MECHANISM.get(inner, "")
    return exempt != "all" and name not in exempt.split()


def is_watched(frame: FrameType) -> bool:
    """Return True if an isolated function of mcpgen receives the culprit."""
    return is_isolated(frame.f_code) and any(
        MARK in repr(value).lower() for value in frame.f_locals.values()
    )


@contextmanager
def trace_calls(
    trace: Callable[[FrameType], None], monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Run a callback on each function call, even after it raised."""

    def on_call(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and is_isolated(frame.f_code):
            trace(frame)

    attempt = isolation._Search.error

    def error(self: Any, items: Sequence[Any]) -> Exception | None:
        sys.settrace(on_call)  # Python stops to trace when that has raised
        return attempt(self, items)

    before = sys.gettrace()
    monkeypatch.setattr(isolation._Search, "error", error)
    sys.settrace(on_call)
    try:
        yield
    finally:
        sys.settrace(before)
        monkeypatch.undo()


def functions(run: Run, patch: pytest.MonkeyPatch, share: slice) -> list[tuple[str, str, int]]:
    """Return every function that receives the culprit or, in CI, the first one of some modules."""
    result: dict[tuple[str, str, int], None] = {}

    tried: Counter[tuple[str, str, int]] = Counter()

    def note(frame: FrameType) -> None:
        key = place(frame.f_code)
        tried[key] += 1
        if key not in result and tried[key] <= MOST_CALLS and is_watched(frame):
            result[key] = None

    with trace_calls(note, patch):
        run()
    if os.environ.get("MCPGEN_ALL"):
        return list(result)
    firsts: dict[str, list[tuple[str, str, int]]] = {}
    for key in result:
        firsts.setdefault(key[0], []).append(key)
    return [keys[0] for keys in firsts.values()][share]


def broken(key: tuple[str, str, int], run: Run, patch: pytest.MonkeyPatch) -> tuple[Made, bool]:
    """Run while one function fails for the culprit. Return the output, and whether it failed."""
    raised: list[bool] = []

    def break_it(frame: FrameType) -> None:
        if place(frame.f_code) == key and is_watched(frame):
            raised.append(True)
            raise BrokenError("on purpose")

    with trace_calls(break_it, patch):
        result = run()
    return result, bool(raised)


SHARES = {
    "record a file": slice(None),
    "record a server": slice(None),
    "mock": slice(None),
    "server": slice(0, None, 8),
    "diff": slice(0, None, 4),
    "lint": slice(0, None, 4),
    "budget": slice(0, None, 4),
    **{f"client {style}": slice(n, None, 4 * len(STYLES)) for n, style in enumerate(STYLES)},
}
"""Which functions are broken in CI: a quarter of those of a client, each in one of the styles."""


# A generator that is broken may be closed whenever Python likes.
@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("member", WITH)
def test_failing_function_affects_only_its_definition(
    member: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, alone = RUNS[name](WITH[member]), RUNS[name](WITHOUT)().parts
    whole = run().parts
    is_few = member != "tools" and name.startswith("client")
    watched = functions(run, monkeypatch, slice(0, None, 24) if is_few else SHARES[name])
    count = 0
    for key in watched:
        result, raised = broken(key, run, monkeypatch)
        if not raised:
            continue  # its earlier return value was used
        count += 1
        named = [n for n in result.notices if n.kind == FAILURE]
        if not named:
            assert result.parts == whole, key  # the failure had no effect
            continue
        assert all(n.pointer.startswith(f"/{member}/{MARK}") for n in named), (key, named)
        assert all("report" in n.reason or name == "diff" for n in named), (key, named)
        if name == "diff":
            assert result.parts == alone, key
            continue
        if MARK not in repr(sorted(result.parts.items())):
            assert result.parts == alone, key  # byte for byte as if it had never been there
        same = [path for path in alone if path.startswith("models/") and path[7:9] != "__"]
        assert all(result.parts[path] == alone[path] for path in same), key
    assert count > 0


# Over the command line


def fail_for_the_culprit(patch: pytest.MonkeyPatch) -> None:
    """Break the schema check, which every command uses."""
    from mcpgen.schemas.validation import schemas

    before = schemas._size_problem

    def raise_for_culprit(schema: Json) -> Any:
        if MARK in repr(schema):
            raise BrokenError("on\npurpose")
        return before(schema)

    patch.setattr(schemas, "_size_problem", raise_for_culprit)


TABLE = """\
[tool.mcpgen.servers.many]
source = "dump.json"
contract = "many.contract.json"
client = {output = "src", name = "many"}
server = {output = "servers", name = "many_server"}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project whose server has a culprit among its tools."""
    fail_for_the_culprit(monkeypatch)
    target = tmp_path / "project"
    target.mkdir()
    (target / "dump.json").write_text(json.dumps(WITH["tools"]))
    (target / "old.json").write_text(json.dumps(change_document(WITH["tools"])))
    (target / "pyproject.toml").write_text(TABLE)
    return target


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("client", "dump.json", "-o", "out"),
        ("server", "dump.json", "-o", "out"),
        ("record", "dump.json"),
        ("lock",),
    ],
    ids=lambda arguments: arguments[0],
)
def test_command_reports_the_failed_tool_and_continues(
    arguments: tuple[str, ...], folder: Path
) -> None:
    ended = call(folder, *arguments, *(() if arguments == ("lock",) else ("-v",)))
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    if arguments != ("lock",):  # lock reads no schema of a new tool
        assert "notice: /tools/culprit: mcpgen failed in checking its schemas" in ended.stderr
        assert "BrokenError: on purpose" in ended.stderr


@pytest.mark.slow
def test_project_pipeline_works_next_to_a_failing_tool(folder: Path) -> None:
    assert call(folder, "lock").returncode == 0
    completed = call(folder, "generate", "-v")
    assert completed.returncode == 0, completed.stderr
    assert "/tools/culprit: mcpgen failed" in completed.stderr
    assert "async def before(" in (folder / "src/many/client.py").read_text()
    assert call(folder, "check").returncode == 0
    (folder / "dump.json").write_text(json.dumps(change_document(WITH["tools"])))
    locked = call(folder, "lock")
    assert (locked.returncode, "mcpgen failed to compare it" in locked.stdout) == (1, True)
    live = call(folder, "check", "--live")
    assert (live.returncode, "mcpgen failed to compare it" in live.stdout) == (1, True)
    assert "tool before" in live.stdout


def test_uncomparable_tool_fails_and_other_changes_are_shown(folder: Path) -> None:
    ended = call(folder, "diff", "old.json", "dump.json")
    assert ended.returncode == 1
    assert "mcpgen failed to compare it" in ended.stdout
    assert "tool before" in ended.stdout
    assert call(folder, "diff", "dump.json", "dump.json").returncode == 0


@pytest.mark.slow
def test_client_with_a_failed_tool_sends_plain_json(
    folder: Path,
) -> None:
    assert call(folder, "client", "dump.json", "-o", "out", "--name", "many").returncode == 0
    code = (
        "import many; from many.models import TOOLS; assert 'culprit' in TOOLS;"
        "from many.models.culprit import TOOL; assert TOOL.arguments is None;"
        "from many.models.before import TOOL; assert TOOL.arguments is not None;"
        "[getattr(many, name) for name in many.__all__]"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder / "out",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


# The search itself


def made_unless(*bad: set[str]) -> Callable[[Sequence[str]], list[str]]:
    """Return a stage that fails if all items of a set occur together."""

    def make(items: Sequence[str]) -> list[str]:
        for item in bad:
            if item <= set(items):
                raise BrokenError(f"{sorted(item)}")
        return list(items)

    return make


ITEMS = list("abcdefgh")


@pytest.mark.parametrize(
    ("bad", "remaining"),
    [
        ([], "abcdefgh"),
        ([{"c"}], "abdefgh"),
        ([{"a"}, {"h"}, {"e"}], "bcdfg"),
        ([{entry} for entry in ITEMS], ""),
        ([{"a", "h"}], "abcdefg"),
        ([{"c", "d"}, {"c", "e"}, {"a"}], "bcfgh"),
    ],
)
def test_largest_working_set_is_kept(bad: list[set[str]], remaining: str) -> None:
    result, failures = surviving(ITEMS, made_unless(*bad))
    assert "".join(result) == remaining
    assert sorted({failure.item for failure in failures} | set(remaining)) == ITEMS


def test_failing_item_falls_back_to_its_plain_form() -> None:
    bad = made_unless({"a"}, {"b"}, {"B"}, {"D", "C"}, {"c"}, {"d"})
    result, failures = surviving(list("abcd"), bad, lambda item: item.upper())
    assert sorted(result) == ["A", "C"]
    assert sorted((f.item, f.replacement) for f in failures if f.replacement) == [
        ("a", "A"),
        ("c", "C"),
    ]
    assert sorted(f.item for f in failures if not f.replacement) == ["b", "d"]


def test_earlier_failures_are_suspected_first() -> None:
    bad = made_unless({"a"}, {"A", "c"}, {"A", "f"})
    result, failures = surviving(list("abcdef"), bad, lambda item: item.upper())
    assert "".join(result) == "bcdef"
    assert [(failure.item, failure.replacement) for failure in failures] == [("a", None)]


@pytest.mark.parametrize("error", [MemoryError(), KeyboardInterrupt(), UsageError("x")])
def test_failure_without_a_culprit_is_raised(error: BaseException) -> None:
    def make(items: Sequence[str]) -> None:
        if "c" in items:
            raise error

    with pytest.raises(type(error)):
        surviving(ITEMS, make)


def test_failure_on_no_items_is_raised_at_once() -> None:
    calls: list[int] = []

    def make(items: Sequence[str]) -> None:
        calls.append(len(items))
        raise ContractError("always")

    with pytest.raises(ContractError, match="always"):
        surviving(ITEMS, make)
    assert calls == [8, 0]


def test_only_a_fault_of_ours_asks_for_a_report() -> None:
    assert isolation.is_ours(BrokenError())
    assert isolation.is_ours(RecursionError())
    assert isolation.is_ours(BugError("x"))
    assert not isolation.is_ours(ContractError("x"))
