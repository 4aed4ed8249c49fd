"""Adapts tool definitions to each API, and changes little.

Unsupported keywords are replaced by equivalent ones. Where none exist, the condition
becomes a sentence in the description. The validation before a call is always exact.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..tool import AgentTool
from ..tool_requests import APIS, AgentApi
from .names import spell_names
from .schemas import is_list, is_object, items, members, resolve_reference, rewritten, target_of
from .strict import is_strict

_AT_ROOT: dict[str, frozenset[str]] = {
    "openai": frozenset({"allOf", "anyOf", "enum", "not", "oneOf"}),
    "openai-responses": frozenset({"allOf", "anyOf", "enum", "not", "oneOf"}),
    "anthropic": frozenset({"allOf", "anyOf", "oneOf"}),
    "gemini": frozenset(),
}
"""Keywords that each API forbids at the root of a schema."""

_OPENAI: tuple[AgentApi, ...] = ("openai", "openai-responses")
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_DEFINITION = re.compile(r"#(/\$defs/[^/]+)?")
_EDGES = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
_LATEST = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class AdaptedSchema:
    """A schema for an API, and a note for the model.

    ``keys`` maps renamed arguments to their JSON names.
    """

    schema: dict[str, Any]
    note: str = ""
    keys: Mapping[str, str] = field(default_factory=dict[str, str])


def definition(tool: AgentTool[Any], api: AgentApi) -> dict[str, Any]:
    """Return the definition of a tool for an API."""
    if api == "mcp":
        return {**copy.deepcopy(dict(tool.definition)), "name": tool.full_name}
    fit = adapt_schema(tool.schema, api)
    description = f"{tool.description}{fit.note}"
    if api == "anthropic":
        about = {"name": tool.name, "description": description}
        return {**about, "input_schema": fit.schema}
    if api == "gemini":
        about = {"name": tool.name, "description": description}
        return {**about, "parametersJsonSchema": fit.schema}
    function = {
        "name": tool.name,
        "description": description,
        "parameters": fit.schema,
        "strict": is_strict(fit.schema),
    }
    if api == "openai":
        return {"type": "function", "function": function}
    return {"type": "function", **function}


def adapt_schema(schema: Mapping[str, Any], api: AgentApi) -> AdaptedSchema:
    """Adapt a schema to an API, with as few changes as possible.

    The result is a copy, because the caller may change it.
    """
    if api not in APIS:
        raise ValueError(f"api is one of {APIS}, not {api!r}")
    own = copy.deepcopy(dict(schema))
    if api == "mcp":
        return AdaptedSchema(own)
    root, note = _strip_root_keywords(_object(own, api), _AT_ROOT[api])
    if api == "anthropic":
        return _rename_keys(_modern(root), note)
    root = _hoist_references(root)
    root = rewritten(root, _for_gemini if api == "gemini" else _for_openai)
    return AdaptedSchema(root, note)


def restore_names(
    arguments: Mapping[str, Any], schema: Mapping[str, Any], api: AgentApi
) -> Mapping[str, Any]:
    """Return arguments by their JSON names."""
    if api != "anthropic" or all(map(_KEY.fullmatch, _properties(schema))):
        return arguments
    keys = adapt_schema(schema, api).keys
    return {keys.get(name, name): value for name, value in arguments.items()}


def _object(schema: Mapping[str, Any], api: AgentApi) -> dict[str, Any]:
    """Add the type ``object`` to the root."""
    root = dict(resolve_reference(schema, schema))
    changed = root if "$ref" in schema else dict(schema)
    if changed.get("type") != "object":
        changed = {**changed, "type": "object"}
    if api != "anthropic" and not is_object(changed.get("properties")):
        changed["properties"] = {}
    return changed


def _strip_root_keywords(
    schema: dict[str, Any], refused: frozenset[str]
) -> tuple[dict[str, Any], str]:
    """Remove keywords that an API forbids in the root. Conditions become sentences."""
    lifted = {key: schema[key] for key in sorted(refused & schema.keys())}
    if not lifted:
        return schema, ""
    root = {key: value for key, value in schema.items() if key not in lifted}
    properties = _properties(root)
    if root.get("additionalProperties") is not False:
        for part in _branches(lifted, schema):
            for name, member in _properties(part).items():
                properties[name] = _merge_alternatives(properties.get(name), member)
    lifted_json = json.dumps(lifted, ensure_ascii=False)
    note = f"\n\nThe arguments must also match this JSON Schema: {lifted_json}"
    return {**root, "properties": properties}, note


def _branches(lifted: Mapping[str, Any], root: Any) -> list[Mapping[str, Any]]:
    parts: list[Any] = [
        part for key in ("allOf", "anyOf", "oneOf") for part in items(lifted.get(key))
    ]
    return [resolve_reference(members(part), root) for part in parts]


def _merge_alternatives(first: Any, second: Any) -> Any:
    """Return a schema that accepts everything that either of two schemas accepts."""
    if first is None or first == second:
        return second
    alternatives: list[Any] = [first]
    if list(members(first)) == ["anyOf"]:
        alternatives = items(members(first)["anyOf"])
    return {"anyOf": alternatives if second in alternatives else [*alternatives, second]}


def _hoist_references(root: dict[str, Any]) -> dict[str, Any]:
    """Move all referenced schemas to ``$defs``, the only place that some APIs support."""
    moved: dict[str, str] = {}
    waiting: list[str] = []
    used_names = set(members(root.get("$defs")))

    def point(node: dict[str, Any]) -> dict[str, Any]:
        reference = node.get("$ref")
        if not isinstance(reference, str) or _DEFINITION.fullmatch(reference):
            return node
        if target_of(reference, root) is None:
            return node
        if reference not in moved:
            moved[reference] = _place(reference, {*used_names, *moved.values()})
            waiting.append(reference)
        return {**node, "$ref": f"#/$defs/{moved[reference]}"}

    hoisted: dict[str, Any] = rewritten(root, point)
    definitions: dict[str, Any] = {}
    while waiting:
        reference = waiting.pop(0)
        definitions[moved[reference]] = rewritten(target_of(reference, root), point)
    if not definitions:
        return root
    hoisted = {**hoisted, "$defs": {**members(hoisted.get("$defs")), **definitions}}
    if all(f"#/definitions/{name}" in moved for name in members(hoisted.get("definitions"))):
        hoisted.pop("definitions", None)
    return hoisted


def _place(reference: str, used_names: set[str]) -> str:
    """Return a name for a definition, after the last step of the reference to it."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", reference.rpartition("/")[2]) or "part"
    number, candidate = 1, name
    while candidate in used_names:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def _for_openai(node: dict[str, Any]) -> dict[str, Any]:
    """Add ``items`` to arrays, which OpenAI requires."""
    kinds = node.get("type")
    is_array = kinds == "array" or "array" in items(kinds)
    if is_array and "items" not in node:
        return {**node, "items": {}}
    return node


