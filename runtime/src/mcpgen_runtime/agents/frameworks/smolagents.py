"""Tools for smolagents, which calls them in threads and has no schemas.

Each argument has types and a description, which includes the rest of its schema. Optional
arguments are nullable; null leaves them out if the schema forbids null.
"""

from __future__ import annotations

import copy
import io
import json
import keyword
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import new_class
from typing import Any

from ..definitions.names import spell_names
from ..definitions.schemas import inner, is_object, items, members, resolve_reference
from ..error_messages import UNEXPECTED
from ..messages import text_for
from ..result import AgentResult
from ..tool import AgentTool

_KINDS = ("array", "boolean", "integer", "number", "object", "string")
_TAKEN = frozenset({"self", "sanitize_inputs_outputs"})
"""Parameters of the framework, which no argument may be named after."""
_ANYTHING = "anyOf oneOf allOf $ref if not".split()


def adapt_tools(tools: Iterable[AgentTool[AgentResult]]) -> list[Any]:
    """Return a ``smolagents.Tool`` for each tool."""
    framework = import_module("smolagents")
    all_tools = list(tools)
    names = _identifiers([tool.name for tool in all_tools])
    return [_adapt_tool(framework, tool, names[tool.name]) for tool in all_tools]


def _adapt_tool(framework: Any, tool: AgentTool[AgentResult], spelling: str) -> Any:
    arguments = _arguments(copy.deepcopy(dict(tool.schema)))
    wire = {argument.spelling: argument for argument in arguments}

    def forward(_: Any, **arguments: Any) -> Any:
        try:
            result = tool.call(_wire_arguments(arguments, wire))
        except Exception:
            # The agent continues and would send internal details to the model.
            tool.logger.exception("a tool failed: %s", tool.name)
            return f"Error: {UNEXPECTED}"
        return _answer(result)

    # The framework inspects these class attributes.
    attributes = {
        "name": spelling,
        "description": tool.description,
        "inputs": {argument.spelling: argument.entry for argument in arguments},
        "output_type": "any",
        "skip_forward_signature_validation": True,
        "forward": forward,
    }
    kind = new_class("Adapted", (framework.Tool,), exec_body=lambda body: body.update(attributes))
    return kind()


@dataclass(frozen=True)
class _Argument:
    """An argument, with its JSON name, its name in smolagents, and its description."""

    name: str
    spelling: str
    entry: dict[str, Any]
    may_be_null: bool


def _wire_arguments(arguments: Mapping[str, Any], wire: Mapping[str, _Argument]) -> dict[str, Any]:
    """Return arguments by their JSON names, without nulls that mean absent."""
    return {
        wire[name].name if name in wire else name: value
        for name, value in arguments.items()
        if value is not None or name not in wire or wire[name].may_be_null
    }


def _arguments(schema: Mapping[str, Any]) -> list[_Argument]:
    root = dict(resolve_reference(schema, schema))
    properties = members(root.get("properties"))
    names = _identifiers(properties)
    required = items(root.get("required"))
    arguments: list[_Argument] = []
    for name, part in properties.items():
        kinds = _kinds(part, schema)
        entry = _entry(name, part, schema, [kind for kind in kinds if kind != "null"])
        if name not in required or "null" in kinds:
            entry["nullable"] = True
        arguments.append(_Argument(name, names[name], entry, "null" in kinds))
    return arguments


def _entry(name: str, part: Any, root: Mapping[str, Any], kinds: list[str]) -> dict[str, Any]:
    about = members(part)
    text = about.get("description")
    description = text if isinstance(text, str) else name
    types = kinds[0] if len(kinds) == 1 else kinds or list(_KINDS)
    nodes = list(inner(about))
    is_simple = not any(keyword in node for node in nodes for keyword in _ANYTHING)
    if is_simple:
        return {**about, "type": types, "description": description}
    exact = {key: value for key, value in about.items() if key != "description"}
    if any("$ref" in node for node in nodes):
        defined = {key: root[key] for key in ("$defs", "definitions") if key in root}
        exact |= defined
    whole = json.dumps(exact, ensure_ascii=False)
    return {"type": types, "description": f"{description}\nJSON Schema: {whole}"}


def _kinds(part: Any, root: Any, depth: int = 0) -> list[str]:
    """Return the types that values of a schema may have, ``null`` among them."""
    every = [*_KINDS, "null"]
    if not is_object(part) or depth > 20:
        return every
    node = resolve_reference(members(part), root)
    kinds = items(node.get("type")) or [node["type"]] if "type" in node else every
    values = items(node.get("enum")) or ([node["const"]] if "const" in node else [])
    if values:
        value_kinds = {_kind(value) for value in values}
        kinds = [kind for kind in kinds if kind in value_kinds]
    for name in ("anyOf", "oneOf"):
        if branches := items(node.get(name)):
            allowed = {kind for branch in branches for kind in _kinds(branch, root, depth + 1)}
            kinds = [kind for kind in kinds if kind in allowed]
    for item in items(node.get("allOf")):
        allowed = set(_kinds(item, root, depth + 1))
        kinds = [kind for kind in kinds if kind in allowed]
    return [str(kind) for kind in kinds if kind in every]


def _kind(value: object) -> str:
    """Return the type of a value of JSON."""
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name
    return "null"


_TYPES: list[tuple[type[Any], str]] = [
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (list, "array"),
    (dict, "object"),
]


class _Object(dict[str, Any]):
    """A JSON object that prints as JSON."""

    def __str__(self) -> str:
        return json.dumps(self, ensure_ascii=False)


class _Array(list[Any]):
    """A JSON array that prints as JSON."""

    def __str__(self) -> str:
        return json.dumps(self, ensure_ascii=False)


def _identifiers(names: Iterable[str]) -> dict[str, str]:
    """Convert names to identifiers that the framework accepts."""
    python_names = {name: name.replace("-", "_") for name in names}
    safe = spell_names(python_names.values())
    return {
        name: _free(safe[spelling].replace("-", "_")) for name, spelling in python_names.items()
    }


def _free(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def _answer(result: AgentResult) -> Any:
    """Return data, text or the first image, because smolagents accepts only one value.

    A code agent uses the data. A tool-calling agent sees it as JSON.
    """
    if not result.images or result.is_error:
        text = text_for("openai", result)
        if result.is_error or text != json.dumps(result.structured, ensure_ascii=False):
            return text
        if is_object(result.structured):
            return _Object(members(result.structured))
        return _Array(items(result.structured)) if items(result.structured) else text
    framework = import_module("PIL.Image")
    try:
        image = framework.open(io.BytesIO(result.images[0].data))
    except (OSError, ValueError):  # such as SVG, which Pillow can't read
        return text_for("openai", result)
    return import_module("smolagents.agent_types").AgentImage(image)
