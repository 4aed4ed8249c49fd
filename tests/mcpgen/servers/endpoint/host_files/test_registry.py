"""The registry's server.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from host_files import http, rejection, stdio, write


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


SERVER_JSON: dict[str, Any] = {
    "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    "name": "io.github.example/weather",
    "description": "Weather",
    "version": "1.0.2",
    "repository": {"url": "https://github.com/example/weather", "source": "github"},
    "packages": [
        {
            "registryType": "npm",
            "identifier": "@example/weather",
            "version": "1.0.2",
            "transport": {"type": "stdio"},
            "packageArguments": [
                {"type": "positional", "valueHint": "target_dir", "isRequired": True},
                {"type": "positional", "value": "serve"},
                {"type": "named", "name": "--units", "default": "metric"},
                {"type": "named", "name": "--lang"},
            ],
            "environmentVariables": [
                {"name": "API_KEY", "isRequired": True, "isSecret": True},
                {"name": "LEVEL", "default": "info"},
                {"name": "OPTIONAL"},
            ],
        },
        {
            "registryType": "pypi",
            "identifier": "mcp-weather",
            "version": "0.5.0",
            "runtimeHint": "uvx",
            "runtimeArguments": [{"type": "named", "name": "--python", "value": "3.12"}],
            "transport": {"type": "stdio"},
        },
        {
            "registryType": "oci",
            "identifier": "docker.io/example/weather:1.0.2",
            "transport": {"type": "stdio"},
            "runtimeArguments": [
                {
                    "type": "named",
                    "name": "--mount",
                    "value": "type=bind,src={source},dst=/x",
                    "variables": {"source": {"isRequired": True, "format": "filepath"}},
                }
            ],
            "environmentVariables": [{"name": "API_KEY", "isRequired": True}],
        },
        {"registryType": "mcpb", "identifier": "https://x.example/a.mcpb",
         "transport": {"type": "stdio"}},
        {"registryType": "nuget", "identifier": "Example.Weather", "version": "2.0.0",
         "transport": {"type": "stdio"}},
        {"registryType": "npm", "identifier": "web-weather", "version": "1.0.0",
         "transport": {"type": "streamable-http", "url": "http://localhost:8080/mcp"}},
    ],
    "remotes": [
        {
            "type": "streamable-http",
            "url": "https://{tenant}.example/mcp",
            "variables": {"tenant": {"default": "public"}},
            "headers": [
                {"name": "X-Api-Key", "isRequired": True, "isSecret": True},
                {"name": "Authorization", "value": "Bearer {token}",
                 "variables": {"token": {"isRequired": True, "isSecret": True}}},
                {"name": "X-Other"},
            ],
        },
        {"type": "sse", "url": "https://weather.example/events"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_the_registrys_server_json(is_wrapped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    document = {"server": SERVER_JSON, "_meta": {}} if is_wrapped else SERVER_JSON
    write("server.json", json.dumps(document))
    listed = "mcpb, npm, npm#2, nuget, oci, pypi, sse, streamable-http"
    assert f"known are: {listed}" in rejection("server.json").problem
    assert "the variable INPUT_TARGET_DIR is not set" in rejection("server.json:npm").problem
    monkeypatch.setenv("INPUT_TARGET_DIR", "/data")
    assert "the variable API_KEY is not set" in rejection("server.json:npm").problem
    monkeypatch.setenv("API_KEY", "canary-key-8")
    npm = stdio("server.json:npm")
    assert npm.argv == (
        "npx", "-y", "@example/weather@1.0.2", "/data", "serve", "--units", "metric",
    )  # fmt: skip
    assert npm.env == {"API_KEY": "canary-key-8", "LEVEL": "info"}
    pypi = stdio("server.json:pypi")
    assert pypi.argv == ("uvx", "--python", "3.12", "mcp-weather@0.5.0")
    monkeypatch.setenv("INPUT_SOURCE", "/src")
    oci = stdio("server.json:oci")
    assert oci.argv == (
        "docker", "run", "-i", "--rm", "-e", "API_KEY",
        "--mount", "type=bind,src=/src,dst=/x", "docker.io/example/weather:1.0.2",
    )  # fmt: skip
    nuget = stdio("server.json:nuget")
    assert nuget.argv == ("dnx", "Example.Weather@2.0.0", "--yes", "--")
    assert "can't start a package of the kind 'mcpb'" in rejection("server.json:mcpb").problem
    assert "has to be started first" in rejection("server.json:npm#2").problem
    monkeypatch.setenv("INPUT_TOKEN", "canary-token-1")
    monkeypatch.setenv("INPUT_X_API_KEY", "canary-key-9")
    remote = http("server.json:streamable-http")
    assert remote.url == "https://public.example/mcp"
    assert remote.headers == {
        "X-Api-Key": "canary-key-9",
        "Authorization": "Bearer canary-token-1",
    }
    assert http("server.json:sse").kind == "sse"
