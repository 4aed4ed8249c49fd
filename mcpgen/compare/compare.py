"""Two contracts become a list of changes: the server, its tools, its prompts, its resources."""

from __future__ import annotations

from mcpgen.compare import offers, tools
from mcpgen.compare.change import Change
from mcpgen.contract import Contract
from mcpgen.errors import UsageError


def compare(
    old: Contract, new: Contract, *, channels: bool = False, neighbours: tools.Neighbours = ()
) -> tuple[Change, ...]:
    """Return every difference, sorted; the same two contracts always give the same ones.

    ``channels`` looks for new arguments that draw out what an agent knows; ``neighbours`` are the
    tools of other servers, each as (server, tool), which a new tool should not look like.
    """
    _refuse_unlike(old, new)
    found = [
        *offers.server(old, new),
        *tools.compare(old, new, channels=channels, neighbours=neighbours),
        *offers.prompts(old, new),
        *offers.resources(old, new),
    ]
    once = {(change.rule, *_order(change)): change for change in reversed(found)}
    return tuple(sorted(once.values(), key=_order))


def _order(change: Change) -> tuple[str, str, str, str]:
    return change.subject, change.path, change.rule, change.fingerprint


def _refuse_unlike(old: Contract, new: Contract) -> None:
    """Refuse contracts that were recorded by clients that said they could do different things."""
    mine, yours = old.client_capabilities, new.client_capabilities
    if mine and yours and mine != yours:
        raise UsageError(
            "the contracts were recorded with different client capabilities",
            "/clientCapabilities",
            "a server may list other tools then; record both with one version of mcpgen",
        )
