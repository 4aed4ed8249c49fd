"""Compares resources and their templates: removed, new, moved and changed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mcpgen.codegen.naming import choose
from mcpgen.codegen.reserved_names import METHODS
from mcpgen.compare.definitions import descriptions, new_text, offered
from mcpgen.compare.definitions.versions import Raw, Versions
from mcpgen.compare.generated import names
from mcpgen.contract import definitions
from mcpgen.contract.document import Contract
from mcpgen.findings.change import Change, is_same
from mcpgen.jsonpointer import escape


@dataclass(frozen=True, slots=True)
class _Collection:
    """The resources or the templates of both contracts, by their addresses."""

    noun: str
    member: str
    old: Mapping[str, Raw]
    new: Mapping[str, Raw]

    def subject(self, address: str) -> str:
        """Return the subject of a change, such as ``resource file:///a``."""
        return f"{self.noun} {address}"

    def pointer(self, address: str) -> str:
        """Return the JSON pointer of a resource in a contract."""
        return f"/{self.member}/{escape(address)}"


def compare(old: Contract, new: Contract) -> Iterator[Change]:
    """Compare the resources and the resource templates."""
    templates = old.resource_templates, new.resource_templates
    yield from _collection(_Collection("resource", "resources", old.resources, new.resources))
    yield from _collection(_Collection("template", "resourceTemplates", *templates))
    methods = _method_names(old), _method_names(new)
    yield from names.renamed_methods("R05", *methods, "resource", "/resources")


def _collection(collection: _Collection) -> Iterator[Change]:
    old, new = collection.old, collection.new
    moved = _moves(collection)
    for address in sorted(old.keys() - new.keys() - moved.keys()):
        yield Change("R01", collection.subject(address), "", collection.pointer(address), "")
    for address in sorted(new.keys() - old.keys() - set(moved.values())):
        subject, pointer = collection.subject(address), collection.pointer(address)
        yield from offered.changes_of_new("R02", subject, pointer, new[address])
    for was, now in sorted(moved.items()):
        yield from _resource(collection, was, now)
    for address in sorted(old.keys() & new.keys()):
        yield from _resource(collection, address, address)


def _moves(collection: _Collection) -> dict[str, str]:
    """Pair removed addresses with new ones of the same name, if the match is unambiguous."""
    removed = [(raw.get("name"), a) for a, raw in collection.old.items() if a not in collection.new]
    added = [(raw.get("name"), a) for a, raw in collection.new.items() if a not in collection.old]
    pairs: dict[str, str] = {}
    for name, address in removed:
        alike = [other for other_name, other in added if other_name == name]
        if name and len(alike) == 1 and [value for value, _ in removed].count(name) == 1:
            pairs[address] = alike[0]
    return pairs


def _resource(collection: _Collection, was: str, now: str) -> Iterator[Change]:
    old, new = collection.old[was], collection.new[now]
    if is_same(old, new):
        return
    pointers = collection.pointer(was), collection.pointer(now)
    versions = Versions(collection.subject(now), pointers, old, new)
    changes = [*offered.compare(versions), *_details(versions)]
    if was != now:
        subject = collection.subject(str(new["name"]))
        changes.append(Change("R03", subject, "", *pointers, was, now))
    yield from new_text.marked_in(versions, changes)


def _details(resource: Versions) -> Iterator[Change]:
    for rule, key in (("R04", "mimeType"), ("R06", "size")):
        was, now = resource.values(key)
        if was != now:
            yield resource.change(rule, key)
    yield from descriptions.text("D04", resource, "name")
    yield from _annotations(resource.inner("annotations"))


def _annotations(annotations: Versions) -> Iterator[Change]:
    for key in sorted(annotations.old.keys() | annotations.new.keys()):
        was, now = annotations.values(key)
        if was != now:
            rule, path = "R06" if key == "lastModified" else "A05", annotations.path_of(key)
            yield Change(rule, annotations.subject, path, *annotations.pointers, was, now)


def _method_names(contract: Contract) -> dict[str, str]:
    """Return the method of each resource and template with a unique name."""
    read = definitions.read(replace(contract, tools={}, prompts={}))
    resources = [*read.resources, *read.templates]
    listed = [resource.name or resource.uri for resource in resources]
    methods = choose(listed, fallback="resource", reserved=METHODS)
    pairs = zip(resources, listed, strict=True)
    return {item.uri: methods[name] for item, name in pairs if listed.count(name) == 1}
