"""Responses from files: rules first, then recorded calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import NoReturn, TypeAlias

import anyio
from mcp import MCPError, types
from mcpgen_runtime.replay.recorded_calls import NoSuchCallError, RecordedCalls, StaleCallError

from mcpgen.contract import capabilities
from mcpgen.contract.definitions import Api
from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json, is_object
from mcpgen.servers.recording.inputs.recorded_calls import recorded_calls
from mcpgen.testing.mock import faults
from mcpgen.testing.mock import response_rules as rules_file
from mcpgen.testing.mock.response_rules import Kind, Rule, Rules
from mcpgen.testing.mock.results import Context, without_later

Result: TypeAlias = Mapping[str, Json]

_DROPPING = ("ConnectionLost", "ConnectionFailed", "AuthorizationRequired")


def read(
    contract: Contract,
    api: Api,
    answers: str | PathLike[str] | None,
    replay: str | PathLike[str] | None,
) -> ScriptedResponses:
    """Read the files with rules and recorded calls. Errors have a position."""
    rules, recording = Rules(), None
    if answers is not None:
        declared = capabilities.capabilities_to_declare(contract)
        rules = rules_file.load(answers, api, declared)
    if replay is not None:
        recording = RecordedCalls(recorded_calls(replay), repeats=True)
    return ScriptedResponses(rules, recording)


@dataclass(frozen=True)
class ScriptedResponses:
    """Responses that replace generated examples."""

    rules: Rules
    recording: RecordedCalls | None

    async def apply_rule(self, ctx: Context, rule: Rule) -> Result | None:
        """Apply a rule and return its result, or None if an example is to be generated."""
        revision = ctx.protocol_version
        await anyio.sleep(rule.delay)
        value = rule.value
        if rule.answer == "drop":
            await faults.drop(ctx)
        if rule.answer == "garbage":
            await faults.garbage(ctx, value if isinstance(value, str) else None)
        if rule.answer == "error":
            return _error(rule)
        if rule.answer == "text":
            texts = [value] if isinstance(value, str) else list(value)
            return _text_result(rule, texts)
        if rule.answer == "result":
            return without_later(value, revision)
        if rule.answer == "answer":
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            result = {"content": [_text(text)], "structuredContent": value}
            return without_later(result, revision)
        return None

    async def replay(
        self,
        ctx: Context,
        kind: Kind,
        name: str,
        arguments: Mapping[str, Json],
        definition: str = "",
    ) -> Result | None:
        """Return the recorded result if calls are replayed. Unknown calls are rejected."""
        if self.recording is None:
            return None
        try:
            call = self.recording.take(kind, name, arguments, definition)
        except NoSuchCallError as error:
            raise MCPError(types.INVALID_PARAMS, f"not recorded: {error}") from None
        except StaleCallError as error:
            raise MCPError(types.INVALID_PARAMS, f"stale: {error}") from None
        if call.answer is not None:
            return without_later(call.answer, ctx.protocol_version)
        return await _fail_like_recorded(ctx, call.error or {})


def _error(rule: Rule) -> Result:
    """Return an error result of a tool. Protocol errors are raised."""
    value = rule.value
    if is_object(value):
        raise MCPError(value["code"], value["message"], value.get("data"))
    if rule.kind != "tool":
        raise MCPError(types.INTERNAL_ERROR, str(value))
    return {"content": [_text(value)], "isError": True}


async def _fail_like_recorded(ctx: Context, error: Mapping[str, Json]) -> NoReturn:
    """Fail like the recorded server, as far as possible."""
    kind = error.get("type")
    if kind == "CallTimeout":
        await anyio.sleep_forever()
    if kind in _DROPPING:
        await faults.drop(ctx)
    if kind == "InvalidResult":
        await faults.garbage(ctx, None)
    code, message = error.get("code"), str(error.get("message") or kind)
    number = code if isinstance(code, int) else types.INTERNAL_ERROR
    raise MCPError(number, message, error.get("data"))


def _text_result(rule: Rule, texts: list[str]) -> Result:
    if rule.kind == "tool":
        return {"content": [_text(text) for text in texts]}
    if rule.kind == "prompt":
        return {"messages": [{"role": "user", "content": _text(text)} for text in texts]}
    return {"contents": [{"uri": rule.name, "text": text} for text in texts]}


def _text(text: Json) -> dict[str, Json]:
    return {"type": "text", "text": text}
