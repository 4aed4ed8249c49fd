"""Random schemas, and random changes of schemas. The same seed gives the same ones."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from mcpgen.jsontext import Json
from mcpgen.schemas.validation import references

NAMES = ["a", "b", "c", "kind"]


def schema(random: Random, depth: int = 3) -> Json:
    """Return a schema with few names and small bounds, so that random schemas often overlap."""
    makers = [_string, _string, _number, _number, _choice, _plain]
    if depth:
        makers += [
            _object,
            _object,
            _array,
            _union,
            _nullable,
            _conjunction,
            _condition,
        ]
    return random.choice(makers)(random, depth - 1)


def _plain(random: Random, depth: int) -> Json:
    return random.choice([{"type": "boolean"}, {"type": "string"}, {}, True, {"type": "null"}])


def _string(random: Random, depth: int) -> Json:
    result: Json = {"type": "string"}
    _maybe(random, result, minLength=random.randint(0, 3), maxLength=random.randint(3, 6))
    _maybe(random, result, 0.15, pattern=random.choice(["^a", "b$", "^[ab]+$"]))
    return result


def _number(random: Random, depth: int) -> Json:
    result: Json = {"type": random.choice(["integer", "integer", "number"])}
    _maybe(random, result, minimum=random.randint(-2, 2), maximum=random.randint(3, 6))
    _maybe(random, result, 0.15, multipleOf=random.choice([1, 2, 3, 4, 6]))
    _maybe(random, result, 0.15, exclusiveMinimum=random.randint(-2, 2))
    return result


def _choice(random: Random, depth: int) -> Json:
    values: list[Json] = ["a", "b", "ab", 1, 2, None, True]
    if random.random() < 0.3:
        return {"const": random.choice(values)}
    result: Json = {"enum": random.sample(values, random.randint(1, 4))}
    _maybe(random, result, 0.2, type=["string", "integer"])
    return result


def _object(random: Random, depth: int) -> Json:
    names = random.sample(NAMES, random.randint(0, 3))
    result: Json = {
        "type": "object",
        "properties": {n: schema(random, depth) for n in names},
    }
    _maybe(random, result, 0.5, required=random.sample(names, random.randint(0, len(names))))
    _maybe(
        random,
        result,
        0.3,
        additionalProperties=random.choice([False, True, {"type": "string"}]),
    )
    _maybe(random, result, 0.1, minProperties=1, maxProperties=3)
    _maybe(random, result, 0.1, patternProperties={"^x": schema(random, depth)})
    _maybe(random, result, 0.1, propertyNames={"maxLength": random.randint(1, 4)})
    _maybe(random, result, 0.1, dependentRequired={"a": ["b"]})
    return result


def _array(random: Random, depth: int) -> Json:
    result: Json = {"type": "array"}
    _maybe(random, result, 0.8, items=schema(random, depth))
    _maybe(random, result, 0.15, prefixItems=[schema(random, depth) for _ in range(2)])
    _maybe(random, result, 0.3, minItems=random.randint(0, 2), maxItems=random.randint(2, 4))
    _maybe(random, result, 0.15, uniqueItems=True)
    _maybe(random, result, 0.15, contains=schema(random, 0))
    return result


def _union(random: Random, depth: int) -> Json:
    keyword = random.choice(["anyOf", "anyOf", "oneOf"])
    result: Json = {keyword: [schema(random, depth) for _ in range(random.randint(1, 3))]}
    _maybe(random, result, 0.1, type=["string", "object", "integer"])
    return result


def _nullable(random: Random, depth: int) -> Json:
    return {"anyOf": [schema(random, depth), {"type": "null"}]}


def _conjunction(random: Random, depth: int) -> Json:
    base = schema(random, depth)
    if random.random() < 0.3:
        return {"allOf": [base], "not": schema(random, 0)}
    return {"allOf": [base, schema(random, 0)]}


def _condition(random: Random, depth: int) -> Json:
    result = schema(random, depth)
    if not isinstance(result, dict):
        return result
    tests = [{"minLength": 2}, {"required": ["a"]}, {"type": "string"}, {"minimum": 2}]
    _maybe(random, result, 0.2, dependentSchemas={"a": {"required": ["b"]}})
    return {
        **result,
        "if": random.choice(tests),
        random.choice(["then", "else"]): schema(random, 0),
    }


def _maybe(random: Random, result: Json, chance: float = 0.35, **members: Json) -> None:
    for keyword, value in members.items():
        if random.random() < chance:
            result[keyword] = value


def change_schema(raw: Json, random: Random) -> Json:
    """Return a schema with one or two changes."""
    result = copy.deepcopy(raw)
    for _ in range(random.randint(1, 2)):
        nodes = [node for _, node in references.subschemas(result)]
        if not nodes:
            return schema(random)
        random.choice(_CHANGES)(random.choice(nodes), random)
    return result


def _retype(node: dict[str, Any], random: Random) -> None:
    node["type"] = random.choice(["string", "integer", "number", "array", ["string", "null"]])


def _rebound(node: dict[str, Any], random: Random) -> None:
    bounds = [k for k, v in node.items() if isinstance(v, int) and not isinstance(v, bool)]
    if bounds:
        key = random.choice(bounds)
        node[key] = max(node[key] + random.choice([-1, 1]), 1 if key == "multipleOf" else 0)
    else:
        node[random.choice(["minimum", "maxLength", "maxItems"])] = 2


def _require(node: dict[str, Any], random: Random) -> None:
    names = list(node.get("properties") or NAMES)
    node["required"] = random.sample(names, random.randint(0, len(names)))


def _close(node: dict[str, Any], random: Random) -> None:
    node["additionalProperties"] = random.choice([True, False, {"type": "string"}])


def _forget(node: dict[str, Any], random: Random) -> None:
    if node:
        del node[random.choice(list(node))]


def _rename(node: dict[str, Any], random: Random) -> None:
    properties = node.get("properties")
    if isinstance(properties, dict) and properties:
        properties[random.choice(NAMES)] = properties.pop(random.choice(list(properties)))


def _extend(node: dict[str, Any], random: Random) -> None:
    if isinstance(node.get("properties"), dict):
        node["properties"][random.choice(NAMES)] = schema(random, 1)


def _demand(node: dict[str, Any], random: Random) -> None:
    """Add a required member, as the branches of a union often differ by one."""
    if isinstance(node.get("properties"), dict):
        name = random.choice([*NAMES, "new"])
        node["properties"].setdefault(name, schema(random, 0))
        node["required"] = sorted({*node.get("required", []), name})


def _list(node: dict[str, Any], random: Random) -> None:
    if isinstance(node.get("enum"), list):
        node["enum"] = [*node["enum"], "new"] if random.random() < 0.5 else node["enum"][:1]
    else:
        node["enum"] = ["a", "b", 1]


def _branch(node: dict[str, Any], random: Random) -> None:
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = node.get(keyword)
        if isinstance(branches, list):
            if random.random() < 0.5 and len(branches) > 1:
                branches.pop()
            else:
                branches.append(schema(random, 1))


def _swap(node: dict[str, Any], random: Random) -> None:
    if "anyOf" in node and "oneOf" not in node:
        node["oneOf"] = node.pop("anyOf")
    elif "oneOf" in node and "anyOf" not in node:
        node["anyOf"] = node.pop("oneOf")


_CHANGES = [
    *(
        _retype,
        _rebound,
        _require,
        _close,
        _forget,
        _rename,
        _extend,
        _demand,
        _list,
        _branch,
    ),
    _swap,
]


_INSIDE = ("properties", "patternProperties", "anyOf", "oneOf", "allOf", "prefixItems")


def hoist_definitions(raw: Json, random: Random, definitions: dict[str, Json]) -> Json:
    """Return an equivalent schema with some subschemas moved to definitions."""
    if not isinstance(raw, dict):
        return raw
    result = dict(raw)
    for keyword in _INSIDE:
        inner = result.get(keyword)
        if isinstance(inner, dict):
            result[keyword] = {
                k: hoist_definitions(v, random, definitions) for k, v in inner.items()
            }
        elif isinstance(inner, list):
            result[keyword] = [hoist_definitions(item, random, definitions) for item in inner]
    if random.random() < 0.7:
        return result
    name = f"D{len(definitions)}"
    definitions[name] = result
    return {"$ref": f"#/$defs/{name}"}


def close_objects(raw: Json) -> Json:
    """Return a schema whose objects are closed unless declared open."""
    result = copy.deepcopy(raw)
    for node in list(_objects(result)):
        node.setdefault("additionalProperties", False)
    return result


def _objects(raw: Json) -> Iterator[dict[str, Any]]:
    for _, node in references.subschemas(raw):
        if "properties" in node or node.get("type") == "object":
            yield node
