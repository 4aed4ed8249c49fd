"""Lists the changes between two contracts: of the server, its tools, prompts and resources."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from mcpgen.compare.definitions import prompts, resources, server, tools
from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.findings.change import ABSENT, Change, Value, is_same
from mcpgen.isolation import DefinitionKey, isolate

_KINDS = {
    "tools": "tool",
    "prompts": "prompt",
    "resources": "resource",
    "resourceTemplates": "resource template",
}


def compare(
    old: Contract, new: Contract, *, channels: bool = False, neighbours: tools.Neighbours = ()
) -> tuple[Change, ...]:
    """Return every difference of two contracts, sorted. The result is deterministic.

    ``channels`` also looks for new arguments that could draw secrets from an agent. ``neighbours``
    are tools of other servers that a new tool should not imitate, as pairs of server and tool. A
    definition that can't be compared is reported as such, unless it is unchanged.
    """
    _refuse_unlike(old, new)
    compared = partial(_compare_all, channels=channels, neighbours=neighbours)
    changes, failures = isolate(compared, old, new)
    if not failures:
        return changes
    uncompared = [_uncompared(failure.item, old, new) for failure in failures]
    return _sorted_changes(
        [*changes, *(change for change in uncompared if not is_same(change.old, change.new))]
    )


def _refuse_unlike(old: Contract, new: Contract) -> None:
    """Reject contracts recorded with different client capabilities."""
    before, after = old.client_capabilities, new.client_capabilities
    if before and after and before != after:
        raise UsageError(
            "the contracts were recorded with different client capabilities",
            "/clientCapabilities",
            "such servers may list different tools; record both with the same --capability",
        )


def _compare_all(
    old: Contract, new: Contract, *, channels: bool, neighbours: tools.Neighbours
) -> tuple[Change, ...]:
    return _sorted_changes(
        [
            *server.compare(old, new),
            *tools.compare(old, new, channels=channels, neighbours=neighbours),
            *prompts.compare(old, new),
            *resources.compare(old, new),
        ]
    )


def _uncompared(part: DefinitionKey, old: Contract, new: Contract) -> Change:
    """Return the change for a definition that could not be compared."""
    values = _definition(part, old), _definition(part, new)
    was, now = ("" if value is ABSENT else part.pointer for value in values)
    return Change("U03", f"{_KINDS[part.member]} {part.key}", "", was, now, *values)


def _definition(part: DefinitionKey, contract: Contract) -> Value:
    return contract.lists()[part.member].get(part.key, ABSENT)


def _sorted_changes(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return each change once: the first one of equal rule, position and fingerprint."""
    distinct: dict[tuple[str, ...], Change] = {}
    for change in changes:
        distinct.setdefault(_order(change), change)
    return tuple(distinct[key] for key in sorted(distinct))


def _order(change: Change) -> tuple[str, str, str, str]:
    return change.subject, change.path, change.rule, change.fingerprint
