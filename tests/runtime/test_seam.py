"""The names that generated code and its users depend on. They change only with a major version."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import mcpgen_runtime
import pytest
from mcpgen_runtime.client import McpClient, SyncClient
from paths import ROOT

CLIENT = {
    "client": "Completion McpClient PromptsView ResourceResult ResourcesView SyncClient SyncView"
    " ToolResult blocking",
    "lazy": "attach attach_package names_of",
    "models": "Boolean ByMembers CLOSED Closed ClosedModel ClosedSparse ClosedSparseModel Date"
    " DateOrText DateTime DateTimeOrText Exactly Integer Maybe Nothing Number Numeric OPEN Open"
    " OpenModel OpenSparseModel Sequence Tool ToolResult Uri Uuid UuidOrText Whole",
    "shell": "main",
    "testing": "Fake FakeFactory SyncFake",
}
"""Names that clients import, without those that they re-export."""
SERVER = {
    "lazy": "attach attach_package names_of",
    "models": "Boolean ByMembers CLOSED Closed ClosedSparse Date DateOrText DateTime DateTimeOrText"
    " Exactly Integer Maybe Nothing Number Numeric OPEN Open Sequence Tool Uri Uuid UuidOrText"
    " Whole",
    "server": "ContractServer ToolOutput Context Handler Policy PromptOutput ResourceOutput build",
}
"""Names that servers import, without those that they re-export."""
MIDDLEWARE = "Call Hints Middleware Proceed Result SyncProceed caching logging"
REEXPORTED_BY_SERVERS = (
    "Authorize Complete Context HttpLimits Introspection JwtAuth Limits NotFound Policy"
    " PromptOutput Rate RedisStore ResourceOutput SamplingResult SamplingTool Sanitize"
    " Subscriptions Tasks ToolError ToolInfo ToolOutput TooManyRounds Unanswered app"
    " call_former_prompt call_former_resource call_former_server call_former_tool extras raw_json"
    " requires run"
)
ATTRIBUTES = (
    "aclose call connect fake open response resume roots_changed session start tools with_options"
)
"""Public attributes of a client. A tool with one of these names gets another method name."""
SYNC_ATTRIBUTES = (
    "call close connect fake open response resume roots_changed start tools with_options"
)


def runtime_imports(folders: Iterator[Path]) -> set[tuple[str, str]]:
    """Return the runtime modules and names that golden packages import."""
    return {
        (node.module.partition(".")[2], alias.name)
        for folder in folders
        for file in (folder / "expected").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module is not None
        and node.module.partition(".")[0] == "mcpgen_runtime"
        for alias in node.names
    }


def listed_names(names: dict[str, str]) -> set[tuple[str, str]]:
    return {(module, name) for module, text in names.items() for name in text.split()}


def test_clients_import_only_listed_names() -> None:
    assert len(listed_names(CLIENT)) <= 50
    folders = (path for path in (ROOT / "golden").iterdir() if not path.name.startswith("server-"))
    shared = {("", name) for name in mcpgen_runtime.__all__}
    middleware = {("middleware", name) for name in MIDDLEWARE.split()}
    assert runtime_imports(folders) <= listed_names(CLIENT) | shared | middleware


def test_servers_import_only_listed_names() -> None:
    assert len(listed_names(SERVER)) <= 35
    shared = {("server", name) for name in REEXPORTED_BY_SERVERS.split()}
    assert runtime_imports((ROOT / "golden").glob("server-*")) <= listed_names(SERVER) | shared


@pytest.mark.parametrize("names", [CLIENT, SERVER], ids=["client", "server"])
def test_listed_names_exist(names: dict[str, str]) -> None:
    for module, name in listed_names(names):
        assert hasattr(import_module(f"mcpgen_runtime.{module}"), name)


def test_public_attributes_of_clients_are_listed() -> None:
    assert [name for name in dir(McpClient) if name[0] != "_"] == ATTRIBUTES.split()
    assert [name for name in dir(SyncClient) if name[0] != "_"] == SYNC_ATTRIBUTES.split()


def test_inner_modules_import_no_facade() -> None:
    root = Path(mcpgen_runtime.__file__).parent
    facades = [folder.parent for folder in root.rglob("*/__init__.py")]
    for file in root.rglob("*.py"):
        if file.name == "__init__.py" or file == root / "middleware.py":
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                path = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                for alias in node.names:
                    target = path / alias.name
                    is_module = target.with_suffix(".py").is_file() or target.is_dir()
                    assert path not in [*facades, root] or is_module, (file, alias.name)
