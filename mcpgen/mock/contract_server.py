"""What a mock offers and answers: out of the contract, and of data that its schemas allow."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from mcp import MCPError, UriTemplate, types
from mcp.server import Server, ServerRequestContext
from mcp.server.mcpserver import ResourceSecurity

from mcpgen.contract import capabilities
from mcpgen.contract.definitions import Api, Resource, Tool, read
from mcpgen.contract.document import Contract
from mcpgen.display import brief
from mcpgen.errors import Notice, Problem
from mcpgen.examples import NoExampleError, example
from mcpgen.isolation import isolated, noticed, reason, surviving
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_object
from mcpgen.mock.conversation import Conversation
from mcpgen.validation import definitions, schemas

Context: TypeAlias = ServerRequestContext[Any, Any]
Definitions: TypeAlias = Sequence[Mapping[str, Json]]

PAGE = 100
"""How many entries of a list are sent at a time."""

MODERN = "2026-07-28"
"""From this revision on, structured content may be any JSON value, not only an object."""

_COMPLETE = {"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}
_MOST_PROBLEMS = 20
_NOTHING: Mapping[str, Any] = {}
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
    offered = mock.capabilities
    made: Server[Any] = Server(
        mock.server_info["name"],
        version=mock.server_info["version"],
        instructions=contract.instructions or None,
        on_call_tool=mock.call_tool if "tools" in offered else None,
        on_get_prompt=mock.get_prompt if "prompts" in offered else None,
        on_read_resource=mock.read_resource if "resources" in offered else None,
        get_tool_input_schema=mock.input_schema,
    )
    for method in _LISTS:
        if method.split("/", maxsplit=1)[0] in offered:
            made.add_request_handler(method, types.PaginatedRequestParams, mock.begin_list)
    mock.conversation.serve(made, offered)
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
    def conversation(self) -> Conversation:
        """What a client may ask and be told besides."""
        return Conversation(self.api, self.seed)

    @cached_property
    def capabilities(self) -> Mapping[str, Json]:
        """What the mock declares: what was recorded, save what it cannot do."""
        return capabilities.declared(self.contract)

    @cached_property
    def server_info(self) -> Mapping[str, Json]:
        """What the mock says of itself: what the server did."""
        said = capabilities.server_info(definitions.sound(self.contract.server))
        return said if self.api.server else {**said, "name": "mock"}

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The tools as they are read, by name."""
        return {tool.name: tool for tool in self.api.tools}

    @cached_property
    def templates(self) -> Sequence[Resource]:
        """The templates in the order they are listed in: the first one that fits counts."""
        read = {template.uri: template for template in self.api.templates}
        uris = [raw["uriTemplate"] for raw in self.contract.listed("resourceTemplates")]
        return [read[uri] for uri in uris if uri in read]

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
        """Put what the contract has into an answer as it is: the SDK would reword it."""
        result = await call_next(ctx)
        if not is_object(result):
            return result
        result = self._introduced(result, ctx.method)
        listed = _LISTS.get(ctx.method, "")
        if listed not in result:
            return result
        page, _ = _paged(self._definitions(listed, ctx), (ctx.params or {}).get("cursor"))
        return {**result, listed: page}

    def _introduced(self, result: dict[str, Json], method: str) -> dict[str, Json]:
        changed: dict[str, Json] = {}
        if method in ("initialize", "server/discover"):
            changed["capabilities"] = self.capabilities
        if method == "initialize":
            changed["serverInfo"] = self.server_info
        meta = result.get("_meta")
        if is_object(meta) and types.SERVER_INFO_META_KEY in meta:
            changed["_meta"] = {**meta, types.SERVER_INFO_META_KEY: self.server_info}
        return {**result, **changed}

    def _definitions(self, listed: str, ctx: Context) -> Definitions:
        found = self.contract.listed(listed)
        if listed != "tools":
            return found
        return [_published(raw, ctx.protocol_version) for raw in found]

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Check the arguments, and answer with what the output schema allows."""
        tool = self.tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        if "logging" in self.capabilities:
            await self.conversation.log(ctx, f"{tool.name} was called")
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
        matched = [(t, _matched(t.uri, uri)) for t in self.templates]
        found = next(((r, given) for r, given in (*fixed, *matched) if given is not None), None)
        # What the SDK's own servers refuse, a path out of a folder for one, is refused here too.
        if found is None or ResourceSecurity().validate(found[1]) is not None:
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
        found = schemas.Law(schema).errors(value, _MOST_PROBLEMS)
    except RecursionError:
        return [Problem("", "too deeply nested to be checked")]
    return [Problem(pointer(e.absolute_path), brief(e.message)) for e in found]


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


def _matched(template: str, uri: str) -> Mapping[str, str | list[str]] | None:
    """Return the variables with which a template becomes a URI, ``None`` if it never does."""
    with contextlib.suppress(ValueError):
        return UriTemplate.parse(template).match(uri)
    return None
