"""A client logs in at a real authorization server, and a generated server accepts its tokens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import anyio
import httpx2
import node_packages
import pytest
import sdk_programs
from guarded import CONTRACT, SERVER, post, result
from guards import PATIENCE
from paths import ROOT
from programs import await_text, started
from skeletons import await_answer, free_port, project
from token_issuer import DpopKey

pytestmark = pytest.mark.services
PIN = "oidc-provider@9.13.3"
MAIN = """

def main():
    from ._generated import {kind}, run
    run(server, auth={kind}.from_env())


main()
"""


@dataclass
class World:
    """A guarded server and its authorization server."""

    issuer: str
    endpoint: str
    folder: Path

    def token(self, *, proof: DpopKey | None = None, **form: str) -> str:
        """Return a token for a program."""
        url = f"{self.issuer}/token"
        headers = {}
        if proof:
            headers["dpop"] = proof.proof("", htu=url, ath=None)
        answer = httpx2.post(
            url,
            data={"grant_type": "client_credentials", "resource": self.endpoint, **form},
            auth=("machine", "s3cret"),
            headers=headers,
        )
        assert answer.status_code == 200, answer.text
        token: str = answer.json()["access_token"]
        return token

    def mcpgen(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            sdk_programs.mcpgen(*arguments),
            capture_output=True,
            text=True,
            check=False,
            input=stdin,
            cwd=self.folder,
            env=self.environment,
            timeout=PATIENCE,
        )

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "MCPGEN_LOGINS": str(self.folder / "logins")}


@contextmanager
def world(folder: Path, kind: str) -> Iterator[World]:
    modules = node_packages.install(ROOT / ".cache" / "oidc-provider", PIN)
    ports = free_port(), free_port()
    issuer, endpoint = f"http://127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[1]}/mcp"
    variables = {
        "MCPGEN_AUTH_ISSUER": issuer,
        "MCPGEN_AUTH_RESOURCE": endpoint,
        "MCPGEN_AUTH_JWKS_URL": f"{issuer}/jwks",
        "MCPGEN_AUTH_SCOPES": "books:read",
        "MCPGEN_AUTH_INTROSPECTION_URL": f"{issuer}/token/introspection",
        "MCPGEN_AUTH_CLIENT_ID": "server",
        "MCPGEN_AUTH_CLIENT_SECRET": "server-s3cret",
    }
    target = project(CONTRACT, folder)
    (target / "src/library/server.py").write_text(SERVER)
    (target / "src/library/__main__.py").write_text(
        "from .server import server\n" + MAIN.format(kind=kind)
    )
    script = ROOT / "tests" / "support" / "oidc_provider.mjs"
    token_format = "jwt" if kind == "JwtAuth" else "opaque"
    command = [node_packages.node(modules), str(script), str(modules), str(ports[0])]
    with ExitStack() as stack:
        log = folder / "issuer.log"
        process = stack.enter_context(started([*command, endpoint, token_format], log))
        await_text(log, "ready", process)
        process = stack.enter_context(
            started(
                [sys.executable, "-m", "library", "--http", str(ports[1])],
                folder / "server.log",
                env={**os.environ, **variables, "PYTHONPATH": str(target / "src")},
            )
        )
        await_answer(ports[1], process)
        yield World(issuer, endpoint, folder)


@pytest.fixture(scope="module", params=["JwtAuth", "Introspection"])
def servers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("guarded"), request.param) as running:
        yield running


@pytest.fixture
def guarded(servers: World, tmp_path: Path) -> World:
    """The servers, with a folder without logins."""
    return replace(servers, folder=tmp_path)


def browse(url: str) -> str:
    """Log in and consent like a user in a browser, and return the URL of the redirect."""
    with httpx2.Client() as browser:
        for _ in range(20):
            page = browser.get(url)
            form = re.search(r'action="([^"]+)"', page.text)
            if page.is_redirect:
                url = urljoin(url, page.headers["location"])
            elif form:
                prompt = re.search(r'name="prompt" value="(\w+)"', page.text)
                fields = {"prompt": prompt[1] if prompt else "", "login": "ada", "password": "x"}
                page = browser.post(urljoin(url, form[1]), data=fields)
                url = urljoin(url, page.headers["location"])
            if "/callback?" in url:
                return url
    raise AssertionError(f"the login did not end: {url}")


def log_in(world: World, *options: str) -> None:
    """Log in with `mcpgen login`, as a user would."""
    with subprocess.Popen(
        [sys.executable, "-m", "mcpgen", "login", world.endpoint, "--no-browser", *options],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=world.environment,
    ) as login:
        assert login.stdin
        assert login.stderr
        lines = iter(login.stderr.readline, "")
        address = next(line.strip() for line in lines if line.startswith("http"))
        login.stdin.write(browse(address) + "\n")
        login.stdin.close()
        rest = login.stderr.read()
        assert login.wait(timeout=PATIENCE) == 0, rest


def test_user_logs_in_and_calls_tools_within_the_scopes(guarded: World) -> None:
    refused = guarded.mcpgen("list", guarded.endpoint)
    assert refused.returncode == 3
    assert "mcpgen login" in refused.stderr
    log_in(guarded)
    listed = guarded.mcpgen("list", guarded.endpoint)
    assert listed.returncode == 0, listed.stderr
    assert "find" in listed.stdout
    assert "add" not in listed.stdout
    called = guarded.mcpgen("call", guarded.endpoint, "find", "--yes")
    assert called.returncode == 0, called.stderr
    assert "ada" in called.stdout


def test_user_who_gets_more_scope_sees_more(guarded: World) -> None:
    log_in(guarded, "--scope", "books:write")
    listed = guarded.mcpgen("list", guarded.endpoint)
    assert "add" in listed.stdout, listed.stderr
    called = guarded.mcpgen("call", guarded.endpoint, "add", "--yes")
    assert called.returncode == 0, called.stderr
    assert "added" in called.stdout


def test_program_calls_with_its_own_token(guarded: World) -> None:
    async def call(token: str, tool: str) -> httpx2.Response:
        async with httpx2.AsyncClient(base_url=guarded.issuer) as client:
            params = {"name": tool, "arguments": {}}
            return await post(client, token, params=params, path=guarded.endpoint)

    reader = guarded.token(scope="books:read")
    assert result(anyio.run(call, reader, "find"))["content"][0]["text"] == "machine"
    assert anyio.run(call, reader, "add").status_code == 403
    writer = guarded.token(scope="books:read books:write")
    assert result(anyio.run(call, writer, "add"))["content"][0]["text"] == "added"
    nobody = guarded.token(scope="books:write")
    assert anyio.run(call, nobody, "add").status_code == 403


def test_token_for_another_resource_is_refused(guarded: World) -> None:
    async def call() -> Any:
        token = guarded.token(scope="books:read", resource="https://other.example.com/mcp")
        async with httpx2.AsyncClient(base_url=guarded.issuer) as client:
            return await post(client, token, path=guarded.endpoint)

    response = anyio.run(call)
    assert response.status_code == 401
    assert "another resource" in response.headers["www-authenticate"]


def test_bound_token_is_accepted_with_a_proof_only(guarded: World) -> None:
    key = DpopKey()
    token = guarded.token(proof=key, scope="books:read")

    async def call(scheme: str, proof: str) -> httpx2.Response:
        async with httpx2.AsyncClient(base_url=guarded.issuer) as client:
            headers = {"dpop": proof}
            return await post(client, token, scheme=scheme, headers=headers, path=guarded.endpoint)

    proof = key.proof(token, htu=guarded.endpoint)
    result(anyio.run(call, "DPoP", proof))
    assert anyio.run(call, "DPoP", proof).status_code == 401
    assert anyio.run(call, "Bearer", key.proof(token, htu=guarded.endpoint)).status_code == 401
    other = DpopKey()
    assert anyio.run(call, "DPoP", other.proof(token, htu=guarded.endpoint)).status_code == 401
