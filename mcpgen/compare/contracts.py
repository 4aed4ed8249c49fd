"""Two contracts become a list of changes: the server, its tools, its prompts, its resources."""

from __future__ import annotations

from functools import partial

from mcpgen.compare.change import ABSENT, Change, is_same
from mcpgen.compare.definitions import resources as offers
from mcpgen.compare.definitions import tools
from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.isolation import Part, isolated
from mcpgen.jsontext import Json


def compare(
    old: Contract, new: Contract, *, channels: bool = False, neighbours: tools.Neighbours = ()
) -> tuple[Change, ...]:
    """Return every difference, sorted; the same two contracts always give the same ones.

    ``channels`` looks for new arguments that draw out what an agent knows; ``neighbours`` are the
    tools of other servers, each as (server, tool), which a new tool should not look like. A
    definition that cannot be compared is a change that says so, where it is not as it was.
    """
    _refuse_unlike(old, new)
    compared = partial(_compared, channels=channels, neighbours=neighbours)
    found, failures = isolated(compared, old, new)
    lost = [_lost(failure.item, old, new) for failure in failures]
    return _sorted([*found, *(change for change in lost if not is_same(change.old, change.new))])


def _lost(part: Part, old: Contract, new: Contract) -> Change:
    """Say of a definition that it could not be compared."""
    values = [_definition(part, contract) for contract in (old, new)]
    at = ["" if value is ABSENT else part.pointer for value in values]
    return Change("U03", f"{_KINDS[part.member]} {part.key}", "", at[0], at[1], *values)


_KINDS = {
    "tools": "tool",
    "prompts": "prompt",
    "resources": "resource",
    "resourceTemplates": "resource template",
}


def _definition(part: Part, contract: Contract) -> Json:
    return contract.lists()[part.member].get(part.key, ABSENT)


def _compared(
    old: Contract, new: Contract, *, channels: bool, neighbours: tools.Neighbours
) -> tuple[Change, ...]:
    found = [
        *offers.server(old, new),
        *tools.compare(old, new, channels=channels, neighbours=neighbours),
        *offers.prompts(old, new),
        *offers.resources(old, new),
    ]
    return _sorted(found)


def _sorted(found: list[Change]) -> tuple[Change, ...]:
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
