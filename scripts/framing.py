"""Carries the messages of a hostile server: over streams in memory, stdio, or HTTP in bytes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from hostile import Hostile
from mcp import StdioServerParameters
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

RELAY = """
import os, socket, sys, threading
link = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
link.sendall(b"STDIO " + sys.argv[2].encode() + b"\\n")
def back():
    while data := link.recv(65536):
        os.write(1, data)
    os._exit(0)
threading.Thread(target=back, daemon=True).start()
while data := os.read(0, 65536):
    link.sendall(data)
"""
STATUSES = (
    200,
    201,
    202,
    204,
    301,
    307,
    400,
    401,
    403,
    404,
    405,
    406,
    409,
    429,
    500,
    502,
    503,
    999,
)
KINDS = ("application/json", "text/event-stream", "text/html", "", "application/json; charset=x")


class Site:
    """A port for all cases. The first line of a connection names the case, and whether it uses
    HTTP.
    """

    def __init__(self) -> None:
        self.cases: dict[str, Hostile] = {}
        self.streams: dict[str, asyncio.Queue[bytes]] = {}
        self.port = 0

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Site]:
        """Listen until the block ends."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**24)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    def forget(self, case: str) -> None:
        """Stop serving a case."""
        self.cases.pop(case, None)
        if stream := self.streams.pop(case, None):
            stream.put_nowait(b"")

    def command(self, case: str) -> StdioServerParameters:
        """Return a command whose stdin and stdout are bytes of this site."""
        arguments = ["-S", "-E", "-c", RELAY, str(self.port), case]
        return StdioServerParameters(command=sys.executable, args=arguments)

    def url(self, case: str, *, is_sse: bool = False) -> str:
        """Return the address of a case."""
        return f"http://127.0.0.1:{self.port}/{case}/{'sse' if is_sse else 'mcp'}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.CancelledError):  # the run is over
            await self._talk(reader, writer)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            first = await reader.readline()
            if first.startswith(b"STDIO "):
                await self._stdio(self.cases[first.split()[1].decode()], reader, writer)
            else:
                while first:
                    if not await self._http(first, reader, writer):
                        break
                    first = await reader.readline()
        except (OSError, KeyError, ValueError, IndexError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _stdio(self, hostile: Hostile, reader: Any, writer: Any) -> None:
        chance = hostile.chance
        while line := await reader.readline():
            for text in hostile.answers(json.loads(line)):
                ending = chance.choice([b"\n"] * 8 + [b"\r\n", b"\n\n"])
                if chance.random() < 0.02:
                    ending = b"\nnot a message\n"
                await _write(chance, writer, text + ending)
            if chance.random() < 0.02:
                return

    async def _http(self, first: bytes, reader: Any, writer: Any) -> bool:
        method, path, _ = first.decode().split(" ")
        headers: dict[str, str] = {}
        while (line := (await reader.readline()).decode().strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        _, case, kind = path.split("/")[:3]
        hostile = self.cases[case]
        chance = hostile.chance
        if kind == "sse" and method == "GET":
            await self._older(case, chance, writer)
            return False
        if method != "POST":
            writer.write(b"HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n")
            await writer.drain()
            return True
        answers = hostile.answers(json.loads(body))
        if kind == "post" and case in self.streams:
            for text in answers:
                self.streams[case].put_nowait(_event(chance, text))
            answers = []
        elif kind == "post":
            return False
        is_greeting = b'"initialize"' in body or b"discover" in body or b"tools/list" in body
        wild = 0.02 if is_greeting else 0.3
        data, is_open = _response(chance, answers, wild, is_notice=b'"id"' not in body)
        await _write(chance, writer, data)
        return is_open

    async def _older(self, case: str, chance: random.Random, writer: Any) -> None:
        """Stream the answers of a case, as the transport before Streamable HTTP did."""
        if earlier := self.streams.get(case):  # a client reconnects after a loss
            earlier.put_nowait(b"")
        queue = self.streams[case] = asyncio.Queue()
        target = f"/{case}/post" if chance.random() < 0.95 else "http://127.0.0.2/x"
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
        writer.write(head + f"event: endpoint\ndata: {target}\n\n".encode())
        try:
            while chance.random() > 0.03:
                text = await queue.get()
                if not text:
                    return
                await _write(chance, writer, text)
        except OSError:
            pass


def _response(
    chance: random.Random, answers: list[bytes], wild: float, *, is_notice: bool
) -> tuple[bytes, bool]:
    """Frame messages as one HTTP response. Returns the bytes, and whether the connection stays
    open.
    """
    status = 202 if is_notice or not answers else 200
    is_stream = chance.random() < 0.5 or len(answers) > 1
    kind = "text/event-stream" if is_stream else "application/json"
    body = b"".join(_event(chance, text) for text in answers) if is_stream else b"".join(answers)
    is_wild = chance.random() < wild
    if is_wild:
        status = chance.choice([200, *STATUSES])
        kind = chance.choice([kind, kind, *KINDS])
    head = [f"HTTP/1.1 {status} Fine", f"content-type: {kind}"]
    if status >= 300 and chance.random() < 0.7:
        when = ["3", "x", "-1", "9" * 400, "Fri, 31 Dec 1999 23:59:59 GMT"]
        head += [f"retry-after: {chance.choice(when)}"]
        head += [f"www-authenticate: {chance.choice(['Bearer', '', 'x' * 999])}"]
        head += [f"location: {chance.choice(['/', 'http://127.0.0.2/', '::', ''])}"]
    if is_wild and chance.random() < 0.2:
        head += [
            chance.choice(
                [
                    "content-encoding: gzip",
                    "content-encoding: x",
                    "mcp-session-id: s",
                    "x:",
                    "content-type: text/html",
                ]
            )
        ]
    way = chance.randrange(8) if is_wild else 0
    if way == 1:  # less than was promised
        return "\r\n".join(
            [*head, f"content-length: {len(body) + 9}", "", ""]
        ).encode() + body, False
    if way == 2:
        return chance.choice(
            [b"", b"hello\r\n\r\n", b"\x16\x03\x01", b"HTTP/1.1 200 OK\r\n"]
        ), False
    if way == 3 or chance.random() < 0.3:
        size = chance.choice([7, 64, 4096])
        parts = [body[i : i + size] for i in range(0, len(body), size)]
        chunks = b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts)
        end = b"" if way == 3 else b"0\r\n\r\n"
        return "\r\n".join(
            [*head, "transfer-encoding: chunked", "", ""]
        ).encode() + chunks + end, way != 3
    if way == 4:  # without any length
        return "\r\n".join([*head, "connection: close", "", ""]).encode() + body, False
    return "\r\n".join([*head, f"content-length: {len(body)}", "", ""]).encode() + body, True


def _event(chance: random.Random, text: bytes) -> bytes:
    lines = [b"event: message", b"data: " + text]
    if chance.random() < 0.1:
        odd = [
            b": comment",
            b"id: 7",
            b"retry: 1",
            b"retry: x",
            b"event: x",
            b"nonsense",
            b"data",
            b"\xff",
            b"id: \x00",
        ]
        lines.insert(chance.randrange(3), chance.choice(odd))
    return chance.choice([b"\n", b"\r\n", b"\r"] if chance.random() < 0.1 else [b"\n"]).join(
        [*lines, b"", b""]
    )


async def _write(chance: random.Random, writer: Any, data: bytes) -> None:
    """Write bytes at once or in pieces."""
    if chance.random() < 0.1:
        for part in (data[: len(data) // 2], data[len(data) // 2 :]):
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0.002)
        return
    writer.write(data)
    await writer.drain()


@asynccontextmanager
async def memory(hostile: Hostile) -> AsyncGenerator[Any]:
    """Transport parsed messages and parse errors in memory."""
    send, read = anyio.create_memory_object_stream[Any](100)
    write, received = anyio.create_memory_object_stream[Any](100)

    async def serve() -> None:
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for item in received:
                message = item.message.model_dump(by_alias=True, exclude_unset=True)
                for text in hostile.answers(message):
                    await send.send(_parse(text))
                if hostile.chance.random() < 0.01:
                    send.close()

    with send, read, write, received:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve)
            yield read, write
            tasks.cancel_scope.cancel()


def _parse(text: bytes) -> Any:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError as error:
        return error
