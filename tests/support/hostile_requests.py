"""Thirty hostile requests with the outcome that each must have, for servers over HTTP.

``python tests/support/hostile_requests.py`` prints the table of docs/promises.md. It needs nginx,
and for FastMCP's server the interpreter of an environment with it (``--fastmcp PYTHON``).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from programs import find, started
from skeletons import await_answer, free_port, project

from mcpgen.contract.document import read

SECRET = "5ecret-0f-the-parent-f0lder"
PATIENCE = 20.0
OWN_LIMITS = ("--header-timeout", "2", "--body-timeout", "2")


@dataclass(frozen=True)
class Endpoint:
    """The port of a server on 127.0.0.1, and its folder of marks."""

    port: int
    folder: Path

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def marks(self) -> set[str]:
        """Return the marks of the calls that ran."""
        return {path.name for path in (self.folder / "marks").iterdir()}


@dataclass(frozen=True)
class Reply:
    """The status of a response, or 0 if the connection was closed without one, and its body."""

    status: int
    body: str


Send = Callable[[Endpoint], Reply]


@dataclass(frozen=True)
class Hostile:
    """A hostile request: its expected statuses (0 is a closed connection) and their source.

    In every case the call in it must not run, the secret file must not be sent, and the server
    must answer the next request.
    """

    name: str
    send: Send
    statuses: frozenset[int]
    source: str
    body: str = ""
    """A regular expression that the body must match."""


def exchange(endpoint: Endpoint, *parts: bytes, pause: float = 0.0) -> Reply:
    """Send parts of a request with pauses, and read the first response."""
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=PATIENCE) as connection:
        received = bytearray()
        try:
            for part in parts:
                connection.sendall(part)
                if pause:
                    connection.settimeout(pause)
                    try:
                        received += connection.recv(65_536)
                        break
                    except TimeoutError:
                        pass
            connection.settimeout(PATIENCE)
            while not _is_complete(bytes(received)) and (data := connection.recv(65_536)):
                received += data
        except (ConnectionResetError, BrokenPipeError):
            pass
    head, _, body = bytes(received).partition(b"\r\n\r\n")
    match = re.match(rb"HTTP/1\.[01] (\d{3})", head)
    return Reply(int(match[1]) if match else 0, body.decode("utf-8", "replace"))


def _is_complete(data: bytes) -> bool:
    head, separator, body = data.partition(b"\r\n\r\n")
    if not separator:
        return False
    length = re.search(rb"(?im)^content-length: (\d+)", head)
    if length:
        return len(body) >= int(length[1])
    return body.endswith(b"0\r\n\r\n") if b"chunked" in head.lower() else False


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "hostile", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method: str, **params: Any) -> bytes:
    """Return a request of 2026-07-28."""
    document = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    return json.dumps(document).encode()


def marking(name: str) -> bytes:
    """Return a call that leaves a mark."""
    return message("tools/call", name="mark", arguments={"name": name})


def headers(endpoint: Endpoint, **changes: str | None) -> dict[str, str]:
    """Return the headers of a valid call. A change to None removes a header."""
    valid: dict[str, str | None] = {
        "Host": endpoint.host,
        "Authorization": "Bearer alice",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "mark",
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }
    return {name: value for name, value in valid.items() if value is not None}


def head(endpoint: Endpoint, *extra: str, line: str = "POST /mcp", **changes: str | None) -> bytes:
    """Return the start of a request."""
    lines = [f"{name}: {value}" for name, value in headers(endpoint, **changes).items()]
    return "\r\n".join([f"{line} HTTP/1.1", *lines, *extra, "", ""]).encode("latin-1")


def posting(body: bytes, *extra: str, line: str = "POST /mcp", **changes: str | None) -> Send:
    """Return a request with a body of the right length."""

    def send(endpoint: Endpoint) -> Reply:
        start = head(endpoint, f"Content-Length: {len(body)}", *extra, line=line, **changes)
        return exchange(endpoint, start + body)

    return send


def with_framing(framing: Sequence[str], rest: bytes) -> Send:
    """Return a request whose length is written in this way."""
    return lambda endpoint: exchange(endpoint, head(endpoint, *framing) + rest)


def reading(path: str) -> Send:
    """Return a request for a resource below the folder of the template."""
    uri = f"files://{path}"
    body = message("resources/read", uri=uri)
    return posting(body, Mcp_Method="resources/read", Mcp_Name=uri)


def slowly(part: bytes, count: int) -> Send:
    """Return a request that arrives byte by byte, one in half a second."""

    def send(endpoint: Endpoint) -> Reply:
        start = head(endpoint, "Content-Length: 5000")
        first = b"POST /mcp HTTP/1.1\r\n" if part == b"header" else start
        return exchange(endpoint, first, *[b"x"] * count, pause=0.5)

    return send


def huge(*, chunked: bool) -> Send:
    """Return a request with a body of 64 MB."""
    block = b" " * 65_536

    def send(endpoint: Endpoint) -> Reply:
        if chunked:
            blocks = [b"10000\r\n" + block + b"\r\n"] * 1_000
            return exchange(endpoint, head(endpoint, "Transfer-Encoding: chunked"), *blocks)
        start = head(endpoint, "Content-Length: 65536000")
        return exchange(endpoint, start, *[block] * 1_000)

    return send


def _in_session(endpoint: Endpoint, token: str, *, ended: bool) -> Reply:
    """Open a session as one user, perhaps end it, and call in it as another."""
    legacy: dict[str, str | None] = {
        "MCP_Protocol_Version": "2025-11-25",
        "Mcp_Method": None,
        "Mcp_Name": None,
    }
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "hostile", "version": "1"},
    }
    document = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    body = json.dumps(document).encode()
    start = head(endpoint, f"Content-Length: {len(body)}", **legacy)
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=PATIENCE) as connection:
        connection.sendall(start + body)
        received = connection.recv(65_536)
    match = re.search(rb"(?i)mcp-session-id: (\S+)", received)
    assert match, received
    session = match[1].decode()
    if ended:
        start = head(endpoint, line="DELETE /mcp", Mcp_Session_Id=session, **legacy)
        assert exchange(endpoint, start).status in (200, 204)
    document = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "mark", "arguments": {"name": "session"}},
    }
    user = {"Authorization": f"Bearer {token}", "Mcp_Session_Id": session}
    return posting(json.dumps(document).encode(), **legacy, **user)(endpoint)


def hosts(value: str) -> Send:
    return posting(marking("host"), Host=value)


HOST = "2025-11-25, Transports, Security Warning; RFC 9110, 7.4"
ORIGIN = "2025-11-25, Transports, Security Warning"
PATHS = "2025-11-25, Resources, Security Considerations; RFC 3986, 7.3"
FRAMING = "RFC 9112, 6.3 and 11.2"
UNKNOWN = '"code": ?-32602'

REQUESTS: tuple[Hostile, ...] = (
    Hostile("foreign host", hosts("evil.example"), frozenset({421}), HOST),
    Hostile("host that starts like ours", hosts("127.0.0.1.evil.example"), frozenset({421}), HOST),
    Hostile("host with user info", hosts("127.0.0.1@evil.example"), frozenset({421}), HOST),
    Hostile("no host", posting(marking("host"), Host=None), frozenset({400}), "RFC 9112, 3.2"),
    Hostile(
        "two hosts",
        posting(marking("host"), "Host: evil.example"),
        frozenset({400}),
        "RFC 9112, 3.2",
    ),
    Hostile(
        "foreign host in the target",
        posting(marking("host"), line="POST http://evil.example/mcp"),
        frozenset({400, 404, 421}),
        "RFC 9112, 3.2.2",
    ),
    Hostile(
        "foreign origin",
        posting(marking("origin"), Origin="https://evil.example"),
        frozenset({403}),
        ORIGIN,
    ),
    Hostile("origin null", posting(marking("origin"), Origin="null"), frozenset({403}), ORIGIN),
    Hostile(
        "origin that starts like ours",
        posting(marking("origin"), Origin="http://127.0.0.1.evil.example"),
        frozenset({403}),
        ORIGIN,
    ),
    Hostile("path with ..", reading("../secret"), frozenset({400}), PATHS, UNKNOWN),
    Hostile("path with %2e%2e", reading("%2e%2e/secret"), frozenset({400}), PATHS, UNKNOWN),
    Hostile("path with ..%2F", reading("..%2Fsecret"), frozenset({400}), PATHS, UNKNOWN),
    Hostile(
        "path encoded twice", reading("%252e%252e%252Fsecret"), frozenset({400}), PATHS, UNKNOWN
    ),
    Hostile("path with ..\\", reading("..%5Csecret"), frozenset({400}), PATHS, UNKNOWN),
    Hostile("absolute path", reading("%2Fetc%2Fhostname"), frozenset({400}), PATHS, UNKNOWN),
    Hostile("path with NUL", reading("open.txt%00"), frozenset({400}), PATHS, UNKNOWN),
    Hostile(
        "traversal of the HTTP path",
        posting(b"", line="GET /mcp/..%2f..%2fetc%2fpasswd"),
        frozenset({400, 404}),
        "RFC 3986, 6.2.2.3",
    ),
    Hostile("slow headers", slowly(b"header", 40), frozenset({0, 408}), "RFC 9110, 15.5.9"),
    Hostile("slow body", slowly(b"body", 40), frozenset({0, 408}), "RFC 9110, 15.5.9"),
    Hostile("body of 64 MB", huge(chunked=False), frozenset({0, 413}), "RFC 9110, 15.5.14"),
    Hostile("chunks of 64 MB", huge(chunked=True), frozenset({0, 413}), "RFC 9110, 15.5.14"),
    Hostile(
        "header of 128 KB",
        posting(marking("header"), f"X-Large: {'x' * 131_072}"),
        frozenset({0, 400, 431}),
        "RFC 6585, 5",
    ),
    Hostile(
        "two kinds of length",
        with_framing(
            ["Content-Length: 6", "Transfer-Encoding: chunked"],
            b"0\r\n\r\nPOST /mcp HTTP/1.1\r\n\r\n",
        ),
        frozenset({0, 400}),
        FRAMING,
    ),
    Hostile(
        "two lengths",
        posting(marking("length"), "Content-Length: 2"),
        frozenset({0, 400}),
        FRAMING,
    ),
    Hostile(
        "chunk size that isn't a number",
        with_framing(["Transfer-Encoding: chunked"], b"0x5z\r\nhello\r\n0\r\n\r\n"),
        frozenset({0, 400}),
        "RFC 9112, 7.1",
    ),
    Hostile(
        "space before the colon",
        lambda endpoint: exchange(
            endpoint, head(endpoint, "Content-Length : 5") + marking("colon")
        ),
        frozenset({0, 400}),
        "RFC 9112, 5.1",
    ),
    Hostile(
        "batch",
        posting(b"[" + marking("batch") + b"," + marking("batch") + b"]"),
        frozenset({400}),
        "2025-06-18, Changelog; JSON-RPC 2.0, 4",
    ),
    Hostile(
        "invalid UTF-8",
        posting(marking("text").replace(b'"text"', b'"\xff\xfe"')),
        frozenset({400}),
        "JSON-RPC 2.0, 5.1; RFC 8259, 8.1",
    ),
    Hostile(
        "session of another user",
        lambda endpoint: _in_session(endpoint, "bob", ended=False),
        frozenset({403, 404}),
        "2025-11-25, Security Best Practices, Session Hijacking",
    ),
    Hostile(
        "session that has ended",
        lambda endpoint: _in_session(endpoint, "alice", ended=True),
        frozenset({404}),
        "2025-11-25, Transports, Session Management",
    ),
)


@dataclass(frozen=True)
class Verdict:
    """Whether an outcome is the expected one, and what happened."""

    is_expected: bool
    text: str


def judge(request: Hostile, endpoint: Endpoint) -> Verdict:
    """Send a hostile request, and then a valid one."""
    before = endpoint.marks()
    try:
        reply = request.send(endpoint)
    except (OSError, AssertionError) as error:
        return Verdict(False, f"{type(error).__name__}")
    ran = endpoint.marks() - before
    problems = [f"ran the call ({', '.join(sorted(ran))})"] if ran else []
    if SECRET in reply.body:
        problems.append("sent the file")
    if request.body and not re.search(request.body, reply.body):
        problems.append("no error for the resource")
    if not is_alive(endpoint):
        problems.append("then answered nothing")
    status = str(reply.status) if reply.status else "closed"
    is_expected = reply.status in request.statuses and not problems
    return Verdict(is_expected, "; ".join([status, *problems]))


def is_alive(endpoint: Endpoint) -> bool:
    """Return True if a valid call runs."""
    name = f"valid-{time.monotonic_ns()}"
    try:
        return posting(marking(name))(endpoint).status == 200 and name in endpoint.marks()
    except OSError:
        return False


TOOLS = """\
import os
from pathlib import Path

