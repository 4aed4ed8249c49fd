"""Assigns all Python names. A name never depends on the order of tools.

A name has its ideal spelling if that is free. If several names have the same ideal spelling, the
name with that spelling keeps it, and the others get a short hash.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from mcpgen import jsonpointer
from mcpgen.codegen import reserved_names
from mcpgen.codegen.identifiers import BLANK, LONGEST, pascal, snake, with_hash
from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.isolation import isolate

_LONGEST_CLASS = 200
_ROLE = re.compile(r"(?:Input|Output)(?![a-z])")


def choose(
    wires: Iterable[str],
    *,
    fallback: str,
    reserved: Collection[str],
    pins: Mapping[str, str] | None = None,
    alike: Callable[[str], str] = lambda name: name,
) -> dict[str, str]:
    """Assign an identifier to each name. Identifiers that ``alike`` makes equal stay distinct."""
    pinned = _usable(pins or {}, reserved, alike)
    ideal = {wire: _free(snake(wire, fallback), reserved) for wire in sorted(set(wires))}
    used = {alike(name) for wire, name in pinned.items() if wire in ideal}
    owners: dict[str, list[str]] = {}
    for wire, name in ideal.items():
        if wire not in pinned:
            owners.setdefault(alike(name), []).append(wire)
    names = {wire: pinned[wire] for wire in ideal if wire in pinned}
    for key, group in sorted(owners.items()):
        # Among similar names, the first that is an identifier stays unchanged.
        exact = [wire for wire in group if len(group) == 1 or ideal[wire] == wire][:1]
        for wire in group:
            keeps = key not in used and wire in exact
            names[wire] = ideal[wire] if keeps else with_hash(ideal[wire].rstrip("_"), wire)
    return names


def _usable(
    pins: Mapping[str, str], reserved: Collection[str], alike: Callable[[str], str]
) -> dict[str, str]:
    """Return the pins that are valid names. Anyone may have edited the file."""
    by_key: dict[str, str] = {}
    for wire, name in sorted(pins.items()):
        is_seen = name.replace("_", "a").isalnum() and BLANK.isdisjoint(name)
        is_name = name.isidentifier() and name == unicodedata.normalize("NFKC", name).lower()
        is_free = not keyword.iskeyword(name) and name not in reserved and name[:1] != "_"
        if is_seen and is_name and is_free and len(name) <= LONGEST + 7:
            by_key.setdefault(alike(name), wire)
    return {wire: pins[wire] for wire in sorted(by_key.values())}


def _free(name: str, reserved: Collection[str]) -> str:
    if keyword.iskeyword(name) or name in reserved:
        return f"{name}_"
    return name


def methods(wires: Iterable[str], pins: Mapping[str, str] | None = None) -> dict[str, str]:
    """Name the method of each tool, which also names its module and classes."""
    return choose(
        wires,
        fallback="tool",
        reserved=reserved_names.METHODS,
        pins=pins,
        alike=lambda n: pascal(n).casefold(),
    )


def distinguish(name: str, wire: str) -> str:
    """Return a distinct name for one of several definitions with the same name."""
    return with_hash(name, wire)


def members(
    wires: Iterable[str], style: str = "dataclass", parameter: str = ""
) -> Mapping[str, str]:
    """Name the fields of a class, which are also the arguments of a method.

    Reserved names depend on the style only, so they are the same in a whole package. ``parameter``
    is another parameter of the method.
    """
    return _members(tuple(wires), style, parameter)


@lru_cache(maxsize=1_000)
def _members(wires: tuple[str, ...], style: str, parameter: str) -> Mapping[str, str]:
    """Choose the names once for a class and the method that takes the same arguments."""
    if style != "basemodel":
        return choose(wires, fallback="value", reserved=reserved_names.MEMBERS | {parameter})
    prefixed = {name for name in (snake(wire, "value") for wire in wires) if name[:6] == "model_"}
    return choose(wires, fallback="value", reserved=reserved_names.MODEL | prefixed | {parameter})


def are_keys(wires: Iterable[str]) -> bool:
    """Return True if all names can be keys of a ``TypedDict`` in class syntax."""
    names = choose(wires, fallback="value", reserved=reserved_names.TYPES)
    return all(name == wire for wire, name in names.items())


def module(method: str) -> str:
    """Return the module of a tool's models: its method's name, in ASCII and not reserved.

    Not every file system can encode other characters.
    """
    if not method.isascii():
        ascii_part = re.sub(r"[^a-z0-9_]+", "", method).strip("_")
        return with_hash(f"tool_{ascii_part}".rstrip("_"), method)
    return f"{method}_" if method in reserved_names.MODULES else method


def files(labels: Iterable[str]) -> dict[str, str]:
    """Name the files of methods by their common prefix. No two have similar class names."""
    labels = list(labels)
    reserved = reserved_names.MODULES
    names = choose(
        labels, fallback="tools", reserved=reserved, alike=lambda n: pascal(n).casefold()
    )
    return {label: module(name) for label, name in names.items()}


def package(name: str, role: str = "client") -> str:
    """Return the package's name for a server's name."""
    name = snake(name, "server").strip("_") or "server"
    return f"{name}_{role}" if is_taken(name) else name


def prefix(package: str) -> str:
    """Return the prefix of a package's class names."""
    stem = pascal(package)
    # SyncClient is the base class of every client.
    return f"{stem}Server" if stem == "Sync" else stem


