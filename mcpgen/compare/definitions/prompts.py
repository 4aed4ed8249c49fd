"""Compares prompts: removed, new and changed ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mcpgen.codegen.naming import choose
from mcpgen.codegen.reserved_names import METHODS
from mcpgen.compare.definitions import descriptions, new_text, offered
from mcpgen.compare.definitions.versions import Raw, Versions
from mcpgen.compare.generated import names
from mcpgen.contract.document import Contract
from mcpgen.findings.change import ABSENT, Change, is_same
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import is_array, is_object


def compare(old: Contract, new: Contract) -> Iterator[Change]:
    """Compare the prompts."""
    for name in sorted(old.prompts.keys() | new.prompts.keys()):
        subject, pointer = f"prompt {name}", f"/prompts/{escape(name)}"
        before, after = old.prompts.get(name), new.prompts.get(name)
        if after is None:
            yield Change("P01", subject, "", pointer, "")
        elif before is None:
            yield from offered.changes_of_new("P02", subject, pointer, after)
        elif not is_same(before, after):
            versions = Versions(subject, (pointer, pointer), before, after)
            changes = [*offered.compare(versions), *_arguments(versions)]
            yield from new_text.marked_in(versions, changes)
    methods = [
        choose(contract.prompts, fallback="prompt", reserved=METHODS) for contract in (old, new)
    ]
    yield from names.renamed_methods("P06", methods[0], methods[1], "prompt", "/prompts")


def _arguments(prompt: Versions) -> Iterator[Change]:
    before, after = _by_name(prompt.old), _by_name(prompt.new)
    for name in sorted(before.keys() | after.keys()):
        path, pointer = f"arguments.{name}", f"{prompt.pointers[1]}/arguments"
        if name not in after:
            yield Change("P04", prompt.subject, path, pointer, "")
        elif name not in before:
            rule = "P03" if _is_required(after[name]) else "P05"
            added = dict(after[name])
            yield Change(rule, prompt.subject, path, "", pointer, ABSENT, added)
        else:
            both = pointer, pointer
            yield from _argument(Versions(prompt.subject, both, before[name], after[name], path))


def _by_name(prompt: Raw) -> dict[str, Raw]:
    listed = prompt.get("arguments")
    entries = [entry for entry in (listed if is_array(listed) else []) if is_object(entry)]
    return {entry["name"]: entry for entry in entries if isinstance(entry.get("name"), str)}


def _is_required(argument: Raw) -> bool:
    return argument.get("required") is True


def _argument(argument: Versions) -> Iterator[Change]:
    """Compare an argument. The pointers lead to the list, because arguments are not keyed by
    name.
    """
    was, now = _is_required(argument.old), _is_required(argument.new)
    pointers = argument.pointers
    if was != now:
        rule = "P03" if now else "P05"
        yield Change(rule, argument.subject, argument.path, *pointers, was, now)
    for rule, key in (("D02", "description"), ("D04", "title")):
        for change in descriptions.text(rule, argument, key):
            old = pointers[0] if change.old_pointer else ""
            new = pointers[1] if change.new_pointer else ""
            yield replace(change, old_pointer=old, new_pointer=new)
