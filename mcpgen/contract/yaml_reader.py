"""Parses YAML as JSON: no dates, ``no`` is a string, keys are strings.

Errors have a line and a column.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from mcpgen_runtime.display import brief

from mcpgen import jsonpointer
from mcpgen.errors import ContractError
from mcpgen.jsontext import Json, is_array, is_object

SUFFIXES = (".yaml", ".yml")


def loads(text: bytes, path: str) -> Json:
    """Parse a YAML document. Errors name its file ``path``."""
    yaml: Any = importlib.import_module("yaml")
    try:
        document: Json = yaml.load(text, _loader(yaml))
        if _expanded_size(document, {}) > _MAX_VALUES:
            raise ContractError(f"its aliases stand for more than {_MAX_VALUES:,} values", path)
        return document
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else path
        reason = brief(error.problem or error.context or "it cannot be read", 300)
        raise ContractError(f"not YAML: {reason}", where) from None
    except yaml.reader.ReaderError as error:
        reason = f"{error.reason}: #x{error.character:02x}"
        raise ContractError(f"not YAML: {reason}", path + _error_position(text, error)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ContractError(f"not YAML: {brief(reason, 300)}", path) from None


_MAX_VALUES = 5_000_000


def _expanded_size(value: Json, line_of: dict[int, int]) -> int:
    """Return the number of values in a document with all aliases expanded.

    An alias to an enclosing value is infinite, and counts as more than any limit.
    """
    if not (is_object(value) or is_array(value)):
        return 1
    if id(value) not in line_of:
        line_of[id(value)] = _MAX_VALUES + 1  # while the value is being counted
        inner = value.values() if is_object(value) else value
        line_of[id(value)] = 1 + sum(_expanded_size(item, line_of) for item in inner)
    return line_of[id(value)]


def position(text: bytes, pointer: str) -> str:
    """Return ``:line:column`` of a JSON pointer, or of its last existing step."""
    yaml: Any = importlib.import_module("yaml")
    node = yaml.compose(text, _loader(yaml))
    mark = node.start_mark
    for step in jsonpointer.steps(pointer):
        below = _child(node, step)
        if below is None:
            break
        node, mark = below
    return f":{mark.line + 1}:{mark.column + 1}"


def _child(node: Any, step: str) -> tuple[Any, Any] | None:
    """Return the key and value nodes of a mapping's entry, or an entry of a list."""
    if node.id == "mapping":
        pairs = [(value, key.start_mark) for key, value in node.value if key.value == step]
        return pairs[0] if pairs else None
    if node.id == "sequence" and step.isdecimal() and int(step) < len(node.value):
        entry = node.value[int(step)]
        return entry, entry.start_mark
    return None


def _error_position(text: bytes, error: Any) -> str:
    """Return the position of an invalid character or byte."""
    before = text[: error.position]
    if error.encoding == "unicode":
        encoding = _ENCODINGS.get(text[:2], "utf-8")
        before = text.decode(encoding, "replace")[: error.position].lstrip("\ufeff").encode()
    lines = before.split(b"\n")
    return f":{len(lines)}:{len(lines[-1].decode(errors='replace')) + 1}"


_ENCODINGS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def _loader(yaml: Any) -> Any:
    loader = json_loader(yaml)
    loader.add_constructor("tag:yaml.org,2002:map", _mapping)
    return loader


def json_loader(yaml: Any) -> Any:
    """Return a YAML loader that knows only the scalars of JSON: "off" and "yes" are strings."""
    loader: Any = type("Loader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": {}})
    for tag, pattern, first in _SCALARS:
        loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)
    return loader


_SCALARS = (
    ("null", r"(?:null|~|)$", ["n", "~", ""]),
    ("bool", r"(?:true|false)$", list("tf")),
    ("int", r"-?(?:0|[1-9][0-9]*)$", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
)


def _mapping(loader: Any, node: Any) -> dict[str, Json]:
    members: dict[str, Json] = {}
    for key_node, value_node in node.value:
        key = loader.construct_scalar(key_node)
        if key in members:
            yaml: Any = importlib.import_module("yaml")
            problem = f"{key!r} stands twice"
            raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
        members[key] = loader.construct_object(value_node, deep=True)
    return members
