"""A client keeps its credentials out of recordings, logs, errors and `repr`."""

from __future__ import annotations

import functools
import importlib
import json
import logging
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
import repeating_server
from mcp import StdioServerParameters
from mcpgen_runtime.auth.store import Store, StoredLogin
from repeating_server import PARTS, TOKEN, forms
from runtime.packages import import_client

from mcpgen.contract.document import Contract

QUOTED = quote(TOKEN, safe="")
SPELLINGS = [*forms(TOKEN).values(), *PARTS]
FILE = repeating_server.__file__
ORIGINS: dict[str, dict[str, Any]] = {
    "variable": {"transport": "stdio", "args": [FILE], "env": ["TOKEN_OF_TEST"]},
    "flag": {"transport": "stdio", "args": [FILE, "--key", "${TOKEN_OF_TEST}"]},
    "header": {
        "transport": "http",
        "url": "URL",
        "headers": ["X-Key"],
        "headerValues": {"X-Key": "${TOKEN_OF_TEST}"},
    },
    "query": {"transport": "http", "url": "URL?key=${QUOTED_TOKEN_OF_TEST}"},
    "path": {"transport": "http", "url": "URL/${QUOTED_TOKEN_OF_TEST}"},
}
GIVEN: dict[str, dict[str, Any]] = {
    "headers": {"headers": {"X-Own": TOKEN}},
    "bearer": {"headers": {"Authorization": f"bearer {TOKEN}"}},
    "cookie": {"headers": {"Cookie": f"a=b; s={TOKEN}"}},
    "text": {"auth": TOKEN},
    "basic": {"auth": httpx2.BasicAuth("me", TOKEN)},
    "stored login": {},
}
URLS = {"query": f"URL?k={QUOTED}", "path": f"URL/{QUOTED}", "user": f"USER:{QUOTED}@URL"}
COMMANDS = {
    "variable": StdioServerParameters(command=sys.executable, args=[FILE], env={"K": TOKEN}),
    "flag": StdioServerParameters(command=sys.executable, args=[FILE, "--token", TOKEN]),
}
WAYS = [
    *(("recorded", name) for name in ORIGINS),
    *(("given", name) for name in GIVEN),
    *(("url", name) for name in URLS),
    *(("command", name) for name in COMMANDS),
]
TOOLS: dict[str, dict[str, Any]] = {  # without the strings that hold the token
    name: {"name": name, "inputSchema": {"type": "object"}}
    for name in ("plain", "named", "failing", "refusing", "wrong")
}
TOOLS["wrong"]["outputSchema"] = {"type": "object", "properties": {"n": {"type": "integer"}}}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = repeating_server.serve()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/mcp"
    server.shutdown()
    server.server_close()


@functools.cache
def package(url: str, name: str) -> Any:
    """Return a package whose recorded server is this one."""
    origin = ORIGINS.get(name, {"transport": "http", "url": "URL"})
    text = json.dumps({"command": sys.executable, **origin}).replace("URL", url)
    contract = Contract(tools=TOOLS, revision="2025-11-25", origin=json.loads(text))
    return import_client(contract, f"repeating_{name}")


def arguments(kind: str, name: str, url: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments for `connect`."""
    if kind == "given":
        return [url], GIVEN[name]
    if kind == "url":
        user = url.replace("//", f"//me:{QUOTED}@")
        return [URLS[name].replace(f"USER:{QUOTED}@URL", user).replace("URL", url)], {}
    return ([COMMANDS[name]] if kind == "command" else []), {}


@pytest.fixture
def folder(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the credential in variables and as a stored login."""
    monkeypatch.setenv("TOKEN_OF_TEST", TOKEN)
    monkeypatch.setenv("QUOTED_TOKEN_OF_TEST", QUOTED)
    monkeypatch.setenv("MCPGEN_LOGINS", str(tmp_path / "logins"))
    login = StoredLogin(server=url, tokens={"access_token": TOKEN}, client={"client_id": "x"})
    Store(tmp_path / "logins").write(login)
    return tmp_path


@pytest.mark.sampled(6)
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("way", WAYS, ids=": ".join)
@pytest.mark.anyio
async def test_a_client_repeats_no_credential(
    way: tuple[str, str],
    url: str,
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    anyio_backend: str,
) -> None:
    del anyio_backend
    kind, name = way
    caplog.set_level(logging.DEBUG)
    module = package(url, name if kind == "recorded" else "plain")
    log = importlib.import_module(f"{module.__name__}.middleware").logging
    server, options = arguments(kind, name, url)
    recording = folder / "calls.jsonl"
    options = {**options, "record": recording, "middleware": [log(values=True)]}
    messages: list[str] = []
    async with module.Client.connect(*server, verify="off", **options) as client:
        messages.append(repr(client))
        for tool in TOOLS:
            try:
                await getattr(client, tool)()
            except module.ClientError:
                messages.append(traceback.format_exc())
    assert len(messages) == 4
    for text in (*messages, caplog.text, recording.read_text("utf-8")):
        assert [item for item in SPELLINGS if item in text] == []
    assert len(recording.read_text("utf-8").splitlines()) == 5