from ._generated import HostileTools


class Tools(HostileTools):
    async def mark(self, arguments, context):
        (Path(os.environ["MARKS"]) / "marks" / Path(arguments.name).name).touch()
        return "marked"
"""
RESOURCES = """\
import os
from pathlib import Path

from ._generated import HostileResources, NotFound


class Resources(HostileResources):
    async def files(self, context, *, path):
        file = Path(os.environ["MARKS"]) / "files" / path
        if not file.is_file():
            raise NotFound
        return file.read_text()
"""
SERVER = """\
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from ._generated import create, run
from .resources import Resources
from .tools import Tools

server = create(Tools(), Resources())


class Verifier:
    async def verify_token(self, token):
        return AccessToken(token=token, client_id=token, scopes=[], subject=token)


def main():
    url = "http://127.0.0.1:1/mcp"
    auth = AuthSettings(issuer_url="http://127.0.0.1:1", resource_server_url=url)
    run(server, auth=auth, token_verifier=Verifier())
"""
PEER = """\
import os
import sys
from pathlib import Path

kind, port = sys.argv[1], int(sys.argv[2])
FOLDER = Path(os.environ["MARKS"])


def mark(name: str) -> str:
    (FOLDER / "marks" / Path(name).name).touch()
    return "marked"


def files(path: str) -> str:
    return (FOLDER / "files" / path).read_text()


