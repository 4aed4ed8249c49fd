"""What a script most likely meant, by what a checker says of it and the names that there are."""

from __future__ import annotations

import ast
import difflib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mcpgen.display import on_one_line
from mcpgen.scripting.surface import Surface
from mcpgen.scripting.syntax import bound_names, imports, last_name

_MANY = 12
_AWAIT = "write await before the call: every function of a server is async"
_FIXED = {
    "unused-awaitable": _AWAIT,
    "too-many-positional-arguments": "arguments are given by name, as in f(query=...)",
    "possibly-unresolved-reference": "give it a value on every path that leads here",
    "invalid-await": "only a call is awaited, and only once",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a script, counted from one."""

    tree: ast.Module
    line: int
    column: int


def hint(rule: str, message: str, surfaces: Mapping[str, Surface], place: Place) -> str:
    """Return what the script most likely meant, or "" if that isn't known."""
    if "CoroutineType[" in message:
        return _AWAIT
    said = _of_names(rule, message, surfaces, place)
    if said is None:
        said = _of_types(message, surfaces, place)
    if said is None and rule not in _FIXED and _is_maybe_none(message):
        return "it may be None: test that first"
    return _FIXED.get(rule, "") if said is None else said


def _is_maybe_none(message: str) -> bool:
    """Return True if the value may be None, and what is done with it does not allow that."""
    if match := re.search(r"xpected `(.*?)`, found `(.*?)`", message):
        return _has_none(match[2]) and not _has_none(match[1])
    types = re.findall(r"(?:of type|types?|union|on) `([^`]*)`", message)
    return any(map(_has_none, types))


def _has_none(kind: str) -> bool:
    return "None" in kind.split(" | ")


def _of_names(  # noqa: PLR0911 - one for each kind of name
    rule: str, message: str, surfaces: Mapping[str, Surface], place: Place
) -> str | None:
    """Return the name that was meant, or None if the message isn't about a name."""
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
        surface = _called_surface(quoted[1], surfaces, place)
        return _of(quoted[0], surface.names[quoted[1]] if surface else (), "arguments")
    if rule == "missing-argument" and quoted:
        surface = _called_surface(quoted[-1], surfaces, place)
        return _signature(surface, quoted[-1]) if surface else ""
    if rule == "import-not-found":
        return f"a script has Python's standard library, and {', '.join(sorted(surfaces))}"
    if rule == "unresolved-reference" and quoted:
        return _unresolved(quoted[0], surfaces, place)
    return None


def _called_surface(function: str, surfaces: Mapping[str, Surface], place: Place) -> Surface | None:
    """Return the server whose function is called at a position of the script."""
    calls = [
        node
        for node in ast.walk(place.tree)
        if isinstance(node, ast.Call) and _is_around(node, place) and last_name(node) == function
    ]
    modules = _modules(place.tree)
    for call in sorted(calls, key=lambda each: each.lineno * 10_000 + each.col_offset)[::-1]:
        root = call.func.value if isinstance(call.func, ast.Attribute) else call.func
        module = modules.get(root.id, "") if isinstance(root, ast.Name) else ""
        if module in surfaces:
            return surfaces[module]
    having = [each for each in surfaces.values() if function in each.functions]
    return having[0] if len(having) == 1 else None


def _is_around(node: ast.Call, place: Place) -> bool:
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    return (node.lineno, node.col_offset) <= (place.line, place.column - 1) <= end


def _modules(tree: ast.Module) -> dict[str, str]:
    """Return the module that each imported name comes from."""
    return {name: origin.partition(":")[0] for name, origin in imports(tree)}


def _unresolved(name: str, surfaces: Mapping[str, Surface], place: Place) -> str:
    """Return the import, the function or the variable that a name was meant for."""
    if name in surfaces or name in sys.stdlib_module_names:
        return f"add at the top: import {name}"
    modules = [each for each in sorted(surfaces) if name in surfaces[each].functions]
    imported = [each for each in modules if each in _modules(place.tree).values()]
    if chosen := imported if len(imported) == 1 else modules:
        return "write " + " or ".join(f"{each}.{name}(...), with: import {each}" for each in chosen)
    return _of(name, sorted({*bound_names(place.tree), *surfaces}), "")


def _of_types(message: str, surfaces: Mapping[str, Surface], place: Place) -> str | None:
    """Return the value to give instead, or None if that isn't known."""
    if match := re.search(r"xpected `(.*?)`, found `Literal\[(.*?)\]`", message):
        wanted = match[1]
        if "omitted" in wanted:  # the message lists the first values only
            wanted = _annotation(message, surfaces, place) or wanted
        said = _instead(wanted, match[2])
        if said is not None:
            return said
    if "on object of type `str`" in message:
        return _of_text(surfaces, place)
    if re.search(r"xpected `Sequence\[.*`, found `(?:str|dict\[|Literal\[[\"'].*)", message):
        return "give a list, also of one: [...]"
    return None


def _annotation(message: str, surfaces: Mapping[str, Surface], place: Place) -> str:
    """Return the type of the parameter that the argument at a position is for, or ""."""
    match = re.search(r"rgument to function `([^`]*)`", message)
    surface = _called_surface(match[1], surfaces, place) if match else None
    names = [
        each.arg
        for node in ast.walk(place.tree)
        if isinstance(node, ast.Call)
        for each in node.keywords
        if each.lineno == place.line and each.col_offset <= place.column - 1
    ]
    body = ast.parse(surface.stub).body if surface else []
    aliases = {
        ast.unparse(node.target): node.value
        for node in body
        if isinstance(node, ast.AnnAssign) and node.value is not None
    }
    for node in body:
        if isinstance(node, ast.AsyncFunctionDef) and match and node.name == match[1]:
            known = {each.arg: each.annotation for each in node.args.kwonlyargs}
            found = [known.get(name or "") for name in names]
            kinds = [ast.unparse(each) for each in reversed(found) if each]
            return " | ".join(
                ast.unparse(aliases[part]) if part in aliases else part
                for part in (kinds[0].split(" | ") if kinds else ())
            )
    return ""


def _instead(wanted: str, found: str) -> str | None:
    """Return the allowed value that is nearest to a literal, or how to write it."""
    kinds = re.sub(r"Literal\[.*\]", "", wanted).split(" | ")
    if literals := re.search(r"Literal\[(.*)\]", wanted):
        values = _literals(literals[1])
        return _of(found.strip("\"'"), [value.strip("\"'") for value in values], "allowed")
    if {"int", "float"} & {*kinds} and re.fullmatch(r"[\"']-?\d+(?:\.\d+)?[\"']", found):
        number = found.strip("\"'")
        if "." not in number or "float" in kinds:
            return f"give the number: {number}"
    if "str" in kinds and re.fullmatch(r"-?\d+", found):
        return f'give the text: "{found}"'
    if "bool" in kinds and found.strip("\"'").lower() in ("true", "false"):
        return f"give {found.strip(chr(34) + chr(39)).capitalize()}, without quotes"
    return None


def _of_text(surfaces: Mapping[str, Surface], place: Place) -> str:
    """Return what to do about a string that is used like an object."""
    loop = _loop_variable(place)
    if loop is None:
        return "that is a text: where it is JSON, read it by json.loads"
    shown = ast.unparse(loop)
    lists = _list_members(loop, surfaces, place)
    if lists:
        return f'iterating over a dict gives its keys: for ... in {shown}["{lists[0]}"]'
    return f"iterating over a dict gives its keys: take one of the lists in {shown}"


def _loop_variable(place: Place) -> ast.expr | None:
    """Return what a loop iterates over, if its variable is what stands at a position."""
    names = [
        node.id
        for node in ast.walk(place.tree)
        if isinstance(node, ast.Name)
        and node.lineno == place.line
        and node.col_offset <= place.column - 1 <= (node.end_col_offset or 0) + 1
    ]
    for node in ast.walk(place.tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            is_object = isinstance(node.iter, ast.Name | ast.Await)
            if is_object and node.target.id in names:
                return node.iter
    return None


def _list_members(loop: ast.expr, surfaces: Mapping[str, Surface], place: Place) -> list[str]:
    """Return the lists in the result of the function that a loop's value comes from."""
    value: ast.expr | None = loop
    if isinstance(loop, ast.Name):
        assigned = [
            node.value
            for node in ast.walk(place.tree)
            if isinstance(node, ast.Assign)
            and any(isinstance(each, ast.Name) and each.id == loop.id for each in node.targets)
        ]
        value = assigned[0] if len(assigned) == 1 else None
    value = value.value if isinstance(value, ast.Await) else None
    if not isinstance(value, ast.Call):
        return []
    inside = Place(place.tree, value.lineno, value.col_offset + 1)
    surface = _called_surface(last_name(value), surfaces, inside)
    return surface.lists(last_name(value)) if surface else []


def _of(name: str, known: Iterable[str], what: str) -> str:
    """Return the known name that is nearest, and all of them where they are few."""
    # A server chooses its names, which must not look like lines of ours.
    names = [on_one_line(each) for each in known]
    near = difflib.get_close_matches(name, names, 1, 0.6) or [
        each for each in names if name and _bare(name) in _bare(each)
    ]
    said = f"did you mean {near[0]}?" if near else ""
    shown = ", ".join(names[:_MANY]) + (", ..." if len(names) > _MANY else "")
    if not (what and shown):
        return said
    return f"{said} {what}: {shown}".strip()


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


def _signature(surface: Surface, function: str) -> str:
    stub = surface.functions.get(function)
    return stub.signature.removesuffix(" ...").removesuffix(":") if stub else ""


def _literals(text: str) -> list[str]:
    try:
        values = ast.parse(f"[{text}]", mode="eval").body
    except SyntaxError:
        return []
    assert isinstance(values, ast.List)
    return [ast.unparse(value) for value in values.elts]
