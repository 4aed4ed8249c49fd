"""Redaction of commands, URLs and headers: stored parts and variables."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from mcpgen.servers.endpoint import Http, Overrides, Stdio, resolve
from mcpgen.servers.endpoint.origin import Origin
from mcpgen.servers.endpoint.overrides import parse_headers


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    (project / "data" / "x86_64-8f3c2b").mkdir(parents=True)
    monkeypatch.chdir(project)
    return project


def of_command(line: str, **values: Any) -> Origin:
    target = resolve(None, shlex.split(line), Overrides(**values))
    assert isinstance(target, Stdio)
    return target.origin()


def stored_command(line: str) -> str:
    document = of_command(line).document
    return " ".join([document["command"], *document["args"]])


# As the servers' own pages give them.
REAL = [
    "npx -y @modelcontextprotocol/server-filesystem .",
    "npx -y @modelcontextprotocol/server-postgres postgresql://localhost/mydb",
    "npx -y @playwright/mcp@latest --headless --browser chrome --caps vision,pdf",
    "npx -y chrome-devtools-mcp@latest --browser-url=http://127.0.0.1:9222",
    "npx -y @supabase/mcp-server-supabase@latest --read-only --features=database,docs",
    "npx -y mcp-remote https://mcp.deepwiki.com/mcp --transport http-first --debug",
    "npx -y @azure/mcp@latest server start --namespace storage --mode namespace",
    "npx -y kubernetes-mcp-server@latest --read-only --toolsets core,config,helm",
    "npx -y mongodb-mcp-server --readOnly --disabledTools create update delete",
    "npx -y @wonderwhy-er/desktop-commander@latest --no-onboarding",
    "npx -y figma-developer-mcp --stdio --port 3333",
    "uvx mcp-server-time --local-timezone Europe/Paris",
    "uvx --with mcp>=1,<2 mcp-server-sqlite --db-path ./data/test.db",
    "uvx --from git-mcp server-git --repository data",
    "uvx awslabs.aws-documentation-mcp-server@latest",
    "uv --directory servers/weather run weather.py",
    "python -m my_server --transport streamable-http --host 0.0.0.0 --port 8000",
    "node dist/index.js --log-level debug --max-results 25",
    "docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server:latest stdio",
    "deno run --allow-net src/main.ts --model gpt-4o --region us-east-1",
]


@pytest.mark.parametrize("line", REAL)
def test_a_plain_command_is_kept_word_for_word(line: str) -> None:
    assert len(REAL) == 20
    assert stored_command(line) == line
    assert of_command(line).secrets.values == {}


TOKEN = "k3yG7hQ29xLmPq81"
SECRET = [
    ("npx -y figma-mcp --figma-api-key=figd_canary", "--figma-api-key=${MCP_FIGMA_API_KEY}"),
    ("npx -y figma-mcp --figma-api-key canary --stdio", "${MCP_FIGMA_API_KEY} --stdio"),
    ("run-it -k canary", "-k ${MCP_ARG_1}"),
    ("run-it -pcanary", "run-it ${MCP_ARG_1}"),
    (f"run-it {TOKEN}", "run-it ${MCP_ARG_1}"),
    (f"run-it --project {TOKEN}", "--project ${MCP_PROJECT}"),
    ("run-it sk-canary", "run-it ${MCP_ARG_1}"),
    ("run-it login canary", "login ${MCP_LOGIN}"),
    ("run-it --user canary --password canary-2", "--user ${MCP_USER} --password ${MCP_PASSWORD}"),
    ("run-it --db postgresql://u:canary@h/shop", "--db ${MCP_DB}"),
    ("run-it https://h/mcp?key=canary", "run-it ${MCP_ARG_1}"),
    (f"run-it https://h/{TOKEN}/mcp --debug", "run-it ${MCP_ARG_1} --debug"),
    ("npx mcp-remote https://h/mcp --header 'Authorization: Bearer canary'",
     "https://h/mcp --header Authorization: Bearer ${MCP_AUTHORIZATION}"),
    ("npx mcp-remote https://h/mcp --header X-Team:canary", "X-Team:${MCP_X_TEAM}"),
    ("docker run -e API_TOKEN=canary mcp/time", "-e API_TOKEN=${MCP_API_TOKEN} mcp/time"),
    ("docker run -v /home/canary:/data mcp/time", "-v ${MCP_ARG_1} mcp/time"),
    ("run-it --pin 4711 --otp 123456", "--pin ${MCP_PIN} --otp ${MCP_OTP}"),
    ("run-it 123456789012", "run-it ${MCP_ARG_1}"),
    ("run-it ABCD-EFGH-JKLM", "run-it ${MCP_ARG_1}"),
    ("run-it 0b8e2d1c-7f7e-4d53-9a53-1f3c11", "run-it ${MCP_ARG_1}"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), SECRET)
def test_only_secrets_in_a_command_become_variables(line: str, message: str) -> None:
    assert len(SECRET) == 20
    assert message in stored_command(line)
    origin = of_command(line)
    assert "canary" not in json.dumps(origin.document)
    assert origin.paths == {}
    variables = re.findall(r"\$\{\w+\}", stored_command(line))
    assert sorted(variables) == sorted(origin.secrets.values.values())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("run-it data/x86_64-8f3c2b", "run-it data/x86_64-8f3c2b"),
        ("run-it {here}/data", "run-it data"),
        ("run-it {here}", "run-it ."),
        ("run-it ../notes", "run-it ${MCP_ARG_1}"),
        ("run-it ~/notes /srv/files", "run-it ${MCP_ARG_1} ${MCP_ARG_2}"),
        ("run-it --directory /srv/files", "run-it --directory ${MCP_DIRECTORY}"),
        ("run-it data/k3yG7hQ29xLmPq81", "run-it ${MCP_ARG_1}"),
    ],
)
def test_only_paths_in_the_project_are_stored(folder: Path, line: str, message: str) -> None:
    assert stored_command(line.format(here=folder)) == message


@pytest.mark.parametrize(
    ("arg", "message"),
    [
        ("${HOST}", "${HOST}"),
        ("--url=https://${HOST}/mcp", "--url=https://${HOST}/mcp"),
        ("https://${HOST:-canary.org}/mcp", "https://${HOST}/mcp"),
        ("Authorization:Bearer ${HOST}", "Authorization:Bearer ${HOST}"),
        ("canary:${HOST}@h", "${MCP_ARG_1}"),
        ("${HOST}/k3yG7hQ29xLm", "${MCP_ARG_1}"),
    ],
)
def test_the_value_of_a_variable_is_never_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arg: str, message: str
) -> None:
    monkeypatch.setenv("HOST", "canary")
    entry = {"command": f"{arg}/it", "args": [arg]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"it": entry}}))
    target = resolve("it", (), Overrides())
    assert isinstance(target, Stdio)
    document = target.origin().document
    assert (document["command"], document["args"]) == ("${MCP_COMMAND}", [message])
    assert target.origin().paths == {}
    assert "canary" not in json.dumps(document)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("server", "server"),
        ("./bin/server", "./bin/server"),
        ("{here}/bin/server", "bin/server"),
        ("{here}/server", "./server"),
        ("/opt/tools/server", "${MCP_COMMAND:-server}"),
        ("/opt/venv/bin/python3.12", "${MCP_COMMAND:-python}"),
    ],
)
def test_program_path_stays_startable(folder: Path, program: str, message: str) -> None:
    assert stored_command(program.format(here=folder)) == message


def test_redacted_path_may_be_printed_unlike_a_secret() -> None:
    origin = of_command(f"run-it /srv/files --token /canary --out /srv/{TOKEN}")
    assert origin.paths == {"MCP_ARG_1": "/srv/files"}


def test_working_folder_of_a_command_is_stored(folder: Path) -> None:
    assert "cwd" not in of_command("run-it").document
    assert of_command("run-it", cwd="data").document["cwd"] == "data"
    outside = of_command("run-it ./notes.md", cwd="/srv")
    assert (outside.document["cwd"], outside.document["args"]) == ("${MCP_CWD}", ["./notes.md"])
    assert outside.paths == {"MCP_CWD": "/srv"}


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://h.org/workspaces/12345/mcp", "https://h.org/workspaces/12345/mcp"),
        (f"https://h.org/{TOKEN}/mcp", "https://h.org/${MCP_URL_PART}/mcp"),
        ("https://h.org/mcp?profile=work&api_key=canary",
         "https://h.org/mcp?profile=work&api_key=${MCP_URL_API_KEY}"),
        ("https://me:canary@h.org:8/mcp#x",
         "https://${MCP_URL_USER}:${MCP_URL_PASSWORD}@h.org:8/mcp"),
        (f"https://{TOKEN.lower()}.ngrok.app/mcp", "https://${MCP_URL_HOST}.ngrok.app/mcp"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/mcp"),
        (f"https://h.org/mcp?{TOKEN}", "https://h.org/mcp?${MCP_URL_QUERY}"),
    ],
)  # fmt: skip
def test_url_keeps_its_host_and_harmless_parts(url: str, message: str) -> None:
    target = resolve(url, (), Overrides())
    assert isinstance(target, Http)
    origin = target.origin()
    assert origin.document["url"] == message
    for secret in ("canary", TOKEN, TOKEN.lower()):
        assert (secret in url) == (origin.secrets.hide(secret) != secret)


def test_harmless_header_is_stored_verbatim() -> None:
    items = ["Authorization: Bearer ${T}", "X-Key: canary", "X-Readonly: true", "X-Pin: 4711"]
    read = parse_headers(items, {"T": "canary-t"})
    expanded = Overrides(headers=read.sent_headers, written_headers=read.written)
    target = resolve("https://h.org/mcp", (), expanded)
    assert isinstance(target, Http)
    document = target.origin().document
    assert document["headers"] == ["Authorization", "X-Key", "X-Pin", "X-Readonly"]
    assert document["headerValues"] == {"Authorization": "Bearer ${T}", "X-Readonly": "true"}
