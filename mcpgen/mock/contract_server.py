"""A server that offers what a contract says, with the definitions as they were recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.mcpserver import ResourceSecurity

from mcpgen.calls import lines
from mcpgen.calls.definition import definition_hash
from mcpgen.calls.matching import Answers
from mcpgen.contract import capabilities
from mcpgen.contract.definitions import Api, Resource, Tool, read
from mcpgen.contract.document import Contract
from mcpgen.contract.lists import LISTINGS
from mcpgen.errors import Notice, UsageError
from mcpgen.isolation import isolated, noticed, reason, surviving
from mcpgen.jsontext import Json, is_object
from mcpgen.mock import rules as rules_file
from mcpgen.mock.canned import Canned, put, whole
from mcpgen.mock.conversation import Conversation
from mcpgen.mock.questions import ask
from mcpgen.mock.results import (
    MODERN,
    failed,
    prompt_result,
    resource_contents,
    template_variables,
    tool_result,
)
from mcpgen.mock.rules import Kind, Rule, Rules
from mcpgen.mock.task import Task
from mcpgen.mock.tasks import Tasks
from mcpgen.validation import definition_checks

Context: TypeAlias = ServerRequestContext[Any, Any]
Definitions: TypeAlias = Sequence[Mapping[str, Json]]

PAGE = 100
"""How many entries of a list are sent at a time."""

_COMPLETE = {"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}
_NOTHING: Mapping[str, Any] = {}
_NOT_FOUND = -32002  # of a resource, up to 2025-11-25


def server(
    contract: Contract,
    seed: int = 0,
    *,
    answers: str | PathLike[str] | None = None,
    replay: str | PathLike[str] | None = None,
) -> Server[Any]:
    """Return a server that offers what a contract says, over any transport of the SDK.

    The same seed and arguments give the same answer. What the contract has no part of, such as
    prompts, the server does not know either. ``answers`` is a file that says what some calls are
    answered, ``replay`` one of recorded calls, which then answers all others.
    """
    contract, _ = servable(contract)
    api = read(contract)
    mock = Mock(contract, api, seed, _canned(contract, api, answers, replay))
    offered = mock.capabilities
    served: Server[Any] = Server(
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
            served.add_request_handler(method, types.PaginatedRequestParams, mock.begin_list)
    mock.conversation.serve(served, offered)
    mock.tasks.serve(served)
    served.middleware.append(mock.as_written)
    return served


def _canned(
    contract: Contract,
    api: Api,
    answers: str | PathLike[str] | None,
    replay: str | PathLike[str] | None,
) -> Canned:
    rules, recording = Rules(), None
    if answers is not None:
        declared = capabilities.declared(contract)
        rules = rules_file.read(_bytes(answers), str(answers), api, declared)
    if replay is not None:
        try:
            calls = lines.parse(_bytes(replay), str(replay))
        except lines.UnreadableLineError as error:
            raise UsageError(error.reason, f"{error.path}:{error.number}") from None
        recording = Answers(calls, repeats=True)
    return Canned(rules, recording)


def _bytes(path: str | PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror or error}"
        raise UsageError(problem, str(path)) from None


def servable(contract: Contract) -> tuple[Contract, tuple[Notice, ...]]:
    """Return what of a contract can be served; what cannot costs itself alone, and is named."""
    served, failures = isolated(_checked, contract)
    return served, noticed(failures)


def _checked(contract: Contract) -> Contract:
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
    canned: Canned = field(default_factory=Canned)

    @cached_property
    def conversation(self) -> Conversation:
        """What a client may ask and get besides."""
        return Conversation(self.api, self.seed)

    @cached_property
    def tasks(self) -> Tasks:
        """Which calls run as tasks."""
        return Tasks(self.contract)

    @cached_property
    def capabilities(self) -> Mapping[str, Json]:
        """What the mock declares: what was recorded, save what it cannot do."""
        return capabilities.declared(self.contract)

    @cached_property
    def server_info(self) -> Mapping[str, Json]:
        """What the mock says of itself: what the server said."""
        info = capabilities.server_info(definition_checks.conforming(self.contract.server))
        return info if self.api.server else {**info, "name": "mock"}

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The tools as they are read, by name."""
        return {tool.name: tool for tool in self.api.tools}

    @cached_property
    def templates(self) -> Sequence[Resource]:
        """The templates in the order they are listed in: the first one that fits counts."""
        templates = {template.uri: template for template in self.api.templates}
        uris = [raw["uriTemplate"] for raw in self.contract.listed("resourceTemplates")]
        return [templates[uri] for uri in uris if uri in templates]

    def input_schema(self, name: str) -> Mapping[str, Json] | None:
        """Return the schema that says which arguments are repeated in headers."""
        tool = self.tools.get(name)
        return tool.input.raw if tool and tool.input else None

    async def begin_list(self, ctx: Context, params: types.PaginatedRequestParams) -> Json:
        """Answer with a page of a list; its definitions are put in by :meth:`as_written`."""
        member = _LISTS[ctx.method]
        _, more = _paged(self._definitions(member, ctx), params.cursor)
        return {**_COMPLETE, member: [], **({"nextCursor": more} if more else {})}

    async def as_written(self, ctx: Context, call_next: Any) -> Any:
        """Put what the contract has into an answer as it is: the SDK would reword it."""
        kept: dict[str, Json] = {}
        token = whole.set(kept)
        try:
            result = await call_next(ctx)
        finally:
            whole.reset(token)
        if not is_object(result):
            return result
        if kept:
            own = {n: v for n, v in result.items() if n not in ("content", "contents", "messages")}
            result = {**own, **kept}
        result = self._introduced(result, ctx)
        member = _LISTS.get(ctx.method, "")
        if member not in result:
            return result
        page, _ = _paged(self._definitions(member, ctx), (ctx.params or {}).get("cursor"))
        return {**result, member: page}

    def _introduced(self, result: dict[str, Json], ctx: Context) -> dict[str, Json]:
        changed: dict[str, Json] = {}
        if ctx.method in ("initialize", "server/discover"):
            revision = result.get("protocolVersion", ctx.protocol_version)
            changed["capabilities"] = self.tasks.declared(self.capabilities, revision)
        if ctx.method == "initialize":
            changed["serverInfo"] = self.server_info
        meta = result.get("_meta")
        if is_object(meta) and types.SERVER_INFO_META_KEY in meta:
            changed["_meta"] = {**meta, types.SERVER_INFO_META_KEY: self.server_info}
        return {**result, **changed}

    def _definitions(self, member: str, ctx: Context) -> Definitions:
        recorded = self.contract.listed(member)
        if member != "tools":
            return recorded
        needs = self.contract.tool_capabilities
        listed = [raw for raw in recorded if _is_able(ctx, needs.get(str(raw.get("name")), ()))]
        return [_published(raw, ctx.protocol_version) for raw in listed]

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer at once or by a task, as a file says or with what the output schema allows."""
        tool = self.tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        run = partial(self._run, ctx, tool, params)
        rule = self.canned.rules.of("tool", tool.name, params.arguments or {})
        is_fault = rule is not None and rule.answer in ("drop", "garbage")  # of this connection
        if self.tasks.takes(ctx, params) and not is_fault:
            return self.tasks.start(ctx, run)
        return await run(None)

    async def _run(
        self,
        ctx: Context,
        tool: Tool,
        params: types.CallToolRequestParams,
        task: Task | None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        arguments = params.arguments or {}
        rule = self.canned.rules.of("tool", tool.name, arguments)
        question = self._question(tool, rule)
        if question is not None:
            answer = await ask(ctx, params, task, question)
            if isinstance(answer, types.InputRequiredResult):
                return answer
            if answer.action != "accept":
                return failed(f"the user answered: {answer.action}")
        await self._tell(ctx, f"{tool.name} was called", rule)
        result = await self._canned("tool", tool.name, arguments, ctx, rule)
        if result is not None:
            put(result)
            return types.CallToolResult(content=[])
        return self._made_up(tool, arguments, ctx.protocol_version)

    def _question(self, tool: Tool, rule: Rule | None) -> Mapping[str, Json] | None:
        """Return what to ask: as a rule says, or of a tool that was recorded as one that asks."""
        if rule is not None and rule.ask is not None:
            return rule.ask
        if "elicitation" in self.contract.tool_capabilities.get(tool.name, ()):
            return {"message": f"May {tool.title or tool.name} go on?"}
        return None

    async def _tell(self, ctx: Context, text: str, rule: Rule | None) -> None:
        """Log a call, and say what has changed by it."""
        if "logging" in self.capabilities:
            for each in rule.log if rule and rule.log else (text,):
                await self.conversation.log(ctx, each)
        for changed in rule.changed if rule else ():
            await self.conversation.tell(ctx, changed)

    async def _canned(
        self,
        kind: Kind,
        name: str,
        arguments: Mapping[str, Json],
        ctx: Context,
        rule: Rule | None,
    ) -> Mapping[str, Json] | None:
        if rule is not None:
            rule.use()
            return await self.canned.answered(ctx, rule, ctx.protocol_version)
        raw = self.contract.tools.get(name) if kind == "tool" else None
        definition = definition_hash(raw) if raw is not None else ""
        return await self.canned.replayed(ctx, kind, name, arguments, definition)

    def _made_up(
        self, tool: Tool, arguments: dict[str, Json], revision: str
    ) -> types.CallToolResult:
        results, failures = surviving(
            [tool],
            lambda tools: [tool_result(each, arguments, revision, self.seed) for each in tools],
        )
        if failures:
            return failed(f"{reason(failures[0].error)}; please report this")
        return results[0]

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Fill a prompt in."""
        prompt = next((p for p in self.api.prompts if p.name == params.name), None)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
        arguments = params.arguments or {}
        result = await self._besides("prompt", prompt.name, arguments, ctx)
        if result is not None:
            put(result)
            return types.GetPromptResult(messages=[])
        return prompt_result(prompt, arguments)

    async def _besides(
        self, kind: Kind, name: str, arguments: Mapping[str, Json], ctx: Context
    ) -> Mapping[str, Json] | None:
        rule = self.canned.rules.of(kind, name, arguments)
        if rule is not None:
            await self._tell(ctx, f"{name} was asked for", rule)
        return await self._canned(kind, name, arguments, ctx, rule)

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Read a listed resource, or one that a template describes."""
        uri = str(params.uri)
        result = await self._besides("resource", uri, _NOTHING, ctx)
        if result is not None:
            put(result)
            return types.ReadResourceResult(contents=[])
        fixed = [(r, _NOTHING) for r in self.api.resources if r.uri == uri]
        matched = [(t, template_variables(t.uri, uri)) for t in self.templates]
        fitting = [(r, values) for r, values in (*fixed, *matched) if values is not None]
        # What the SDK's own servers refuse, a path out of a folder for one, is refused here too.
        if not fitting or ResourceSecurity().validate(fitting[0][1]) is not None:
            code = types.INVALID_PARAMS if ctx.protocol_version >= MODERN else _NOT_FOUND
            raise MCPError(code, f"Unknown resource: {uri}")
        resource, variables = fitting[0]
        return types.ReadResourceResult(contents=[resource_contents(resource, uri, variables)])


_LISTS = {listing.method: listing.member for listing in LISTINGS}


def _is_able(ctx: Context, needed: Sequence[str]) -> bool:
    """Say whether a client has what a tool is listed for alone, as it was when recorded."""
    declared = ctx.session.client_capabilities
    return all(getattr(declared, name, None) is not None for name in needed)


def _paged(entries: Definitions, cursor: Json) -> tuple[Definitions, str | None]:
    start = int(cursor) if isinstance(cursor, str) and cursor.isdecimal() else 0
    if (cursor is not None and not start) or start > len(entries):
        raise MCPError(types.INVALID_PARAMS, "Unknown cursor")
    end = start + PAGE
    return entries[start:end], str(end) if end < len(entries) else None


def _published(raw: Mapping[str, Json], revision: str) -> Mapping[str, Json]:
    """Return a tool as it is recorded, save what would make the SDK refuse the whole list."""
    arguments, output = raw.get("inputSchema"), raw.get("outputSchema")
    tool = dict(raw)
    if not is_object(arguments) or arguments.get("type") != "object":
        tool["inputSchema"] = {**(arguments if is_object(arguments) else {}), "type": "object"}
    if not is_object(output) or (revision < MODERN and output.get("type") != "object"):
        tool.pop("outputSchema", None)
    return tool
