"""All checks, by the names that cases use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.testing.checks import (
    calls,
    chains,
    concurrency,
    growth,
    idempotency,
    neighbors,
    offers,
    side_effects,
    states,
    texts,
)
from mcpgen.testing.checks.entity import lifecycle
from mcpgen.testing.checks.lists import pagination
from mcpgen.testing.run_context import RunContext

Check: TypeAlias = Callable[[RunContext, Case], list[Verdict]]

CHECKS: Mapping[str, Check] = {
    "call": calls.run,
    "after": chains.after,
    "adds": concurrency.additive,
    "entity": lifecycle.run,
    "first-calls": states.first_calls,
    "growth": growth.run,
    "ids": offers.ids,
    "keeps": side_effects.run,
    "neighbor": neighbors.check_refusal,
    "neighbors": neighbors.vary,
    "unique": concurrency.unique,
    "chain": chains.fed,
    "crowd": calls.crowd,
    "given": offers.check_listed,
    "idempotent": idempotency.idempotent,
    "link": chains.check_links,
    "offered": offers.check_offered,
    "pages": offers.pages,
    "pairs": neighbors.pairs,
    "ping": offers.ping,
    "quiet": states.quiet,
    "read-only": states.read_only,
    "revision": offers.unknown_revision,
    "renewal": calls.find_renewal,
    "text": texts.comes_back,
    "together": concurrency.at_once,
    "undo": chains.undone,
    "unknown": offers.unknown,
    "used-up": calls.used_up,
    "utility": offers.utility,
    "walk": pagination.check_walk,
    "writes-once": states.writes_once,
}