if kind == "sdk":
    from mcp.server.auth.provider import AccessToken
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.mcpserver import MCPServer

    class Verifier:
        async def verify_token(self, token):
            return AccessToken(token=token, client_id=token, scopes=[], subject=token)

    url = "http://127.0.0.1:1/mcp"
    auth = AuthSettings(issuer_url="http://127.0.0.1:1", resource_server_url=url)
    server = MCPServer("hostile", auth=auth, token_verifier=Verifier())
else:
    from fastmcp import FastMCP
    from fastmcp.server.auth import StaticTokenVerifier

    tokens = {name: {"client_id": name, "sub": name, "scopes": []} for name in ("alice", "bob")}
    server = FastMCP("hostile", auth=StaticTokenVerifier(tokens))
server.tool()(mark)
server.resource("files://{+path}" if kind == "sdk" else "files://{path*}")(files)
if kind == "sdk":
    server.run("streamable-http", host="127.0.0.1", port=port)
else:
    server.run("http", host="127.0.0.1", port=port, show_banner=False)
"""
CONTRACT = {
    "server": {"name": "hostile", "version": "1"},
    "tools": [
        {
            "name": "mark",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            },
        }
    ],
    "resourceTemplates": [{"uriTemplate": "files://{+path}", "name": "files"}],
}
NGINX = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx-error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  client_max_body_size 4m;
  client_header_timeout 2s;
  client_body_timeout 2s;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{upstream};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host:$server_port;
      proxy_buffering off;
      proxy_request_buffering off;
    }}
  }}
}}
"""


