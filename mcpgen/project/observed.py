"""Adds observed results to a contract, unless they have expired.

The observed file is an input like the contract: it is read from disk and never changes within a
run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from mcpgen_runtime.replay.definition import definition_hash

from mcpgen.contract import definitions
from mcpgen.contract.definitions import Tool
from mcpgen.contract.document import Contract
from mcpgen.contract.observation import document
from mcpgen.contract.observation.document import Observed, ObservedTool
from mcpgen.contract.observation.schema_detail import tells
from mcpgen.errors import ContractError, Notice
from mcpgen.isolation import FAILURE, DefinitionKey, Failure, is_ours, isolate, reason
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_object, loads
from mcpgen.schemas.validation import schemas

LAPSED = "lapsed"
"""The kind of notices about observations of a changed definition."""


def with_observed(
    contract: Contract, content: bytes, where: str, recorded: Contract | None = None
) -> tuple[Contract, list[Notice]]:
    """Add the observed results of tools without a useful output schema.

    Expired results are left out, with a notice. ``recorded`` is the complete contract, if some
    tools were left out.
    """
    observed = document.read(loads(content, where), where)
    _refuse_invalid(observed, where)
    notices = list(_expired_notices(observed, recorded or contract))
    used, failures = isolate(partial(_used, observed), contract)
    notices += [
        _failure_notice(failure) for failure in failures if failure.item.key in observed.tools
    ]
    return replace(
        contract, observed={name: _entry(observed_tool) for name, observed_tool in used.items()}
    ), notices


def _failure_notice(failure: Failure[DefinitionKey]) -> Notice:
    what = f"{reason(failure.error)}; its observations are not used"
    if is_ours(failure.error):
        return Notice(failure.item.pointer, f"{what}; please report this", FAILURE)
    return Notice(failure.item.pointer, what, LAPSED)


def _refuse_invalid(observed: Observed, where: str) -> None:
    for name, tool in observed.tools.items():
        problem = None if tool.schema is None else schemas.problem(tool.schema)
        if problem is not None:
            at = f"{where}#/tools/{escape(name)}/schema{problem.pointer}"
            unusable = f"the schema cannot be used: {problem.reason}"
            raise ContractError(unusable, at, "observe the tool again")


def _expired_notices(observed: Observed, contract: Contract) -> Iterator[Notice]:
    for name, tool in observed.tools.items():
        raw = contract.tools.get(name)
        if raw is None:
            why = "results were observed, but the contract has no such tool"
        elif definition_hash(raw) != tool.definition:
            why = "the schemas have changed since results were observed"
        else:
            continue
        at = f"/tools/{escape(name)}"
        yield Notice(at, f"{why}; they are not used: observe it again", LAPSED)


def _used(observed: Observed, contract: Contract) -> dict[str, ObservedTool]:
    """Return the observed results of tools without a useful output schema."""
    hashes = {
        name: definition_hash(raw)
        for name, raw in contract.tools.items()
        if name in observed.tools and name not in contract.untyped
    }
    current = observed.current(hashes).tools
    tools = definitions.tools(contract, current)
    return {name: current[name] for name, tool in tools.items() if _helps(tool, current[name])}


def _helps(tool: Tool, observed: ObservedTool) -> bool:
    """Return True if the observed results are more specific than the output schema."""
    promised = tool.output
    if promised is None:
        return True
    if tells(promised.raw):
        return False
    return not _is_text(promised.raw) if observed.schema is None else tells(observed.schema)


def _is_text(schema: Json) -> bool:
    """Return True if a schema already declares a string, directly or in the property ``result``."""
    properties = schema.get("properties") if is_object(schema) else None
    inner = properties.get("result", schema) if is_object(properties) else schema
    return is_object(inner) and inner.get("type") == "string"


def _entry(tool: ObservedTool) -> Mapping[str, Json]:
    members: dict[str, Json] = {
        "answers": tool.answers,
        "definition": tool.definition,
        "from": tool.source,
    }
    return members if tool.schema is None else {**members, "schema": tool.schema}
