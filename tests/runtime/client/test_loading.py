"""Optional modules are loaded only by packages and calls that need them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import mcpgen_runtime
import pytest
from paths import ROOT
from runtime.packages import folder, import_client

from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import loads

USE = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from {package} import Client
imported = list(sys.modules)
import mcpgen_runtime
from mcp import StdioServerParameters

async def use():
    command = StdioServerParameters(command=sys.executable, args=["-m", "mcpgen.demo"])
    async with Client.connect(command, {options}) as client:
        await client.get_item(id="B-1")

asyncio.run(use())
print(json.dumps([imported, list(sys.modules)]))
"""

IMPORT = """
import json, sys, typing
from pydantic import MISSING
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
from {package} import Client
{use}
print(json.dumps([name for name in sys.modules if name not in before]))
"""

BY_IMPORT = {
    *("_version", "abbreviate", "client", "client.base", "client.sync", "calls", "calls.caller"),
    *("contract", "errors", "lazy", "models", "models.content", "models.response"),
    *("jsonpointer", "models.results", "options", "package", "problem", "tool"),
}
"""Modules that an import of the client loads, without those of views."""

HTTP = {
    *("connection.wire.http", "connection.wire.events", "connection.wire.pending"),
    *("connection.http_errors", "connection.routing.http_status", "tls"),
}
HOOKS = {"calls.confirm", "calls.progress", "calls.limits", "calls.retry"}
AROUND = {"calls.middleware", "calls.caching", "calls.call_logging", "calls.telemetry"}
"""Middleware and telemetry."""
OTHERS = {
    *("models.display", "connection.routing.recorded", "connection.portal", "connection.probe"),
    "connection.connect_errors",
}
"""Displays of results, the recorded server, and what few calls need."""
ASKED = {
    *(f"conversation.{name}" for name in ("server_requests", "terminal_prompts", "fields")),
    *(f"conversation.{name}" for name in ("questions", "roots", "sampler", "sampling")),
    *("conversation.terminal", "threads"),
}
"""Answers to the server's requests."""
EVENTS = {f"connection.{name}" for name in ("callbacks", "events", "subscriptions")}
"""Notifications of the server."""
COMPATIBLE = {f"validation.{name}" for name in ("compatible", "subset", "schema_annotations")}
"""The judgment of changed tools."""

RECORDED = {
    f"replay.{name}"
    for name in ("tape", "answers", "definition", "call_records", "recorded_calls", "redactor")
}
"""Recording and replay of calls."""


TASKS = {f"calls.tasks.{name}" for name in ("call", "progress", "requests", "run", "status")}
"""What follows tasks, if the contract has some."""


