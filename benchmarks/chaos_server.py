"""A server in the standard library alone, which starts quickly and fails on request.

Usage: python chaos_server.py FOLDER ERA stdio, or python chaos_server.py FOLDER ERA PORT. In the
folder, ``fault`` has the name of the current fault, or is empty. ``acted`` gets a line for each
call of the tool that acts, which shows repeated calls.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

Json = Any

ECHO: Json = {
    "name": "echo",
    "description": "Return what it was given, after a while.",
    "inputSchema": {
        "type": "object",
        "properties": {"key": {"type": "string"}, "delay": {"type": "number"}},
        "required": ["key", "delay"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"key": {"type": "string"}},
        "required": ["key"],
    },
    "annotations": {"readOnlyHint": True, "idempotentHint": True},
}
ACT: Json = {**ECHO, "name": "act", "description": "Write the key down."}
ACT["annotations"] = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}
TOOLS = {"echo": ECHO, "act": ACT}
REVISIONS = {"2025": "2025-11-25", "2026": "2026-07-28"}
SERVER = {"name": "chaos", "version": "1"}
LATE = 4.0
"""How many seconds longer a slow call takes: longer than its caller waits."""


class Refusal(Exception):
    """An HTTP status instead of a response."""


class Server:
    """The parts that both transports share: tools, faults, and the sessions of the older era."""

    def __init__(self, folder: Path, era: str) -> None:
        self.fault_file = folder / "fault"
        self.acted = os.open(folder / "acted", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.is_legacy = era == "2025"
        self.sessions: set[str] = set()
        self.forgot = self.fault_file.read_text()

    def fault(self) -> str:
        """Return the name of the current fault."""
        text = self.fault_file.read_text()
        if text.startswith("404") and text != self.forgot:
            self.sessions.clear()
        self.forgot = text
        return text.partition(" ")[0]

    async def answer(self, message: Json) -> Json:
        """Return the response to a request."""
        method, params = message["method"], message.get("params") or {}
        head = {"jsonrpc": "2.0", "id": message["id"]}
        if method == "initialize" and self.is_legacy:
            greeting: Json = {"capabilities": {"tools": {}}, "serverInfo": SERVER}
            return {**head, "result": {"protocolVersion": REVISIONS["2025"], **greeting}}
        if method == "ping" and self.is_legacy:
            return {**head, "result": {}}
        if method == "server/discover" and not self.is_legacy:
            result: Json = {"supportedVersions": [REVISIONS["2026"]], "capabilities": {"tools": {}}}
            return {**head, "result": self.result({**result, "ttlMs": 0, "cacheScope": "private"})}
        if method == "tools/list":
            result = {"tools": [*TOOLS.values()], "ttlMs": 0, "cacheScope": "private"}
            return {**head, "result": self.result(result)}
        if method == "tools/call":
            return {**head, "result": self.result(await self.call(params))}
        return {**head, "error": {"code": -32601, "message": f"Method not found: {method}"}}

    def result(self, members: Json) -> Json:
        """Return a result in the form of the era."""
        return members if self.is_legacy else {**members, "resultType": "complete"}

    async def call(self, params: Json) -> Json:
        """Call a tool. A status of failure is sent before or after the tool acts."""
        fault, arguments = self.fault(), params["arguments"]
        has_acted = fault not in ("401", "404", "429") and random.random() < 0.5
        if fault.isdecimal() and not has_acted:
            raise Refusal(fault)
        if params["name"] == "act":
            os.write(self.acted, f"{arguments['key']}\n".encode())
        await asyncio.sleep(arguments["delay"] + (LATE if fault == "slow" else 0))
        if fault.isdecimal():
            raise Refusal(fault)
        result = {"key": arguments["key"]}
        return {
            "content": [{"type": "text", "text": json.dumps(result)}],
            "structuredContent": result,
        }


def garbled(body: bytes) -> bytes:
    """Return what a broken server may send instead of a response."""
    return random.choice(
        (b"<html>Bad Gateway</html>", body[: len(body) // 2], b"\xff\xfe", b"[]", b'{"id": 1}')
    )


# stdio


async def over_stdio(server: Server) -> None:
    """Respond to each line of stdin with a line of stdout."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        message = json.loads(line)
        if "id" in message and "method" in message:
            tasks.add(task := asyncio.create_task(_print(server, message)))
            task.add_done_callback(tasks.discard)


async def _print(server: Server, message: Json) -> None:
    body = json.dumps(await server.answer(message)).encode()
    if message["method"] == "tools/call" and server.fault() == "garbage":
        body = garbled(body)
    _write(body + b"\n")


def _write(line: bytes) -> None:
    while line:
        line = line[os.write(1, line) :]


# HTTP


async def over_http(server: Server, port: int) -> None:
    """Respond to each POST with JSON, or to a call of the older era with an event stream."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await _exchange(server, reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    listening = await asyncio.start_server(connected, "127.0.0.1", port, backlog=1000)
    await listening.serve_forever()


async def _exchange(
    server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    """Respond to one request. Returns whether another may follow."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.splitlines()
    fields = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in fields}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    server.fault()
    session = headers.get("mcp-session-id", "")
    method = first.partition(" ")[0]
    if session and session not in server.sessions:
        return await _send(writer, 404, b"Session not found")
    if method == "DELETE":
        server.sessions.discard(session)
        return await _send(writer, 200, b"")
    if method == "GET" and server.is_legacy:
        return await _hold(reader, writer)
    if method != "POST":
        return await _send(writer, 405, b"")
    return await _post(server, json.loads(body), writer)


async def _hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Keep the stream for server requests open until the client leaves."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    await writer.drain()
    await reader.read()
    return False


async def _post(server: Server, message: Json, writer: asyncio.StreamWriter) -> bool:
    if "id" not in message or "method" not in message:
        return await _send(writer, 202, b"")
    is_call = message["method"] == "tools/call"
    if is_call and server.is_legacy and not server.fault().isdecimal():
        return await _stream(server, message, writer)
    more = ""
    try:
        body = json.dumps(await server.answer(message)).encode()
    except Refusal as refusal:
        return await _send(writer, int(str(refusal)), b"no", "Retry-After: 1\r\n")
    if message["method"] == "initialize":
        session = os.urandom(8).hex()
        server.sessions.add(session)
        more = f"Mcp-Session-Id: {session}\r\n"
    if is_call and server.fault() == "garbage":
        if random.random() < 0.3:
            return False  # the connection ends without a response
        body = garbled(body)
    return await _send(writer, 200, body, more)


async def _stream(server: Server, message: Json, writer: asyncio.StreamWriter) -> bool:
    """Respond with an event stream, whose headers are sent before the tool ends."""
    kind = "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked"
    writer.write(f"HTTP/1.1 200 OK\r\n{kind}\r\n\r\n".encode())
    await writer.drain()
    try:
        body = json.dumps(await server.answer(message)).encode()
    except Refusal:
        return False
    if server.fault() == "garbage":
        if random.random() < 0.3:
            return False
        body = garbled(body)
    event = b"event: message\ndata: " + body + b"\n\n"
    writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(event), event))
    await writer.drain()
    return True


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes, more: str = "") -> bool:
    if status == 401:
        more += "WWW-Authenticate: Bearer\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"HTTP/1.1 {status} Said\r\n{kind}{more}\r\n".encode() + body)
    await writer.drain()
    return True


def main() -> None:
    """Serve until stdin ends, or forever."""
    folder, era, where = sys.argv[1:]
    server = Server(Path(folder), era)
    asyncio.run(over_stdio(server) if where == "stdio" else over_http(server, int(where)))


if __name__ == "__main__":
    main()
