"""Servers written for the SDK that `mcpgen server --from` migrates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import anyio
import environments
import pytest
import sdk_programs
from mcp import Client, StdioServerParameters
from paths import CACHE, ROOT
from skeletons import MODES

FORMER = '''\
"""A small library."""

import json
from typing import Annotated

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

mcp = MCPServer("library", instructions="Ask for books.")


class Book(BaseModel):
    title: str
    pages: int = 1


@mcp.tool()
def add(book: Book, copies: Annotated[int, Field(ge=1)] = 1) -> Book:
    """Add a book."""
    assert isinstance(book, Book)
    if book.title == "lost":
        raise ToolError("it is lost")
    if book.title == "broken":
        raise KeyError("a secret")
    return Book(title=book.title, pages=book.pages * copies)


@mcp.tool()
async def count(words: list[str]) -> int:
    """Count words."""
    return len(words)


@mcp.tool(name="odd name", structured_output=False)
def cover() -> list:
    return ["a text", Image(data=b"1", format="png"), {"a": None}]


@mcp.tool()
async def report(ctx: Context, text: str) -> str:
    return text


def make(server: MCPServer) -> None:
    @server.tool()
    def inner(text: str) -> str:
        if text == "bad":
            raise ToolError("no such text")
        return text.upper()


make(mcp)


@mcp.prompt()
def summarize(topic: str, style: str = "short") -> str:
    return f"{style}: {topic}"


@mcp.resource("library://rules")
def rules() -> dict:
    return {"quiet": True}


@mcp.resource("library://books/{title}")
def book(title: str) -> str:
    return title


def create(name: str) -> MCPServer:
    server = MCPServer(name)
    make(server)
    return server
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the former server and the project made of it."""
    folder = tmp_path_factory.mktemp("migration")
    (folder / "former.py").write_text(FORMER)
    output = generate(folder, "--from", "former.py")
    assert output.startswith("importing former.py, which runs its code\n")
    assert "/tools/report: its function takes ctx from the former library" in output
    assert output.count("its method is a stub") == 1
    return folder


def generate(folder: Path, *arguments: str, code: int = 0) -> str:
    command = sdk_programs.mcpgen("server", "--no-standalone", *arguments)
    completed = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert completed.returncode == code, completed.stderr
    return completed.stderr


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, list[Any]]:
    """What the former server and the new one respond, by kind of request."""
    former = [sys.executable, "-c", "import former; former.mcp.run()"]
    new = [sys.executable, "-m", "library"]
    paths = [str(folder), str(folder / "library" / "src")]
    responses: dict[str, list[Any]] = {}
    for command, path in zip((former, new), paths, strict=True):
        for mode in MODES:
            for name, value in anyio.run(_responses, command, path, mode).items():
                responses.setdefault(name, []).append(value)
    return responses


async def _responses(
    command: list[str], path: str, mode: Literal["auto", "legacy"]
) -> dict[str, Any]:
    target = StdioServerParameters(command=command[0], args=command[1:], env={"PYTHONPATH": path})
    async with Client(target, mode=mode) as client:
        calls: dict[str, tuple[str, dict[str, Any]]] = {
            "model": ("add", {"book": {"title": "Emma", "pages": 2}, "copies": 3}),
            "wrapped": ("count", {"words": ["a", "b"]}),
            "content": ("odd name", {}),
            "closure": ("inner", {"text": "a"}),
            "error": ("add", {"book": {"title": "lost"}}),
            "closure error": ("inner", {"text": "bad"}),
            "crash": ("add", {"book": {"title": "broken"}}),
        }
        responses: dict[str, Any] = {
            name: await client.call_tool(tool, arguments)
            for name, (tool, arguments) in calls.items()
        }
        tools = (await client.list_tools()).tools
        responses["tools"] = {tool.name: tool.model_dump(mode="json") for tool in tools}
        responses["prompt"] = await client.get_prompt("summarize", {"topic": "rain"})
        responses["resource"] = await client.read_resource("library://rules")
        responses["template"] = await client.read_resource("library://books/Emma")
        return responses


@pytest.mark.slow
def test_published_tools_are_the_former_ones(results: dict[str, list[Any]]) -> None:
    tools = results["tools"]
    assert all(item == tools[0] for item in tools)
    assert len(tools[0]) == 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["model", "wrapped", "content", "closure"])
def test_results_are_the_former_ones(kind: str, results: dict[str, list[Any]]) -> None:
    dumps = [
        item.model_dump(mode="json", include={"content", "structured_content", "is_error"})
        for item in results[kind]
    ]
    assert all(item == dumps[0] for item in dumps)
    assert dumps[0]["is_error"] is False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "text"), [("error", "it is lost"), ("closure error", "no such text")]
)
def test_errors_for_the_caller_keep_their_text(
    kind: str, text: str, results: dict[str, list[Any]]
) -> None:
    for result in results[kind]:
        assert result.is_error
        assert result.content[0].text.endswith(text)


@pytest.mark.slow
def test_other_errors_stay_in_the_log(results: dict[str, list[Any]]) -> None:
    for result in results["crash"]:
        assert result.is_error
        assert "secret" not in result.content[0].text