def loaded_modules(package: str, options: str = "") -> tuple[set[str], set[str]]:
    """Return the runtime modules loaded by the import and, in addition, by a stdio call."""
    run = subprocess.run(
        [sys.executable, "-c", USE.format(package=package, options=options), str(folder())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    prefix = "mcpgen_runtime."
    by_import, in_the_end = (
        {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
        for names in json.loads(run.stdout)
    )
    return by_import, in_the_end


def beside_pydantic(package: str, use: str = "") -> set[str]:
    """Return the modules that importing the client loads but `import pydantic` doesn't."""
    code = IMPORT.format(package=package, use=use)
    command = [sys.executable, "-c", code, str(folder())]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return {
        name
        for name in json.loads(run.stdout)
        if name.split(".")[0] not in (package, "mcpgen_runtime")
    }


def golden(case: str) -> Contract:
    return read(loads((ROOT / "golden" / case / "contract.json").read_bytes()))


def demo(package: str, *, with_views: bool = True) -> str:
    contract = golden("demo")
    if not with_views:
        contract = replace(contract, prompts={}, resources={}, resource_templates={})
    import_client(contract, package)
    return package


@pytest.mark.slow
def test_client_import_loads_exactly_these_runtime_modules() -> None:
    by_import, _ = loaded_modules(demo("loads_by_import"))
    assert by_import == BY_IMPORT | {"client.views"}


@pytest.mark.parametrize("case", ["demo", "constraints", "shared-types-basemodel"])
def test_client_import_loads_nothing_beyond_pydantic(case: str) -> None:
    package = f"loads_{case}".replace("-", "_")
    import_client(golden(case), package)
    assert beside_pydantic(package) <= {"_contextvars", "contextvars"}


def test_format_types_load_without_their_parsers() -> None:
    import_client(golden("constraints"), "loads_formats")
    source = (folder() / "loads_formats" / "client.py").read_text("utf-8")
    assert (
        "from mcpgen_runtime.models import DateOrText, DateTimeOrText, Uri, UuidOrText\n" in source
    )
    used = beside_pydantic("loads_formats", "typing.get_type_hints(Client.strings)")
    assert not used & {"pydantic.networks", "pydantic.types", "uuid"}


@pytest.mark.slow
def test_stdio_call_loads_neither_http_nor_hooks_nor_displays() -> None:
    by_import, in_the_end = loaded_modules(demo("loads_stdio"))
    unused = HTTP | HOOKS | OTHERS | ASKED | EVENTS | COMPATIBLE | AROUND | TASKS | RECORDED
    assert not in_the_end & unused
    assert not [name for name in in_the_end if name.startswith("testing")]
    assert {
        *("connection.connect", "connection.routing.transports", "connection.wire.process"),
        "models.values",
    } <= in_the_end - by_import
    assert "client.base" in by_import


def test_every_lazy_module_exists() -> None:
    runtime = Path(mcpgen_runtime.__file__).parent
    for name in HTTP | HOOKS | OTHERS | ASKED | EVENTS | COMPATIBLE | AROUND | TASKS | RECORDED:
        assert runtime.joinpath(*name.split(".")).with_suffix(".py").is_file()


@pytest.mark.slow
def test_a_hook_is_loaded_where_one_is_given() -> None:
    _, in_the_end = loaded_modules(demo("loads_hook"), "confirm=lambda tool, arguments: True")
    assert "calls.confirm" in in_the_end


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "modules"),
    [
        (
            "elicit=lambda question: question.decline()",
            {"conversation.questions", "conversation.fields"},
        ),
        ("sampling=lambda request: 'text'", {"conversation.sampler", "conversation.sampling"}),
        ("roots='.'", {"conversation.roots"}),
    ],
)
def test_callbacks_load_when_given(option: str, modules: set[str]) -> None:
    _, in_the_end = loaded_modules(demo("loads_asked"), option)
    assert in_the_end & ASKED == modules | {"conversation.server_requests", "threads"}


@pytest.mark.slow
def test_task_modules_load_only_for_task_contracts() -> None:
    contract = golden("demo")
    tools = {
        name: {**raw, "execution": {"taskSupport": "optional"}}
        for name, raw in contract.tools.items()
    }
    import_client(replace(contract, tools=tools), "loads_tasks")
    by_import, in_the_end = loaded_modules("loads_tasks", "verify='off'")
    assert not by_import & TASKS
    assert in_the_end >= TASKS


@pytest.mark.slow
def test_event_modules_load_when_callbacks_are_given() -> None:
    _, in_the_end = loaded_modules(
        demo("loads_events"), "callbacks=mcpgen_runtime.Callbacks(on_log=print)"
    )
    assert in_the_end >= EVENTS
    assert not in_the_end & COMPATIBLE


@pytest.mark.slow
def test_compatibility_checks_load_when_requested() -> None:
    _, in_the_end = loaded_modules(demo("loads_compatible"), "verify='compatible'")
    assert in_the_end >= EVENTS | {"validation.compatible"}


@pytest.mark.slow
def test_call_recording_loads_when_a_file_is_given(tmp_path: Path) -> None:
    by_import, in_the_end = loaded_modules(
        demo("loads_record"), f"record={str(tmp_path / 'calls')!r}"
    )
    assert not by_import & RECORDED
    assert in_the_end >= RECORDED


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("with_views", [True, False])
def test_views_load_only_for_packages_with_views(*, with_views: bool) -> None:
    package = demo(f"loads_views_{with_views}".lower(), with_views=with_views)
    by_import, in_the_end = loaded_modules(package)
    assert ("client.views" in by_import) is with_views
    assert ("client.views" in in_the_end) is with_views
