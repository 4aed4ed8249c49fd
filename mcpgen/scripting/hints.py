"""What a script most likely meant, by what a checker says of it and the names that there are."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from mcpgen.scripting.surface import Surface

_MANY = 12
_AWAIT = "write await before the call: every function of a server is async"
_FIXED = {
    "unused-awaitable": _AWAIT,
    "too-many-positional-arguments": "arguments are given by name, as in f(query=...)",
    "possibly-unresolved-reference": "give it a value on every path that leads here",
    "invalid-await": "only a call is awaited, and only once",
}


def hint(rule: str, message: str, surfaces: Mapping[str, Surface], tree: ast.Module) -> str:
    """Return what was meant, ``""`` where the message says it already or nobody knows."""
    if "CoroutineType[" in message:
        return _AWAIT
    said = _of_names(rule, message, surfaces, tree)
    if said is None:
        said = _of_types(message)
    if said is None and rule not in _FIXED and re.search(r"\bNone\b", message):
        return "it may be None: test that first"
    return _FIXED.get(rule, "") if said is None else said


def _of_names(  # noqa: PLR0911 - one for each kind of name
    rule: str, message: str, surfaces: Mapping[str, Surface], tree: ast.Module
) -> str | None:
    """Return which name was meant, ``None`` where it is not about a name."""
    quoted = re.findall(r"`([^`]*)`", message)
    if match := re.match(r"Module `([^`]+)` has no member `([^`]+)`", message):
        known = surfaces.get(match[1])
        return _of(match[2], known.functions if known else (), "functions")
    if match := re.match(r"Object of type `([^`]+)` has no attribute `([^`]+)`", message):
        return _attribute(match[1], match[2], surfaces)
    if match := re.match(r'Unknown key "(.*?)" for TypedDict `([^`]+)`', message):
        union = re.search(r"has type `([^`]+)`", message)
        if union and " | " in union[1]:
            return f"not every {union[1]} has it: look first which one it is"
        return _of(match[1], _names(surfaces, match[2]), "members")
    if rule == "unknown-argument" and len(quoted) > 1:
        return _of(quoted[0], _names(surfaces, quoted[1]), "arguments")
    if rule == "missing-argument" and quoted:
        return _signature(surfaces, quoted[-1])
    if rule == "import-not-found":
        return f"a script has Python's standard library, and {', '.join(sorted(surfaces))}"
    if rule == "unresolved-reference" and quoted:
        return _function(quoted[0], surfaces) or _of(quoted[0], _bound(tree, surfaces), "")
    return None


def _of_types(message: str) -> str | None:
    """Return what to give instead, ``None`` where nobody knows."""
    if match := re.search(r"xpected `Literal\[(.*?)\]`, found `Literal\[(.*?)\]`", message):
        values = _literals(match[1])
        return _of(match[2].strip("\"'"), [value.strip("\"'") for value in values], "allowed")
    if "on object of type `str`" in message:
        return "that is a text: where it is JSON, read it by json.loads"
    if re.search(r"xpected `Sequence\[.*`, found `(?:str|Literal\[[\"'].*)`", message):
        return "give a list, also of one: [...]"
    return None


def _of(name: str, known: Iterable[str], what: str) -> str:
    """Return the known name that is nearest, and all of them where they are few."""
    names = list(known)
    near = difflib.get_close_matches(name, names, 1, 0.6) or [
        each for each in names if name and _bare(name) in _bare(each)
    ]
    said = f"did you mean {near[0]}?" if near else ""
    shown = ", ".join(names[:_MANY]) + (", ..." if len(names) > _MANY else "")
    if not (what and shown):
        return said
    return f"{said} {what}: {shown}".strip()


def _function(name: str, surfaces: Mapping[str, Surface]) -> str:
    """Return how a function of a server is called, where there is such a function."""
    module = next((each for each in sorted(surfaces) if name in surfaces[each].functions), None)
    return "" if module is None else f"write {module}.{name}(...), with: import {module}"


def _attribute(kinds: str, name: str, surfaces: Mapping[str, Surface]) -> str:
    """Return how a member of an object is read, where there is such a member."""
    members = [each for kind in kinds.split(" | ") for each in _names(surfaces, kind)]
    if name in members:
        return f'members are read by their names: ["{name}"]'
    return _of(name, dict.fromkeys(members), "members")


def _bare(name: str) -> str:
    return name.replace("_", "").lower()


def _names(surfaces: Mapping[str, Surface], name: str) -> Sequence[str]:
    found = (surface.names.get(name) for surface in surfaces.values())
    return next((names for names in found if names is not None), ())


def _signature(surfaces: Mapping[str, Surface], function: str) -> str:
    found = (surface.functions.get(function) for surface in surfaces.values())
    stub = next((stub for stub in found if stub), None)
    return stub.signature.removesuffix(" ...").removesuffix(":") if stub else ""


def _literals(text: str) -> list[str]:
    try:
        values = ast.parse(f"[{text}]", mode="eval").body
    except SyntaxError:
        return []
    assert isinstance(values, ast.List)
    return [ast.unparse(value) for value in values.elts]


def _bound(tree: ast.Module, surfaces: Mapping[str, Surface]) -> list[str]:
    """Return the names that a script binds itself."""
    names = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return sorted(names | surfaces.keys())
