"""The mock server, which publishes a contract."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any

from mcp import types
from mcp.server import Server

from mcpgen.contract import capabilities
from mcpgen.contract.definitions import Api, read
from mcpgen.contract.document import Contract
from mcpgen.errors import Notice
from mcpgen.isolation import failure_notices, isolate
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import definition_checks
from mcpgen.testing.mock import scripted_responses
from mcpgen.testing.mock.conversation import Conversation
from mcpgen.testing.mock.listing import LISTS, page, published_tool
from mcpgen.testing.mock.request_handler import Answering
from mcpgen.testing.mock.results import MODERN, Context, keeping, with_kept
from mcpgen.testing.mock.scripted_responses import ScriptedResponses
from mcpgen.testing.mock.tasks import Tasks

_COMPLETE = {"resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}


def server(
    contract: Contract,
    seed: int = 0,
    *,
    answers: str | PathLike[str] | None = None,
    replay: str | PathLike[str] | None = None,
) -> Server[Any]:
    """Return a server that publishes a contract, over any transport of the SDK.

    The same seed and arguments give the same result. Parts that the contract lacks, such as
    prompts, don't exist. ``answers`` is a file of rules for some calls, ``replay`` a file of
    recorded calls for all others.
    """
    contract, _ = servable(contract)
    api = read(contract)
    mock = Mock(contract, api, seed, scripted_responses.read(contract, api, answers, replay))
    offered, answering = mock.capabilities, mock.answering
    served: Server[Any] = Server(
        mock.server_info["name"],
        version=mock.server_info["version"],
        instructions=contract.instructions or None,
        on_call_tool=answering.call_tool if "tools" in offered else None,
        on_get_prompt=answering.get_prompt if "prompts" in offered else None,
        on_read_resource=answering.read_resource if "resources" in offered else None,
        get_tool_input_schema=answering.input_schema,
    )
    for method in LISTS:
        if method.split("/", maxsplit=1)[0] in offered:
            served.add_request_handler(method, types.PaginatedRequestParams, mock.begin_list)
    mock.conversation.serve(served, offered)
    mock.tasks.serve(served)
    served.middleware.append(mock.as_written)
    return served


def servable(contract: Contract) -> tuple[Contract, tuple[Notice, ...]]:
    """Return the part of a contract that can be served, and notices about the rest."""
    served, failures = isolate(_servable, contract)
    replaced = tuple(
        Notice(f"/{part}", "a lone surrogate is served as U+FFFD")
        for part in _SERVED
        if _is_replaced(getattr(served, part), getattr(contract, part))
    )
    return served, (*replaced, *failure_notices(failures))


_SERVED = ("tools", "prompts", "resources", "resource_templates", "server", "instructions")
_HALF = re.compile("[\ud800-\udfff]")


def _is_replaced(served: Json, recorded: Json) -> bool:
    if not is_object(served):
        return bool(served) and served != recorded
    return any(value != recorded.get(name) for name, value in served.items())


def _servable(contract: Contract) -> Contract:
    contract = replace(
        contract, **{part: _without_halves(getattr(contract, part)) for part in _SERVED}
    )
    read(contract)
    for raw in contract.tools.values():
        published_tool(raw, MODERN)
        published_tool(raw, "")
    return contract


def _without_halves(value: Json) -> Json:
    """Replace lone surrogates, which UTF-8 can't encode."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if is_object(value):
        return {_without_halves(name): _without_halves(inner) for name, inner in value.items()}
    if is_array(value):
        return [_without_halves(inner) for inner in value]
    return value


@dataclass(frozen=True)
class Mock:
    """A mock server. ``answering`` handles its requests."""

    contract: Contract
    api: Api
    seed: int
    canned: ScriptedResponses

    @cached_property
    def conversation(self) -> Conversation:
        """Handler of completions, log levels and subscriptions."""
        return Conversation(self.api, self.seed)

    @cached_property
    def tasks(self) -> Tasks:
        """Handler of tasks."""
        return Tasks(self.contract)

    @cached_property
    def answering(self) -> Answering:
        """Handler of calls, prompts and resources."""
        parts = (self.canned, self.conversation, self.tasks)
        return Answering(self.contract, self.api, self.seed, *parts)

    @cached_property
    def capabilities(self) -> Mapping[str, Json]:
        """The declared capabilities: recorded ones that the mock supports."""
        return capabilities.capabilities_to_declare(self.contract)

    @cached_property
    def server_info(self) -> Mapping[str, Json]:
        """The recorded `serverInfo`."""
        info = capabilities.server_info(definition_checks.conforming(self.contract.server))
        return info if self.api.server else {**info, "name": "mock"}

    async def begin_list(self, ctx: Context, params: types.PaginatedRequestParams) -> Json:
        """Return a page of a list. :meth:`as_written` inserts its definitions."""
        more = page(self.contract, ctx, params.cursor).more
        return {**_COMPLETE, LISTS[ctx.method]: [], **({"nextCursor": more} if more else {})}

    async def as_written(self, ctx: Context, call_next: Any) -> Any:
        """Replace the SDK's JSON in a response by the contract's own."""
        with keeping() as redactions:
            result = await call_next(ctx)
        if not is_object(result):
            return result
        result = self._with_capabilities(with_kept(result, redactions), ctx)
        member = LISTS.get(ctx.method, "")
        if member not in result:
            return result
        entries = page(self.contract, ctx, (ctx.params or {}).get("cursor")).entries
        return {**result, member: entries}

    def _with_capabilities(self, result: dict[str, Json], ctx: Context) -> dict[str, Json]:
        changed: dict[str, Json] = {}
        if ctx.method in ("initialize", "server/discover"):
            revision = result.get("protocolVersion", ctx.protocol_version)
            changed["capabilities"] = self.tasks.declared_capabilities(self.capabilities, revision)
        if ctx.method == "initialize":
            changed["serverInfo"] = self.server_info
        meta = result.get("_meta")
        if is_object(meta) and types.SERVER_INFO_META_KEY in meta:
            changed["_meta"] = {**meta, types.SERVER_INFO_META_KEY: self.server_info}
        return {**result, **changed}