def prepare(folder: Path) -> dict[str, str]:
    """Create the files of a server, and return the variables that it needs."""
    (folder / "marks").mkdir()
    (folder / "files").mkdir()
    (folder / "files" / "open.txt").write_text("open")
    (folder / "secret").write_text(SECRET)
    return {**os.environ, "MARKS": str(folder), "PYTHONPATH": str(folder / "hostile" / "src")}


@contextmanager
def generated_server(folder: Path) -> Iterator[Endpoint]:
    """Start a generated server."""
    environment = prepare(folder)
    package = project(read(CONTRACT), folder) / "src" / "hostile"
    for name, text in (("tools", TOOLS), ("resources", RESOURCES), ("server", SERVER)):
        (package / f"{name}.py").write_text(text)
    port = free_port()
    command = [sys.executable, "-m", "hostile", "--http", str(port), *OWN_LIMITS]
    with started(command, folder / "server.log", env=environment) as process:
        await_answer(port, process)
        yield Endpoint(port, folder)


@contextmanager
def peer(folder: Path, kind: str, python: str) -> Iterator[Endpoint]:
    """Start a server of the SDK or of FastMCP with default settings."""
    environment = prepare(folder)
    (folder / "peer.py").write_text(PEER)
    port = free_port()
    command = [python, str(folder / "peer.py"), kind, str(port)]
    with started(command, folder / "server.log", env=environment) as process:
        await_answer(port, process)
        yield Endpoint(port, folder)