@pytest.mark.slow
def test_prompts_and_resources_are_the_former_ones(results: dict[str, list[Any]]) -> None:
    members = {"prompt": "messages", "resource": "contents", "template": "contents"}
    for kind, member in members.items():
        dumps = [item.model_dump(mode="json", include={member}) for item in results[kind]]
        assert dumps[0][member]
        assert all(dump == dumps[0] for dump in dumps)


def test_former_file_is_copied_unchanged(folder: Path) -> None:
    copy = folder / "library" / "src" / "library" / "legacy" / "former.py"
    assert copy.read_text() == FORMER
    text = (folder / "library" / "src" / "library" / "tools.py").read_text()
    assert 'return await call_former_tool(legacy.former.count, arguments, key="result")' in text
    assert 'return await call_former_server(legacy.SERVER, "inner", arguments)' in text
    assert text.count("raise NotImplementedError") == 1


@pytest.mark.slow
def test_second_run_changes_nothing(folder: Path) -> None:
    assert "unchanged" in generate(folder, "--from", "former.py")


@pytest.mark.slow
def test_server_may_be_made_by_a_call(folder: Path, tmp_path: Path) -> None:
    location = f"{folder / 'former.py'}:create('made')"
    generate(tmp_path, "--from", location)
    legacy = tmp_path / "made" / "src" / "made" / "legacy" / "__init__.py"
    assert "SERVER = former.create('made')" in legacy.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("missing.py", "there is no such file"),
        ("former.txt", "there is no such file"),
        ("former.py:nothing", "no MCP server named 'nothing'"),
        ("former.py:create(print)", "isn't a call with literals"),
        ("former.py:create()", "create() failed"),
        ("broken.py", "importing the server failed"),
    ],
)
def test_unusable_file_is_refused(
    location: str, message: str, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "former.py").write_text(FORMER)
    (tmp_path / "broken.py").write_text("raise RuntimeError('no')\n")
    code = 4 if message in ("importing the server failed", "create() failed") else 2
    assert message in generate(tmp_path, "--from", location, code=code)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] in ([], ["__pycache__"])


@pytest.mark.slow
def test_uncopied_neighbor_is_named(tmp_path: Path) -> None:
    (tmp_path / "shelves.py").write_text("NUMBER = 1\n")
    (tmp_path / "former.py").write_text(f"import shelves\n{FORMER}")
    assert "former.py imports shelves, which is next to it" in generate(
        tmp_path, "--from", "former.py"
    )


def test_from_and_server_are_refused(folder: Path) -> None:
    message = "--from and SERVER can't be combined"
    assert message in generate(folder, "demo", "--from", "former.py", code=2)


PUBLISHED = {
    "mcp-server-time==2026.10.19": ("mcp_server_time/server.py:create_server('UTC')", 2, 0),
    "mcp-server-git==2026.10.19": ("mcp_server_git/server.py:create_server(None)", 12, 0),
    "awslabs.aws-documentation-mcp-server==1.2.3": (
        "awslabs/aws_documentation_mcp_server/server_aws.py",
        5,
        5,
    ),
}
FASTMCP = """\
from fastmcp import Context, FastMCP
from fastmcp.dependencies import Depends

mcp = FastMCP("former")


def number() -> int:
    return 1


@mcp.tool
def add(a: int, b: int = 2) -> int:
    return a + b


@mcp.tool
async def tell(text: str, ctx: Context) -> str:
    return text


@mcp.tool
async def depend(a: int, given: int = Depends(number)) -> int:
    return a + given


@mcp.resource("former://{name}")
def item(name: str) -> str:
    return name


@mcp.prompt
def ask(topic: str) -> str:
    return topic
"""


@pytest.mark.slow
@pytest.mark.network
def test_published_servers_migrate_and_pass_their_tests(tmp_path: Path) -> None:
    environment = CACHE / "migrations"
    python = environments.create(
        environment, *PUBLISHED, "fastmcp==4.1.2", "pytest", environments.RUNTIME, str(ROOT)
    )
    packages = Path(
        environments.run([str(python), "-c", "import mcp; print(mcp.__file__)"]).strip()
    )
    cases = {
        f"{packages.parents[1]}/{location}": counts for location, *counts in PUBLISHED.values()
    }
    (tmp_path / "former.py").write_text(FASTMCP)
    cases["former.py"] = [3, 2]
    for number, (location, (tools, stubs)) in enumerate(cases.items()):
        name = f"migrated_{number}"
        command = [str(python), "-m", "mcpgen", "server", "--name", name, "--from", location]
        environments.run(command, tmp_path)
        text = (tmp_path / name / "src" / name / "tools.py").read_text()
        assert text.count("    async def ") == tools
        assert text.count("raise NotImplementedError") == stubs
        output = environments.run([str(python), "-m", "pytest", "-q", "-rs"], tmp_path / name)
        assert " failed" not in output
        assert (output.count("is not implemented yet") > 0) == (stubs > 0)
    resources = (tmp_path / name / "src" / name / "resources.py").read_text()
    assert 'call_former_resource(legacy.former.item, {"name": name})' in resources
