"""Suggests corrections from a type checker's message and the known names."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from mcpgen.scripting.checks.hint_context import (
    ScriptPosition,
    called_surface,
    imported_modules,
    nearest_name,
)
from mcpgen.scripting.checks.value_hints import attribute_hint, may_be_none, members_of, value_hint
from mcpgen.scripting.surface import Surface
from mcpgen.scripting.syntax import bound_names

_AWAIT = "write await before the call: every function of a server is async"
_FIXED = {
    "unused-awaitable": _AWAIT,
    "too-many-positional-arguments": "arguments are given by name, as in f(query=...)",
    "possibly-unresolved-reference": "give it a value on every path that leads here",
    "invalid-await": "only a call is awaited, and only once",
}


def hint(rule: str, message: str, surfaces: Mapping[str, Surface], position: ScriptPosition) -> str:
    """Return the most likely correction, or "" if unknown."""
    if "function `gather`" in message:
        return "give the calls one by one: asyncio.gather(*calls)"
    if "CoroutineType[" in message:
        return _AWAIT
    suggestion = _of_names(rule, message, surfaces, position)
    if suggestion is None:
        suggestion = value_hint(message, surfaces, position)
    if suggestion is None and rule not in _FIXED and may_be_none(message):
        return "it may be None: test that first"
    return _FIXED.get(rule, "") if suggestion is None else suggestion


def _of_names(  # noqa: PLR0911 - one for each kind of name
    rule: str, message: str, surfaces: Mapping[str, Surface], position: ScriptPosition
) -> str | None:
    """Return the intended name, or None if the message isn't about a name."""
    quoted = re.findall(r"`([^`]*)`", message)
    if match := re.match(r"Module `([^`]+)` has no member `([^`]+)`", message):
        surface_ = surfaces.get(match[1])
        return nearest_name(match[2], surface_.functions if surface_ else (), "functions")
    if match := re.match(r"Object of type `([^`]+)` has no attribute `([^`]+)`", message):
        return attribute_hint(match[1], match[2], surfaces)
    if match := re.match(r'Unknown key "(.*?)" for TypedDict `([^`]+)`', message):
        union = re.search(r"has type `([^`]+)`", message)
        kinds = union[1].split(" | ") if union else [match[2]]
        members = dict.fromkeys(text for kind in kinds for text in members_of(surfaces, kind))
        if match[1] in members:
            return f"not every {' | '.join(kinds)} has it: look first which one it is"
        return nearest_name(match[1], members, "members")
    if match := re.match(r"Missing required key '(.*?)' in TypedDict `([^`]+)`", message):
        return f"members: {', '.join(members_of(surfaces, match[2]))}"
    if rule == "unknown-argument" and len(quoted) > 1:
        surface = called_surface(quoted[1], surfaces, position)
        return nearest_name(quoted[0], surface.names[quoted[1]] if surface else (), "arguments")
    if rule == "missing-argument" and quoted:
        surface = called_surface(quoted[-1], surfaces, position)
        return _signature(surface, quoted[-1]) if surface else ""
    if rule == "import-not-found":
        return f"a script has Python's standard library, and {', '.join(sorted(surfaces))}"
    if rule == "unresolved-reference" and quoted:
        return _suggest_name(quoted[0], surfaces, position)
    return None


def _suggest_name(name: str, surfaces: Mapping[str, Surface], position: ScriptPosition) -> str:
    """Return the import, function or variable that a name probably meant."""
    if name in surfaces or name in sys.stdlib_module_names:
        return f"add at the top: import {name}"
    modules = [surface for surface in sorted(surfaces) if name in surfaces[surface].functions]
    imported = [module for module in modules if module in imported_modules(position.tree).values()]
    if chosen := imported if len(imported) == 1 else modules:
        return "write " + " or ".join(f"{text}.{name}(...), with: import {text}" for text in chosen)
    return nearest_name(name, sorted({*bound_names(position.tree), *surfaces}), "")


def _signature(surface: Surface, function: str) -> str:
    stub = surface.functions.get(function)
    return stub.signature.removesuffix(" ...").removesuffix(":") if stub else ""
