"""What a server offers beside its tools: what it is, its prompts, resources and templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen.codegen.naming import METHODS, chosen
from mcpgen.compare.change import ABSENT, Change, is_same
from mcpgen.compare.definitions import descriptions as texts
from mcpgen.compare.definitions import metadata
from mcpgen.compare.definitions import unread as reading
from mcpgen.compare.generated import names as source
from mcpgen.contract import definitions
from mcpgen.contract.document import LISTS, Contract
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_array, is_object

Raw = Mapping[str, Json]
_COLLECTIONS = ("experimental", "extensions")
"""Capabilities that only hold others: an empty one offers nothing."""
_SERVER = frozenset({"name", "title", "version", "description"})
_OFFERED = frozenset(
    "name title description arguments uri uriTemplate mimeType size annotations".split()
)


def server(old: Contract, new: Contract) -> Iterator[Change]:
    """Compare what the server says of itself."""
    both = [
        {"server": c.server, "instructions": c.instructions, "capabilities": c.capabilities}
        for c in (old, new)
    ]
    return reading.marked(_server(old, new), "server", (both[0], both[1]), ("", ""))


def _server(old: Contract, new: Contract) -> Iterator[Change]:
    before, after = old.server, new.server
    for rule, key in (("S01", "name"), ("S02", "version")):
        was, now = before.get(key, ABSENT), after.get(key, ABSENT)
        if was != now and was is not ABSENT and now is not ABSENT:
            at = f"/server/{key}"
            yield Change(rule, "server", key, at, at, was, now)
    for rule, key in (("D04", "title"), ("D02", "description")):
        values = before.get(key, ABSENT), after.get(key, ABSENT)
        yield from texts.text(rule, "server", key, values, f"/server/{key}")
    if before and after:
        yield from metadata.compare("server", ("/server", "/server"), before, after, _SERVER)
    values = old.instructions or ABSENT, new.instructions or ABSENT
    yield from texts.text("D02", "server", "instructions", values, "/instructions")
    said = [[contract.server, contract.instructions] for contract in (old, new)]
    yield from texts.unseen("server", said[0], said[1], "/server")
    if old.revision != new.revision and old.revision and new.revision:
        at = "/revision"
        yield Change("S04", "server", "revision", at, at, old.revision, new.revision)
    if old.capabilities and new.capabilities:
        yield from _capabilities(old.capabilities, new.capabilities)
    yield from _order(old, new)


def _order(old: Contract, new: Contract) -> Iterator[Change]:
    """Say which lists have what is in both contracts in another order."""
    for member, part in LISTS.items():
        both = getattr(old, part).keys() & getattr(new, part).keys()
        orders = [c.order.get(member, getattr(c, part)) for c in (old, new)]
        before, after = ([key for key in order if key in both] for order in orders)
        if before != after:
            yield Change("S05", "server", f"order.{member}", f"/{member}", f"/{member}")


def _capabilities(old: Raw, new: Raw) -> Iterator[Change]:
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key, ABSENT), new.get(key, ABSENT)
        at = f"/capabilities/{escape(key)}"
        if was is ABSENT or now is ABSENT:
            rule = "S03b" if was is ABSENT else "S03"
            if key in _COLLECTIONS and {} in (was, now):
                rule = "S03d"
            yield Change(rule, "server", f"capabilities.{key}", at, at, was, now)
        elif is_object(was) and is_object(now):
            yield from _abilities(key, was, now, at)
        elif was != now:
            yield Change("S03c", "server", f"capabilities.{key}", at, at, was, now)


def _abilities(capability: str, old: Raw, new: Raw, at: str) -> Iterator[Change]:
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key, False), new.get(key, False)
        if was == now:
            continue
        rule = "S03c"
        if key == "subscribe":
            rule = "S03" if was is True else "S03b"
        elif was is False and key == "listChanged":
            rule = "S03b"
        path = f"capabilities.{capability}.{key}"
        yield Change(rule, "server", path, at, at, was, now)


def prompts(old: Contract, new: Contract) -> Iterator[Change]:
    """Compare the prompts."""
    for name in sorted(old.prompts.keys() | new.prompts.keys()):
        subject, at = f"prompt {name}", f"/prompts/{escape(name)}"
        before, after = old.prompts.get(name), new.prompts.get(name)
        if after is None:
            yield Change("P01", subject, "", at, "")
        elif before is None:
            come = Change("P02", subject, "", "", at, ABSENT, dict(after))
            found = [come, *texts.unseen(subject, None, after, at)]
            yield from reading.marked(found, subject, (None, after), ("", at))
        elif not is_same(before, after):
            found = [*_texts(subject, before, after, (at, at))]
            found += _arguments(subject, before, after, at)
            yield from reading.marked(found, subject, (before, after), (at, at))
    names = [chosen(c.prompts, fallback="prompt", reserved=METHODS) for c in (old, new)]
    yield from source.renamed("P06", names[0], names[1], "prompt", "/prompts")


def _texts(subject: str, old: Raw, new: Raw, at: tuple[str, str]) -> Iterator[Change]:
    for rule, key in (("D01", "description"), ("D04", "title")):
        values = old.get(key, ABSENT), new.get(key, ABSENT)
        yield from texts.text(rule, subject, key, values, f"{at[1]}/{key}")
    yield from metadata.compare(subject, at, old, new, _OFFERED)
    yield from texts.unseen(subject, old, new, at[1])


def _arguments(subject: str, old: Raw, new: Raw, at: str) -> Iterator[Change]:
    before, after = _named(old), _named(new)
    for name in sorted(before.keys() | after.keys()):
        path = f"arguments.{name}"
        was, now = (side[name].get("required") is True for side in _where(name, before, after))
        if name not in after:
            yield Change("P04", subject, path, f"{at}/arguments", "")
        elif name not in before:
            rule = "P03" if now else "P05"
            yield Change(rule, subject, path, "", f"{at}/arguments", ABSENT, dict(after[name]))
        else:
            if was != now:
                both = f"{at}/arguments", f"{at}/arguments"
                yield Change("P03" if now else "P05", subject, path, *both, was, now)
            for rule, key in (("D02", "description"), ("D04", "title")):
                values = before[name].get(key, ABSENT), after[name].get(key, ABSENT)
                place = f"{path}.{key}"
                yield from texts.text(rule, subject, place, values, f"{at}/arguments")


def _where(name: str, *sides: dict[str, Raw]) -> Iterator[dict[str, Raw]]:
    for side in sides:
        yield side if name in side else {name: {}}


def _named(prompt: Raw) -> dict[str, Raw]:
    listed = prompt.get("arguments")
    entries = [entry for entry in (listed if is_array(listed) else []) if is_object(entry)]
    return {entry["name"]: entry for entry in entries if isinstance(entry.get("name"), str)}


@dataclass(frozen=True, slots=True)
class _Kind:
    """Resources or templates: how they are called, and where they are in a contract."""

    word: str
    member: str
    old: Mapping[str, Raw]
    new: Mapping[str, Raw]

    def at(self, address: str) -> str:
        return f"/{self.member}/{escape(address)}"


def resources(old: Contract, new: Contract) -> Iterator[Change]:
    """Compare the resources and the resource templates."""
    kinds = (
        _Kind("resource", "resources", old.resources, new.resources),
        _Kind("template", "resourceTemplates", old.resource_templates, new.resource_templates),
    )
    for kind in kinds:
        yield from _offered(kind)
    before, after = _method_names(old), _method_names(new)
    yield from source.renamed("R05", before, after, "resource", "/resources")


def _offered(kind: _Kind) -> Iterator[Change]:
    moved = _moved(kind)
    for address in sorted(kind.old.keys() - kind.new.keys() - moved.keys()):
        yield Change("R01", f"{kind.word} {address}", "", kind.at(address), "")
    for address in sorted(kind.new.keys() - kind.old.keys() - set(moved.values())):
        subject, at, raw = f"{kind.word} {address}", kind.at(address), kind.new[address]
        come = Change("R02", subject, "", "", at, ABSENT, dict(raw))
        found = [come, *texts.unseen(subject, None, raw, at)]
        yield from reading.marked(found, subject, (None, raw), ("", at))
    for was, now in sorted(moved.items()):
        yield from _resource(kind, was, now)
    for address in sorted(kind.old.keys() & kind.new.keys()):
        yield from _resource(kind, address, address)


def _resource(kind: _Kind, was: str, now: str) -> Iterator[Change]:
    old, new, subject = kind.old[was], kind.new[now], f"{kind.word} {now}"
    if is_same(old, new):
        return
    at = kind.at(was), kind.at(now)
    found = list(_details(subject, old, new, at))
    if was != now:
        found.append(Change("R03", f"{kind.word} {new['name']}", "", *at, was, now))
    yield from reading.marked(found, subject, (old, new), at)


def _details(subject: str, old: Raw, new: Raw, at: tuple[str, str]) -> Iterator[Change]:
    yield from _texts(subject, old, new, at)
    for rule, key in (("R04", "mimeType"), ("R06", "size")):
        was, now = old.get(key, ABSENT), new.get(key, ABSENT)
        if was != now:
            yield Change(rule, subject, key, f"{at[0]}/{key}", f"{at[1]}/{key}", was, now)
    name = old.get("name", ABSENT), new.get("name", ABSENT)
    yield from texts.text("D04", subject, "name", name, f"{at[1]}/name")
    before, after = (raw.get("annotations") for raw in (old, new))
    mine, yours = (value if is_object(value) else {} for value in (before, after))
    for key in sorted(mine.keys() | yours.keys()):
        if mine.get(key, ABSENT) != yours.get(key, ABSENT):
            rule = "R06" if key == "lastModified" else "A05"
            values = mine.get(key, ABSENT), yours.get(key, ABSENT)
            place = f"{at[0]}/annotations", f"{at[1]}/annotations"
            yield Change(rule, subject, f"annotations.{key}", *place, *values)


def _moved(kind: _Kind) -> dict[str, str]:
    """Pair addresses that are gone with new ones of the same name, where there is one choice."""
    gone = [(raw.get("name"), a) for a, raw in kind.old.items() if a not in kind.new]
    come = [(raw.get("name"), a) for a, raw in kind.new.items() if a not in kind.old]
    pairs: dict[str, str] = {}
    for name, address in gone:
        alike = [other for its, other in come if its == name]
        if name and len(alike) == 1 and [its for its, _ in gone].count(name) == 1:
            pairs[address] = alike[0]
    return pairs


def _method_names(contract: Contract) -> dict[str, str]:
    """Return the method of each resource and template whose name is its own."""
    read = definitions.read(replace(contract, tools={}, prompts={}))
    listed = [*read.resources, *read.templates]
    names = [resource.name or resource.uri for resource in listed]
    methods = chosen(names, fallback="resource", reserved=METHODS)
    return {r.uri: methods[n] for r, n in zip(listed, names, strict=True) if names.count(n) == 1}
