"""A server without code: it offers what a contract says, and answers what its schemas allow."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FrameType
from typing import Any, NoReturn, TypeAlias

import anyio
from mcp import MCPError, UriTemplate, types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from mcpgen import law, places
from mcpgen.api import Api, Resource, Tool, read
from mcpgen.contract import Contract
from mcpgen.errors import Notice, UsageError
from mcpgen.examples import NoExampleError, example
from mcpgen.isolation import isolated, noticed, reason, surviving
from mcpgen.jsontext import Json, is_object
from mcpgen.places import Problem

Context: TypeAlias = ServerRequestContext[Any, Any]
Definitions: TypeAlias = Sequence[Mapping[str, Json]]

PAGE = 100
"""How many entries of a list are sent at a time."""

MODERN = "2026-07-28"
"""From this revision on, structured content may be any JSON value, not only an object."""

_COMPLETE = {"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}
_MOST_PROBLEMS = 20
_NOTHING: Mapping[str, Json] = {}
_NOT_FOUND = -32002  # of a resource, up to 2025-11-25

# One black pixel, for whatever is no text.
_PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


def server(contract: Contract, seed: int = 0) -> Server[Any]:
    """Return a server that offers what a contract says, over any transport of the SDK.

    The same seed and arguments give the same answer. What the contract has no part of, such as
    prompts, the server does not know either.
    """
    contract, _ = servable(contract)
    mock = Mock(contract, read(contract), seed)
    has_resources = bool(contract.resources or contract.resource_templates)
    made: Server[Any] = Server(
        mock.api.server or "mock",
        version=mock.api.version,
        title=mock.api.title or None,
        instructions=contract.instructions or None,
        on_call_tool=mock.call_tool,
        on_get_prompt=mock.get_prompt if contract.prompts else None,
        on_read_resource=mock.read_resource if has_resources else None,
        get_tool_input_schema=mock.input_schema,
    )
    known = {"tools": True, "prompts": bool(contract.prompts)}
    for method in _LISTS:
        if known.get(method.split("/", maxsplit=1)[0], has_resources):
            made.add_request_handler(method, types.PaginatedRequestParams, mock.begin_list)
    made.middleware.append(mock.as_written)
    return made


def servable(contract: Contract) -> tuple[Contract, tuple[Notice, ...]]:
    """Return what of a contract can be served; what cannot costs itself alone, and is named."""
    served, failures = isolated(_served, contract)
    return served, noticed(failures)


def _served(contract: Contract) -> Contract:
    read(contract)
    for raw in contract.tools.values():
        _published(raw, MODERN)
        _published(raw, "")
    return contract


@dataclass(frozen=True)
class Mock:
    """Answers each request out of the contract alone."""

    contract: Contract
    api: Api
    seed: int

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The tools as they are read, by name."""
        return {tool.name: tool for tool in self.api.tools}

    def input_schema(self, name: str) -> Mapping[str, Json] | None:
        """Return the schema that says which arguments are repeated in headers."""
        tool = self.tools.get(name)
        return tool.input.raw if tool and tool.input else None

    async def begin_list(self, ctx: Context, params: types.PaginatedRequestParams) -> Json:
        """Answer with a page of a list; its definitions are put in by :meth:`as_written`."""
        listed = _LISTS[ctx.method]
        _, more = _paged(self._definitions(listed, ctx), params.cursor)
        return {**_COMPLETE, listed: [], **({"nextCursor": more} if more else {})}

    async def as_written(self, ctx: Context, call_next: Any) -> Any:
        """Put definitions into a page as the contract has them: the SDK would reword them."""
        result = await call_next(ctx)
        listed = _LISTS.get(ctx.method, "")
        if not is_object(result) or listed not in result:
            return result
        page, _ = _paged(self._definitions(listed, ctx), (ctx.params or {}).get("cursor"))
        return {**result, listed: page}

    def _definitions(self, listed: str, ctx: Context) -> Definitions:
        contract = self.contract
        found = {
            "prompts": contract.prompts,
            "resources": contract.resources,
            "resourceTemplates": contract.resource_templates,
        }
        if listed in found:
            return list(found[listed].values())
        return [_published(raw, ctx.protocol_version) for raw in contract.tools.values()]

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Check the arguments, and answer with what the output schema allows."""
        tool = self.tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        arguments, revision = params.arguments or {}, ctx.protocol_version
        answers, failures = surviving(
            [tool], lambda kept: [self._answer(each, arguments, revision) for each in kept]
        )
        if failures:
            return _failed(f"{reason(failures[0].error)}; please report this")
        return answers[0]

    def _answer(
        self, tool: Tool, arguments: dict[str, Json], revision: str
    ) -> types.CallToolResult:
        problems = _problems(tool.input.raw, arguments) if tool.input else []
        if problems:
            lines = [f"{problem.pointer or '/'}: {problem.reason}" for problem in problems]
            return _failed("\n".join([f"invalid arguments for {tool.name}", *lines]))
        if tool.output is None:
            return types.CallToolResult(content=[_block(_sentence(tool, arguments))])
        try:
            answer = example(tool.output.raw, self._seed_of(tool.name, arguments))
        except NoExampleError as error:
            return _failed(f"{error.problem}: the output schema of {tool.name} {error.where}")
        text = _block(json.dumps(answer, ensure_ascii=False))
        if revision < MODERN and not is_object(answer):
            return types.CallToolResult(content=[text])
        return types.CallToolResult(content=[text], structured_content=answer)

    def _seed_of(self, name: str, arguments: Mapping[str, Json]) -> int:
        said = json.dumps([self.seed, name, arguments], sort_keys=True)
        return int.from_bytes(hashlib.sha256(said.encode()).digest()[:6], "big")

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Fill a prompt in: what it is for, and what was given."""
        del ctx
        prompt = next((p for p in self.api.prompts if p.name == params.name), None)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        given = params.arguments or {}
        missing = [a.name for a in prompt.arguments if a.required and a.name not in given]
        if missing:
            said = f"Prompt {prompt.name} needs {', '.join(missing)}"
            raise MCPError(types.INVALID_PARAMS, said)
        lines = [prompt.description or prompt.title or prompt.name]
        lines += [f"{name}: {value}" for name, value in given.items()]
        message = types.PromptMessage(role="user", content=_block("\n".join(lines)))
        return types.GetPromptResult(description=prompt.description or None, messages=[message])

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read a listed resource, or one that a template describes."""
        uri = str(params.uri)
        fixed = [(r, _NOTHING) for r in self.api.resources if r.uri == uri]
        matched = [(t, _matched(t.uri, uri)) for t in self.api.templates]
        found = next(((r, given) for r, given in (*fixed, *matched) if given is not None), None)
        if found is None:
            code = types.INVALID_PARAMS if ctx.protocol_version >= MODERN else _NOT_FOUND
            raise MCPError(code, f"Unknown resource: {uri}")
        resource, variables = found
        return types.ReadResourceResult(contents=[_contents(resource, uri, variables)])


_LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def _paged(entries: Definitions, cursor: Json) -> tuple[Definitions, str | None]:
    start = int(cursor) if isinstance(cursor, str) and cursor.isdecimal() else 0
    if (cursor is not None and not start) or start > len(entries):
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")
    end = start + PAGE
    return entries[start:end], str(end) if end < len(entries) else None


def _published(raw: Mapping[str, Json], revision: str) -> Mapping[str, Json]:
    """Return a tool as it is recorded, save what would make the SDK refuse the whole list."""
    given, output = raw.get("inputSchema"), raw.get("outputSchema")
    tool = dict(raw)
    if not is_object(given) or given.get("type") != "object":
        tool["inputSchema"] = {**(given if is_object(given) else {}), "type": "object"}
    if not is_object(output) or (revision < MODERN and output.get("type") != "object"):
        tool.pop("outputSchema", None)
    return tool


def _problems(schema: Json, value: Json) -> list[Problem]:
    """Return every way, up to a bound, in which arguments break their schema."""
    try:
        found = law.Law(schema).errors(value, _MOST_PROBLEMS)
    except RecursionError:
        return [Problem("", "too deeply nested to be checked")]
    return [Problem(places.pointer(e.absolute_path), places.brief(e.message)) for e in found]


def _failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_block(text)], is_error=True)


def _block(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _sentence(tool: Tool, arguments: Mapping[str, Json]) -> str:
    given = [f"{name} = {json.dumps(v, ensure_ascii=False)}" for name, v in arguments.items()]
    return f"{tool.title or tool.name}: done{' with ' if given else ''}{', '.join(given)}"


def _contents(
    resource: Resource, uri: str, variables: Mapping[str, Json]
) -> types.TextResourceContents | types.BlobResourceContents:
    mime = resource.mime_type or "text/plain"
    if mime.split("/")[0] in ("image", "audio", "video") or mime.endswith("octet-stream"):
        return types.BlobResourceContents(uri=uri, mime_type=mime, blob=_PIXEL)
    text = f"{resource.title or resource.name}\n\n{resource.description or uri}"
    if mime.endswith("json"):
        text = json.dumps({"uri": uri, "name": resource.name, **variables}, ensure_ascii=False)
    return types.TextResourceContents(uri=uri, mime_type=mime, text=text)


def _matched(template: str, uri: str) -> Mapping[str, Json] | None:
    """Return the variables with which a template becomes a URI, ``None`` if it never does."""
    with contextlib.suppress(ValueError):
        return UriTemplate.parse(template).match(uri)
    return None


# Over the two transports


def serve_stdio(made: Server[Any]) -> None:
    """Serve over stdin and stdout until the client leaves."""
    # A thread that waits for stdin cannot be told to stop, and nothing is left to be written.
    signal.signal(signal.SIGINT, _leave)
    anyio.run(_serve, made)


def _leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    os._exit(0)


async def _serve(made: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())


def listen(host: str, port: int) -> socket.socket:
    """Take a port, 0 for any that is free; a port that cannot be had is a usage error."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        # The name of a host that is not known has no number of the system's.
        number = error.errno or 0
        reason = os.strerror(number) if number > 0 else error.strerror
        said = f"{host}:{port} cannot be listened on: {reason}"
        raise UsageError(said, "--http", "try another port; 0 takes any free one") from None


def serve_http(made: Server[Any], taken: socket.socket, host: str) -> None:
    """Serve over Streamable HTTP at ``/mcp`` until interrupted."""
    import uvicorn

    app = made.streamable_http_app(host=host)
    running = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    with contextlib.suppress(KeyboardInterrupt):  # which is how a server is stopped
        running.run(sockets=[taken])
