"""Compares the server itself: name, version, capabilities, and the order of its lists."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compare.definitions import descriptions, metadata, new_text
from mcpgen.compare.definitions.versions import Versions
from mcpgen.contract.document import LISTS, Contract
from mcpgen.findings.change import ABSENT, Change
from mcpgen.jsontext import Json, is_object

_COLLECTIONS = ("experimental", "extensions")
"""Capabilities that only contain others, so an empty one has no effect."""
_KNOWN = frozenset({"name", "title", "version", "description"})


def compare(old: Contract, new: Contract) -> Iterator[Change]:
    """Compare everything that the server states about itself."""
    changes = [
        *_implementation(Versions("server", ("/server", "/server"), old.server, new.server)),
        *_instructions(old, new),
        *_revision(old, new),
        *_capabilities(old, new),
        *_order(old, new),
    ]
    definitions = _definition(old), _definition(new)
    return new_text.mark_unread(changes, "server", definitions, ("", ""))


def _definition(contract: Contract) -> Json:
    return {
        "server": contract.server,
        "instructions": contract.instructions,
        "capabilities": contract.capabilities,
    }


def _implementation(server: Versions) -> Iterator[Change]:
    for rule, key in (("S01", "name"), ("S02", "version")):
        was, now = server.values(key)
        if was != now and was is not ABSENT and now is not ABSENT:
            yield server.change(rule, key)
    yield from descriptions.text("D04", server, "title")
    yield from descriptions.text("D02", server, "description")
    if server.old and server.new:
        yield from metadata.compare(server, _KNOWN)


def _instructions(old: Contract, new: Contract) -> Iterator[Change]:
    before, after = (
        {"instructions": contract.instructions} if contract.instructions else {}
        for contract in (old, new)
    )
    versions = Versions("server", ("", ""), before, after)
    yield from descriptions.text("D02", versions, "instructions")
    texts = [[contract.server, contract.instructions] for contract in (old, new)]
    yield from descriptions.misleading_strings("server", texts[0], texts[1], "/server")


def _revision(old: Contract, new: Contract) -> Iterator[Change]:
    if old.revision != new.revision and old.revision and new.revision:
        pointer = "/revision"
        yield Change("S04", "server", "revision", pointer, pointer, old.revision, new.revision)


def _capabilities(old: Contract, new: Contract) -> Iterator[Change]:
    if not (old.capabilities and new.capabilities):
        return
    pointers = "/capabilities", "/capabilities"
    versions = Versions("server", pointers, old.capabilities, new.capabilities, "capabilities")
    for key in sorted(old.capabilities.keys() | new.capabilities.keys()):
        was, now = versions.values(key)
        if was is ABSENT or now is ABSENT:
            rule = "S03b" if was is ABSENT else _removal_rule(key, old)
            if key in _COLLECTIONS and {} in (was, now):
                rule = "S03d"
            yield versions.change(rule, key)
        elif is_object(was) and is_object(now):
            yield from _abilities(versions.inner(key))
        elif was != now:
            yield versions.change("S03c", key)


def _removal_rule(key: str, old: Contract) -> str:
    """Return the rule for a removed capability. Frameworks declare some for every server.

    Client capabilities, which some servers declare, have no effect.
    """
    completed = any(prompt.get("arguments") for prompt in old.prompts.values())
    used = {
        "tools": bool(old.tools),
        "prompts": bool(old.prompts),
        "resources": bool(old.resources or old.resource_templates),
        "completions": completed or bool(old.resource_templates),
        **dict.fromkeys(("elicitation", "roots", "sampling"), False),
    }
    if not used.get(key, True):
        return "S03d"
    return "S03c" if key == "logging" else "S03"


def _abilities(capability: Versions) -> Iterator[Change]:
    pointer = capability.pointers[1]
    for key in sorted(capability.old.keys() | capability.new.keys()):
        was, now = capability.old.get(key, False), capability.new.get(key, False)
        if was == now:
            continue
        rule = "S03c"
        if key == "subscribe":
            rule = "S03" if was is True else "S03b"
        elif was is False and key == "listChanged":
            rule = "S03b"
        path = capability.path_of(key)
        yield Change(rule, "server", path, pointer, pointer, was, now)


def _order(old: Contract, new: Contract) -> Iterator[Change]:
    """Report lists in which the common definitions changed their order."""
    for member, name in LISTS.items():
        both = getattr(old, name).keys() & getattr(new, name).keys()
        orders = [contract.order.get(member, getattr(contract, name)) for contract in (old, new)]
        before, after = ([key for key in order if key in both] for order in orders)
        if before != after:
            yield Change("S05", "server", f"order.{member}", f"/{member}", f"/{member}")