def own_classes(prefix: str) -> frozenset[str]:
    """Return the classes that a package has besides its types."""
    kinds = ("Client", "Prompts", "Resources", "Tools")
    classes = {f"{sync}{prefix}{kind}" for sync in ("", "Sync") for kind in kinds}
    return frozenset(classes | {f"{sync}Fake{prefix}Client" for sync in ("", "Sync")})


def distribution(package: str) -> str:
    """Return the distribution name of a package, with only allowed characters."""
    name = "-".join(re.findall(r"[A-Za-z0-9]+", package))
    return name if package.isascii() and name else with_hash("server", package).replace("_", "-")


def is_taken(package: str) -> bool:
    """Return True if a package of this name couldn't be imported, or would shadow a module."""
    return package in reserved_names.PACKAGES or keyword.iskeyword(package)


def refuse(name: str, role: str) -> None:
    """Reject a name, chosen by the user, that no package can have."""
    if len(name) > LONGEST:
        raise UsageError(f"a package name has at most {LONGEST} characters", "--name")
    if name and not (name.isidentifier() and name.isascii()):
        raise UsageError(
            f"{name!r} cannot be the name of a package",
            "--name",
            "use letters, digits and underscores, beginning with a letter",
        )
    if is_taken(name):
        raise UsageError(
            f"a package named {name!r} would shadow a module that Python or the package needs",
            "--name",
            f"try {package(name, role)}",
        )


def parts(pointer: str) -> list[str]:
    """Return the words a JSON pointer into a schema adds to a class name, outermost first."""
    steps = jsonpointer.steps(pointer)
    names: list[str] = []
    while steps:
        step = steps.pop(0)
        if step in ("$defs", "definitions") and steps:
            names = [pascal(steps.pop(0), "Definition")]
        elif step in ("properties", "dependentSchemas") and steps:
            names.append(pascal(steps.pop(0), "Value"))
        elif step in ("anyOf", "oneOf", "prefixItems", "items") and steps and steps[0].isdecimal():
            step_name = "Item" if step in ("prefixItems", "items") else "Option"
            names.append(f"{step_name}{int(steps.pop(0)) + 1}")
        elif step in ("items", "additionalItems"):
            names.append("Item")
        elif step in ("additionalProperties", "patternProperties"):
            names.append("Value")
            steps = steps[1:] if step == "patternProperties" else steps
        elif step == "allOf":
            steps = steps[1:]
        elif step in ("then", "else"):
            names.append(step.title())
    return names


def classes(root: str, pointers: Iterable[str], hints: Mapping[str, str]) -> dict[str, str]:
    """Name the classes of a schema. ``hints`` has better last words, such as the value of a tag.

    Pointers with the same ideal name are numbered in their order.
    """
    names: dict[str, str] = {}
    used: set[str] = set()
    last: dict[str, int] = {}
    for pointer in sorted(pointers, key=lambda p: (p.count("/"), p)):
        steps = parts(pointer)
        if pointer in hints and steps:
            steps[-1] = pascal(hints[pointer], steps[-1])
        tail = "".join(steps)
        # "AInput" and "InputB" would be the class of a tool ``a_input``: both are one namespace.
        ideal = f"{root}_{tail}" if _ROLE.search(tail) else root + tail
        if len(ideal) > _LONGEST_CLASS:
            ideal = with_hash(ideal[: _LONGEST_CLASS - 7], pointer)
        name = ideal
        while name in used:
            last[ideal] = last.get(ideal, 1) + 1
            name = f"{ideal}{last[ideal]}"
        used.add(name)
        names[pointer] = name
    return names


def definition(pointer: str) -> str:
    """Return the name under ``$defs`` of the subschema at a JSON pointer, or ""."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    while steps:
        step = steps.pop(0)
        if not steps:
            return ""
        if step in ("$defs", "definitions"):
            name = steps.pop(0)
            if not steps:
                return name
        elif step in ("properties", "patternProperties", "dependentSchemas"):
            steps.pop(0)
    return ""


def shared_class(text: str, *, arguments: bool) -> str:
    """Return the class name for a schema's own name, or "" if that isn't a name.

    Arguments and results get different classes, even if their schemas have the same name.
    """
    name = pascal(text, "")
    if arguments and not name.endswith("Input"):
        name += "Input" if name else ""
    name = f"{name}_" if name in reserved_names.CLASSES else name
    return name if is_class(name) else ""


def is_class(name: str) -> bool:
    """Return True if a shared class could have a name."""
    is_seen = name.replace("_", "a").isalnum() and BLANK.isdisjoint(name)
    is_name = name.isidentifier() and name == unicodedata.normalize("NFKC", name)
    is_pascal = name[:1] == name[:1].upper() and name[:1] != "_"
    is_free = name not in reserved_names.CLASSES and len(name) <= _LONGEST_CLASS
    return is_seen and is_name and is_pascal and is_free


def pin(previous: Contract, current: Contract) -> Contract:
    """Pin the current names of tools that a new tool would change."""
    pins, _ = isolate(_pins, previous, current)
    return replace(current, names=pins)


def _pins(previous: Contract, current: Contract) -> dict[str, str]:
    before = methods(previous.tools, previous.names)
    common = [name for name in current.tools if name in before]
    pins = {name: pinned for name, pinned in previous.names.items() if name in common}
    while True:
        after = methods(current.tools, pins)
        moved = {name: before[name] for name in common if after[name] != before[name]}
        if not moved:
            return pins
        pins |= moved