@contextmanager
def behind_nginx(endpoint: Endpoint) -> Iterator[Endpoint]:
    """Put nginx before a server. It passes on the host that it serves itself."""
    port = free_port()
    configuration = endpoint.folder / "nginx.conf"
    configuration.write_text(
        NGINX.format(folder=endpoint.folder, port=port, upstream=endpoint.port)
    )
    command = [find("nginx"), "-c", str(configuration)]
    with started(command, endpoint.folder / "nginx.log") as process:
        await_answer(port, process)
        yield Endpoint(port, endpoint.folder)


def main() -> None:
    """Print a table of all servers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fastmcp", help="the interpreter of an environment with FastMCP")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folders = [Path(name) / kind for kind in ("generated_server", "sdk", "fastmcp")]
        for folder in folders:
            folder.mkdir()
        direct = stack.enter_context(generated_server(folders[0]))
        endpoints = {
            "ours": direct,
            "ours behind nginx": stack.enter_context(behind_nginx(direct)),
            "the SDK's": stack.enter_context(peer(folders[1], "sdk", sys.executable)),
        }
        if arguments.fastmcp:
            endpoints["FastMCP's"] = stack.enter_context(
                peer(folders[2], "fastmcp", arguments.fastmcp)
            )
        print("| request | expected | source |", " | ".join(endpoints), "|")
        print("|---|---|---|" + "---|" * len(endpoints))
        counts = dict.fromkeys(endpoints, 0)
        for request in REQUESTS:
            verdicts = [judge(request, endpoint) for endpoint in endpoints.values()]
            for key, verdict in zip(endpoints, verdicts, strict=True):
                counts[key] += verdict.is_expected
            texts = [item.text if item.is_expected else f"**{item.text}**" for item in verdicts]
            statuses = [str(status) if status else "closed" for status in sorted(request.statuses)]
            expected = " or ".join(statuses)
            print(f"| {request.name} | {expected} | {request.source} |", " | ".join(texts), "|")
        total = [f"{count} of {len(REQUESTS)}" for count in counts.values()]
        print("| as expected | | |", " | ".join(total), "|")


if __name__ == "__main__":
    main()
