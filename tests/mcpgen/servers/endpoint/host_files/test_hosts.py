"""The configuration files of each host are read as that host reads them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from host_files import http, rejection, resolve_live, stdio, write
from projects import call, project_with_server

from mcpgen.servers.endpoint.host_files.server_names import known_names
from mcpgen.servers.endpoint.target import Live


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project and home, and a few variables."""
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    monkeypatch.chdir(project)
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "COPILOT_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("TOKEN", "canary-token-1")
    return project


def odd(target: Live) -> list[str]:
    """Return the positions of the unused members."""
    return [notice.pointer.rpartition("/")[2] for notice in target.notices]


def applications(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the system's folder for the settings of applications."""

    def settings(home: Path) -> Path:
        return home / "settings"

    monkeypatch.setattr("mcpgen.servers.endpoint.host_files.hosts._settings", settings)
    return settings(Path.home())


CODEX = """
model = "gpt-5"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server", "$TOKEN ${TOKEN}"]
env = { "LEVEL" = "debug" }
env_vars = ["TOKEN", {name = "NOT_SET", source = "local"}]
cwd = "tools"
startup_timeout_sec = 20
enabled_tools = ["search"]

[mcp_servers.figma]
url = "https://mcp.figma.example/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { "X-Region" = "us-east-1" }
env_http_headers = { "X-Key" = "TOKEN" }
tool_timeout_sec = 90

[mcp_servers.off]
command = "off"
enabled = false
"""


def test_codex(folder: Path) -> None:
    write(".codex/config.toml", CODEX)
    (folder / "tools").mkdir()
    docs = stdio("docs")
    assert docs.argv == ("npx", "-y", "docs-server", "$TOKEN ${TOKEN}")
    assert docs.env == {"LEVEL": "debug", "TOKEN": "canary-token-1"}
    assert Path(str(docs.cwd)) == folder / "tools"
    figma = http(".codex/config.toml:figma")
    assert (figma.url, figma.kind) == ("https://mcp.figma.example/mcp", "http")
    assert figma.headers == {
        "X-Region": "us-east-1",
        "X-Key": "canary-token-1",
        "Authorization": "Bearer canary-token-1",
    }
    assert (odd(docs), odd(figma)) == ([], [])
    assert "canary" not in figma.origin().secrets.hide("got canary-token-1")
    assert rejection("off").problem == "the entry is disabled"


ZED = """
// Zed settings
{
  "theme": "One Dark", /* dark */
  "context_servers": {
    "hexdocs": {
      "source": "custom", "enabled": true,
      "command": "npx", "args": ["-y", "hexdocs-mcp@0.5.0"], "env": {"A": "${TOKEN}"},
    },
    "first": {
      "command": {"path": "/bin/server", "args": ["run"], "env": {"B": "1"}}, "settings": {},
    },
    "remote": {"source": "custom", "url": "https://zed.example/mcp", "headers": {"X": "y"}},
    "github": {"source": "extension", "settings": {"token": "t"}},
    "off": {"source": "custom", "enabled": false, "command": "x", "args": []},
  },
}
"""


def test_zed() -> None:
    write(".zed/settings.json", ZED)
    hexdocs = stdio("hexdocs")
    assert hexdocs.argv == ("npx", "-y", "hexdocs-mcp@0.5.0")
    assert hexdocs.env == {"A": "${TOKEN}"}  # Zed has no variables
    first = stdio("first")
    assert (first.argv, first.env) == (("/bin/server", "run"), {"B": "1"})
    assert http("remote").headers == {"X": "y"}
    assert "Zed extension" in rejection("github").problem
    assert "disabled" in rejection("off").problem
    assert odd(hexdocs) == odd(first) == []


OPENCODE = """{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "local": {
      "type": "local", // with comments
      "command": ["bun", "x", "my-mcp", "{env:TOKEN}"],
      "environment": {"KEY": "{env:TOKEN}", "TEXT": "${TOKEN}", "FILED": "{file:secret.txt}"},
      "enabled": true,
      "timeout": 5000,
    },
    "remote": {
      "type": "remote", "url": "https://open.example/mcp",
      "headers": {"Authorization": "Bearer {env:TOKEN}"}, "oauth": {},
    },
    "off": {"type": "local", "command": ["x"], "enabled": false},
  },
}"""


@pytest.mark.parametrize("pointer", ["opencode.json", "opencode.jsonc", ".opencode/opencode.json"])
def test_opencode(pointer: str) -> None:
    write(pointer, OPENCODE)
    write("secret.txt", "canary-file-2\n")
    local = stdio("local")
    assert local.argv == ("bun", "x", "my-mcp", "canary-token-1")
    assert local.written == ("bun", "x", "my-mcp", "${TOKEN}")
    assert local.env == {"KEY": "canary-token-1", "TEXT": "${TOKEN}", "FILED": "canary-file-2"}
    assert "canary" not in local.origin().secrets.hide("canary-file-2")
    remote = http("remote")
    assert remote.headers == {"Authorization": "Bearer canary-token-1"}
    assert (odd(local), odd(remote)) == ([], ["oauth"])
    assert "disabled" in rejection("off").problem
    write(pointer, OPENCODE.replace("TOKEN", "NOT_SET"))
    assert "NOT_SET is not set" in rejection("local").problem


GEMINI = """{
  "selectedAuthType": "oauth-personal",
  "mcpServers": {
    "local": {"command": "python", "args": ["-m", "server"],
              "env": {"K": "$TOKEN", "L": "${TOKEN}"}, "cwd": ".",
              "timeout": 15000, "trust": false, "includeTools": ["a"]},
    "streaming": {"httpUrl": "https://g.example/mcp", "headers": {"A": "Bearer $TOKEN"}},
    "events": {"url": "https://g.example/events"}
  }
}"""


def test_gemini() -> None:
    write(".gemini/settings.json", GEMINI)
    local = stdio("local")
    assert local.env == {"K": "canary-token-1", "L": "canary-token-1"}
    assert odd(local) == []
    streaming, events = http("streaming"), http("events")
    assert (streaming.kind, events.kind) == ("http", "sse")
    assert streaming.headers == {"A": "Bearer canary-token-1"}


def test_windsurf(tmp_path: Path) -> None:
    secret = tmp_path / "key.txt"
    secret.write_text("canary-file-3\n")
    entry = {
        "serverUrl": "https://w.example/mcp",
        "headers": {"A": "Bearer ${env:TOKEN}", "B": f"${{file:{secret}}}"},
        "disabledTools": ["x"],
    }
    path = Path.home() / ".codeium" / "windsurf" / "mcp_config.json"
    write(path, json.dumps({"mcpServers": {"w": entry}}))
    result = http("w")
    assert result.url == "https://w.example/mcp"
    assert result.headers == {"A": "Bearer canary-token-1", "B": "canary-file-3"}
    assert odd(result) == []


def test_cursor(folder: Path) -> None:
    entry = {
        "type": "stdio",
        "command": "${workspaceFolder}/bin/server",
        "args": ["--home=${userHome}", "${workspaceFolderBasename}${pathSeparator}x${/}y"],
        "env": {"K": "${env:TOKEN}"},
        "envFile": "${workspaceFolder}/.env",
    }
    write(".cursor/mcp.json", json.dumps({"mcpServers": {"c": entry}}))
    write(
        ".env", "# ours\nexport A=canary-env-4\nB='x # y'\nC=\"1\\n2\" # two\nD= z # no\nK=other\n"
    )
    result = stdio("c")
    sep = os.sep
    assert result.argv == (
        f"{folder}/bin/server",
        f"--home={Path.home()}",
        f"project{sep}x{sep}y",
    )
    assert result.env == {
        "A": "canary-env-4", "B": "x # y", "C": "1\n2", "D": "z", "K": "canary-token-1",
    }  # fmt: skip
    assert "canary" not in result.origin().secrets.hide("canary-env-4")


def test_unreadable_env_file_is_an_error() -> None:
    entry = {"command": "x", "envFile": ".env"}
    write(".vscode/mcp.json", json.dumps({"servers": {"v": entry}}))
    assert "cannot be read" in rejection("v").problem
    write(".env", "A=1\ncanary 5\n")
    error = rejection("v")
    assert error.problem == "not in the form NAME=value"
    assert error.where.endswith(".env, line 2")
    assert "canary" not in str(error)


@pytest.mark.parametrize(
    "pointer",
    [
        "saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "rooveterinaryinc.roo-cline/settings/mcp_settings.json",
    ],
)
def test_cline_and_roo(pointer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = applications(monkeypatch)
    entries: dict[str, Any] = {
        "on": {"command": "node", "args": ["x.js"], "alwaysAllow": ["a"], "disabled": False},
        "off": {"command": "node", "disabled": True},
        "web": {"type": "streamableHttp", "url": "https://c.example/sse", "autoApprove": []},
        "events": {"type": "sse", "url": "https://c.example/mcp"},
    }
    write(settings / "Code/User/globalStorage" / pointer, json.dumps({"mcpServers": entries}))
    assert stdio("on").argv == ("node", "x.js")
    assert odd(resolve_live("on")) == []
    assert "disabled" in rejection("off").problem
    assert (http("web").kind, http("events").kind) == ("http", "sse")


def test_roo_in_a_project() -> None:
    write(".roo/mcp.json", '{"mcpServers": {"r": {"command": "r", "watchPaths": []}}}')
    assert stdio("r").argv == ("r",)


def test_claude_code(folder: Path) -> None:
    shared = {"command": "${NOT_SET:-uvx}", "args": ["x", "${TOKEN}"], "type": "stdio"}
    write(".mcp.json", json.dumps({"mcpServers": {"shared": shared}}))
    assert stdio("shared").argv == ("uvx", "x", "canary-token-1")
    own = {
        "numStartups": 3,
        "mcpServers": {"everywhere": {"type": "http", "url": "https://e.example/mcp"}},
        "projects": {
            str(folder): {"mcpServers": {"local": {"command": "here"}}},
            "/elsewhere": {"mcpServers": {"other": {"command": "there"}}},
        },
    }
    write(Path.home() / ".claude.json", json.dumps(own))
    assert http("everywhere").url == "https://e.example/mcp"
    assert stdio("local").argv == ("here",)
    assert Path(str(stdio("local").cwd)) == folder
    assert "other" not in known_names()


def test_claude_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    path = applications(monkeypatch) / "Claude" / "claude_desktop_config.json"
    entry = {"command": "uvx", "args": ["mcp-server-time"], "env": {"K": "${TOKEN}"}}
    write(path, json.dumps({"mcpServers": {"time": entry}, "globalShortcut": ""}))
    result = stdio("time")
    assert result.argv == ("uvx", "mcp-server-time")
    assert result.env == {"K": "${TOKEN}"}  # it has no variables
    assert "time" in known_names()


VSCODE = """{
  // from the gallery
  "inputs": [
    {"type": "promptString", "id": "api-key", "description": "Key", "password": true},
    {"type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu"},
  ],
  "servers": {
    "local": {
      "type": "stdio", "command": "docker", "args": ["run", "--region=${input:region}"],
      "env": {"KEY": "${input:api-key}"}, "gallery": true, "version": "1.0.0",
    },
    "web": {"type": "http", "url": "https://v.example/mcp",
            "headers": {"Authorization": "Bearer ${input:api-key}"}},
    "new": {"command": "x", "telepathy": true},
  },
}"""


def test_vs_code(monkeypatch: pytest.MonkeyPatch) -> None:
    write(".vscode/mcp.json", VSCODE)
    error = rejection("local")
    assert error.problem == "an editor would ask for ${input:api-key} here"
    assert "export INPUT_API_KEY" in error.hint
    value = stdio("local", env={"INPUT_API_KEY": "canary-given-6"})
    assert value.env["KEY"] == "canary-given-6"
    monkeypatch.setenv("INPUT_API_KEY", "canary-key-7")
    local = stdio("local")
    assert local.argv == ("docker", "run", "--region=eu")
    assert local.env == {"KEY": "canary-key-7"}
    assert odd(local) == []
    web = http("web")
    assert web.headers == {"Authorization": "Bearer canary-key-7"}
    assert odd(stdio("new")) == ["telepathy"]
    monkeypatch.setenv("INPUT_REGION", "us")
    assert stdio("local").argv[-1] == "--region=us"


def test_vs_codes_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = {"old": {"command": "old", "env": {"K": "${input:k}"}}}
    inner = {"inputs": [{"id": "k", "type": "promptString"}], "servers": servers}
    write("settings.json", json.dumps({"editor.tabSize": 2, "mcp": inner}))
    monkeypatch.setenv("INPUT_K", "1")
    assert stdio("settings.json:old").env == {"K": "1"}


def test_continue() -> None:
    text = """
    name: Files
    version: 0.0.1
    schema: v1
    mcpServers:
      - name: files
        command: npx
        args: ["-y", "files"]
        env: {KEY: "${{ secrets.TOKEN }}"}
        connectionTimeout: 10
      - name: web
        type: streamable-http
        url: https://c.example/mcp
        requestOptions: {headers: {A: "Bearer ${{ secrets.TOKEN }}"}}
    """
    write(".continue/mcpServers/files.yaml", text)
    files = stdio("files")
    assert (files.argv, files.env) == (("npx", "-y", "files"), {"KEY": "canary-token-1"})
    assert Path(str(files.cwd)) == Path.cwd()
    web = http(".continue/mcpServers/files.yaml:web")
    assert (web.headers, web.kind) == ({"A": "Bearer canary-token-1"}, "http")
    assert odd(files) == odd(web) == []


def test_yaml_error_has_line_and_column() -> None:
    write("hosts.yaml", "mcpServers:\n  web: {url: 'https://c.example/mcp'\n  other: 1\n")
    error = rejection("hosts.yaml:web")
    assert (error.problem[:8], error.where) == ("not YAML", "hosts.yaml:3:3")


def test_goose() -> None:
    text = """
    extensions:
      memory: {type: stdio, cmd: npx, args: [-y, memory], envs: {A: b}, enabled: true, timeout: 300}
      web: {type: sse, uri: "https://g.example/x", enabled: true}
      off: {type: stdio, cmd: x, enabled: false}
    """
    write(".goose/config.yaml", text)
    assert (stdio("memory").argv, stdio("memory").env) == (("npx", "-y", "memory"), {"A": "b"})
    assert http("web").kind == "sse"
    assert "disabled" in rejection("off").problem


def test_copilot() -> None:
    write(
        ".github/mcp.json",
        '{"mcpServers": {"g": {"type": "local", "command": "g", "tools": ["*"]}}}',
    )
    assert (stdio("g").argv, odd(resolve_live("g"))) == (("g",), [])


def test_ignored_setting_is_a_notice_of_the_command(tmp_path: Path) -> None:
    root = project_with_server(tmp_path / "served", read={})
    table = (root / "pyproject.toml").read_text()
    args = json.loads(table.split("source = ")[1].splitlines()[0])
    entry: dict[str, Any] = {"command": args[0], "args": args[1:], "telepathy": 1, "oauth": {}}
    write(root / ".mcp.json", json.dumps({"mcpServers": {"it": entry}}))
    ended = call(root, "record", "it", "-o", "c.json")
    assert ended.returncode == 0
    assert "notice: .mcp.json#/mcpServers/it/telepathy: unknown, so it is ignored" in ended.stderr
    assert "notice: .mcp.json#/mcpServers/it/oauth: the host's way of signing in" in ended.stderr