def _for_gemini(node: dict[str, Any]) -> dict[str, Any]:
    """Replace ``const`` by ``enum``, and remove the siblings of ``$ref``."""
    if "const" in node and "enum" not in node:
        rest = {key: value for key, value in node.items() if key != "const"}
        node = {**rest, "enum": [node["const"]]}
    beside = [key for key in node if not key.startswith("$")]
    if "$ref" in node and beside and "anyOf" not in node:
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return {"anyOf": [{"$ref": node["$ref"]}], **rest}
    return node


def _modern(root: dict[str, Any]) -> dict[str, Any]:
    """Convert keywords of older drafts to 2020-12."""
    changed: dict[str, Any] = rewritten(root, _in_modern_words)
    if changed != root and "$schema" in changed:
        changed["$schema"] = _LATEST
    return changed


def _in_modern_words(node: dict[str, Any]) -> dict[str, Any]:
    if is_list(node.get("items")):
        node = {**node, "prefixItems": node["items"]}
        rest = node.pop("additionalItems", None)
        del node["items"]
        node = node if rest is None else {**node, "items": rest}
    for edge, bound in (
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ):
        if isinstance(node.get(edge), bool):
            is_exclusive, node = node[edge], dict(node)
            del node[edge]
            if is_exclusive and bound in node:
                node[edge] = node.pop(bound)
    return node


def _rename_keys(root: dict[str, Any], note: str) -> AdaptedSchema:
    """Rename arguments that the API rejects. :func:`restore_names` undoes it."""
    properties = _properties(root)
    if all(map(_KEY.fullmatch, properties)):
        return AdaptedSchema(root, note)
    names = {
        name: spelling
        for name, spelling in spell_names(properties).items()
        if not _KEY.fullmatch(name)
    }
    renamed = {names.get(name, name): part for name, part in properties.items()}
    schema = {**root, "properties": renamed}
    if is_list(root.get("required")):
        needed = items(root["required"])
        schema["required"] = [names.get(name, name) for name in needed]
    return AdaptedSchema(schema, note, {new: name for name, new in names.items()})


def _properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    return dict(members(schema.get("properties")))
