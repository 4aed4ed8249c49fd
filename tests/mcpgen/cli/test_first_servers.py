"""A new user's first minute with third-party servers: record one and run the printed snippet."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import environments
import pytest
import sdk_programs
from installed_servers import first_servers

pytestmark = [pytest.mark.slow, pytest.mark.network]

CANARY = "Canary5b1fZz81"


@dataclass(frozen=True)
class First:
    """A server with the command from its documentation, and the start of the printed call.
    `needs` is the requirement listed at the end of the output, with the value that the user
    sets. No server needs an account. Some can't respond without a browser or the internet.
    """

    command: str
    call: str
    needs: tuple[tuple[str, str], ...] = ()


SERVERS = {
    "chart": First("mcp-server-chart", "list("),
    "eslint": First("mcp", "list("),
    "notion": First("notion-mcp-server", "api_get_users()"),
    "playwright": First("playwright-mcp --headless", "browser_"),
    "context7": First("context7-mcp", "resolve_library_id(query="),
    "devtools": First("chrome-devtools-mcp --headless=true --isolated=true", "list_pages()"),
    "arxiv": First(
        "arxiv-mcp-server --storage-path {elsewhere}/papers",
        "list_papers()",
        (("ARXIV_MCP_SERVER_STORAGE_PATH", "{elsewhere}/papers"),),
    ),
    "aws": First("awslabs.aws-documentation-mcp-server", "search_documentation("),
    "duckduckgo": First("duckduckgo-mcp-server", "search(query="),
    "excel": First("excel-mcp-server stdio", "list_workbooks()"),
    "calculator": First("mcp-server-calculator", "calculate(expression="),
    "sqlite": First("mcp-server-sqlite --db-path ./test.db", "list_tables()"),
    "shell": First("mcp-shell-server", "list("),
    "timeserver": First("mcp-simple-timeserver", "calculate_time_distance()"),
    "wikipedia": First("wikipedia-mcp", "test_wikipedia_connectivity()"),
}


@pytest.fixture(scope="module")
def installed_servers() -> Path:
    return first_servers()


def binaries(installed_servers: Path) -> str:
    folders = [
        installed_servers / "node_modules" / ".bin",
        *(installed_servers / "python").glob("*/bin"),
    ]
    return os.pathsep.join([*map(str, folders), os.environ["PATH"]])


@pytest.mark.parametrize("name", SERVERS)
def test_first_program_runs_as_printed_or_names_its_requirement(
    name: str, installed_servers: Path, tmp_path: Path
) -> None:
    first = SERVERS[name]
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    env = {"PATH": binaries(installed_servers), "SERVICE_TOKEN": CANARY}
    args = first.command.format(elsewhere=elsewhere).split()
    command = sdk_programs.mcpgen("client", "--timeout", "120", "--json", "--", *args)
    document = json.loads(environments.run(command, project, env))
    assert document["needs"] == [variable for variable, _ in first.needs]
    assert f".{first.call}" in document["snippet"] or f"({first.call}" in document["snippet"]
    (project / "first.py").write_text(document["snippet"])
    arguments = {variable: value.format(elsewhere=elsewhere) for variable, value in first.needs}
    output, error = ran(
        installed_servers / "client" / environments.BIN / "python", project, env | arguments
    )
    # Without a browser or the internet a tool fails; that must be its own words.
    assert output or re.match(
        r"mcpgen_runtime\.errors\.(ToolError|ProtocolError): [\w-]+: .{5}", error
    )
    assert CANARY not in output + error
    if first.needs:
        _, error = ran(installed_servers / "client" / environments.BIN / "python", project, env)
        assert f"the environment variable {first.needs[0][0]} is not set" in error


def ran(python: Path, project: Path, env: dict[str, str]) -> tuple[str, str]:
    """Run the program and return its output, or the exception that ends it."""
    stored = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    completed = subprocess.run(
        [str(python), "first.py"],
        cwd=project,
        env={**stored, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    if completed.returncode == 0:
        return completed.stdout, ""
    last = re.findall(
        r"^\w[\w.]*(?:Error|Failed|Lost|Timeout|Result|Arguments): .*", completed.stderr, re.M
    )
    assert last, completed.stderr
    return "", last[-1]
