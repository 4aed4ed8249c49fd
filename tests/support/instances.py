"""Small valid instances of a JSON Schema, the same on every run."""

from __future__ import annotations

import re
import string
import warnings
from collections.abc import Iterator
from typing import Any

from mcpgen.jsontext import Json
from mcpgen.schemas.validation import schemas

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_parse  # the only parser of regular expressions in the standard library

MAX_DEPTH = 24

FORMATS = {
    "date-time": "2026-11-21T10:00:00Z",
    "date": "2026-11-21",
    "time": "10:00:00Z",
    "duration": "P1D",
    "email": "ada@example.org",
    "idn-email": "ada@example.org",
    "uuid": "0b8e2d1c-7f7e-4d53-9a53-0d1a3c1f3c11",
    "uri": "https://example.org/",
    "url": "https://example.org/",
    "uri-reference": "/here",
    "iri": "https://example.org/",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "json-pointer": "/a",
    "regex": "^a$",
}


class NoInstanceError(Exception):
    """No candidate satisfies the schema, which may be unsatisfiable."""


def instance(schema: Json, *, full: bool = True) -> Json:
    """Return the first candidate that the schema accepts.

    ``full`` fills in optional properties, otherwise only required ones.
    """
    accepts = schemas.SchemaValidator(schema).allows
    for fill in (full, not full):
        try:
            for attempt, candidate in enumerate(_candidates(schema, schema, fill, 0)):
                if accepts(candidate):
                    return candidate
                if attempt > 200:
                    break
        except RecursionError:
            continue
    raise NoInstanceError(str(schema)[:200])


def _candidates(schema: Json, root: Json, full: bool, depth: int) -> Iterator[Json]:
    """Yield likely instances, simplest first. The caller validates them."""
    if depth > MAX_DEPTH or schema is False:
        return
    if not isinstance(schema, dict):
        yield "anything"
        return
    schema = _merge_schema(schema, root, set())
    if "const" in schema:
        yield schema["const"]
        return
    if "enum" in schema:
        yield from schema["enum"]
        return
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            rest = {key: value for key, value in schema.items() if key != keyword}
            branches = sorted(schema[keyword], key=_is_null)
            for branch in branches:
                yield from _candidates({"allOf": [rest, branch]}, root, full, depth + 1)
            return
    types = _types(schema)
    yield from _only(types[0], schema, root, full, depth)
    for kind in types[1:]:
        yield from _only(kind, schema, root, full, depth)
    yield from (schema.get("examples") or [] if isinstance(schema.get("examples"), list) else [])
    if "default" in schema:
        yield schema["default"]


def _is_null(branch: Json) -> bool:
    return isinstance(branch, dict) and branch.get("type") == "null"


def _types(schema: dict[str, Json]) -> list[str]:
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    if isinstance(named, list) and named:
        return sorted(named, key=lambda kind: kind == "null")
    if {
        "properties",
        "required",
        "additionalProperties",
        "minProperties",
    } & schema.keys():
        return ["object"]
    if {"items", "prefixItems", "minItems", "contains"} & schema.keys():
        return ["array"]
    if {"minimum", "maximum", "multipleOf", "exclusiveMinimum"} & schema.keys():
        return ["integer"]
    return ["string", "object", "integer", "array", "boolean", "null", "number"]


def _merge_schema(schema: dict[str, Json], root: Json, visited: set[str]) -> dict[str, Json]:
    """Combine ``$ref``, ``allOf`` and a satisfiable ``then`` into one flat schema,
    approximately.
    """
    result = {k: v for k, v in schema.items() if k not in ("$ref", "allOf", "if", "then", "else")}
    parts = list(schema.get("allOf", []))
    reference = schema.get("$ref", schema.get("$dynamicRef"))
    if isinstance(reference, str) and reference not in visited:
        visited = visited | {reference}
        parts.insert(0, _resolve(reference, root))
    if isinstance(schema.get("if"), dict):
        parts += [schema["if"], schema.get("then", {})]
    for part in parts:
        if isinstance(part, dict):
            result = _join_schemas(result, _merge_schema(part, root, visited))
    return result


def _resolve(reference: str, root: Json) -> Json:
    from mcpgen.schemas.validation.references import resolve

    names = resolve(root, reference)
    if names is None:
        raise NoInstanceError(f"$ref leads nowhere: {reference}")
    return names[1]


def _join_schemas(remaining: dict[str, Json], right: dict[str, Json]) -> dict[str, Json]:
    result = dict(remaining)
    for key, value in right.items():
        if key not in result:
            result[key] = value
        elif key == "properties":
            both = result[key].keys() & value.keys()
            shared = {name: {"allOf": [result[key][name], value[name]]} for name in both}
            result[key] = {**result[key], **value, **shared}
        elif key == "required":
            result[key] = [*result[key], *value]
        elif key == "enum":
            result[key] = [item for item in result[key] if item in value]
        elif key == "type":
            ours, theirs = _as_list(result[key]), _as_list(value)
            result[key] = [kind for kind in ours if kind in theirs] or ours
        elif key in ("anyOf", "oneOf"):
            pairs = [{"allOf": [a, b]} for a in result[key] for b in value]
            result[key] = pairs[:40]
    return result


def _as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _only(kind: str, schema: dict[str, Json], root: Json, full: bool, depth: int) -> Iterator[Json]:
    if kind == "object":
        yield from _objects(schema, root, full, depth)
    elif kind == "array":
        yield from _arrays(schema, root, full, depth)
    elif kind in ("integer", "number"):
        yield from _numbers(kind, schema)
    elif kind == "string":
        yield from _strings(schema)
    elif kind == "boolean":
        yield from (True, False)
    else:
        yield None


def _objects(schema: dict[str, Json], root: Json, full: bool, depth: int) -> Iterator[Json]:
    properties: dict[str, Json] = schema.get("properties", {})
    required = list(dict.fromkeys(schema.get("required", [])))
    full = full and depth < 6
    names = list(properties) if full else []
    ordered = [*required, *(name for name in names if name not in required)]
    chosen: dict[str, list[Json]] = {}
    for name in ordered:
        inner = properties.get(name, schema.get("additionalProperties", {}))
        options = _some(_candidates(inner, root, full, depth + 1), 6)
        if options:
            chosen[name] = options
        elif name in required:
            return
    base = {name: options[0] for name, options in chosen.items()}
    _pad(base, schema, root, depth)
    yield base
    if full:
        yield {name: options[0] for name, options in chosen.items() if name in required}
    for name, options in chosen.items():
        for option in options[1:]:
            yield {**base, name: option}
    yield {}


def _pad(base: dict[str, Json], schema: dict[str, Json], root: Json, depth: int) -> None:
    """Add members until ``minProperties`` is reached."""
    inner = schema.get("additionalProperties", {})
    for name in (*schema.get("properties", {}), "extra", "more", "most"):
        if len(base) >= schema.get("minProperties", 0):
            return
        options = _some(
            _candidates(schema.get("properties", {}).get(name, inner), root, False, depth + 1),
            1,
        )
        if name not in base and options:
            base[name] = options[0]


def _arrays(schema: dict[str, Json], root: Json, full: bool, depth: int) -> Iterator[Json]:
    items = schema.get("items", {})
    tuple_items = schema.get("prefixItems", items if isinstance(items, list) else [])
    start: list[Json] = []
    for inner in tuple_items:
        start += _some(_candidates(inner, root, full, depth + 1), 1)
    rest = schema.get("additionalItems", {}) if isinstance(items, list) else items
    if "contains" in schema:
        rest = {"allOf": [rest if isinstance(rest, dict) else {}, schema["contains"]]}
    minimum = max(schema.get("minItems", 0), schema.get("minContains", 0), 1 if full else 0)
    options = _some(_candidates(rest, root, full, depth + 1), 8)
    while len(start) < minimum and options:
        start.append(options[len(start) % len(options)])
    yield start[: schema.get("maxItems", len(start))]
    yield from ([option] for option in options)
    yield []


def _numbers(kind: str, schema: dict[str, Json]) -> Iterator[Json]:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    step = schema.get("multipleOf")
    guesses = [low, 1, 0, high, step]
    guesses += [above + 1 if isinstance(above, int | float) else None]
    guesses += [below - 1 if isinstance(below, int | float) else None]
    for guess in guesses:
        if isinstance(guess, int | float) and not isinstance(guess, bool):
            whole = kind == "integer" or float(guess).is_integer()
            yield int(guess) if whole else guess
            if whole and guess != int(guess):
                yield int(guess) + 1
    if step and low is not None:
        yield step * (int(low / step) + 1)
    yield 0.5


def _strings(schema: dict[str, Json]) -> Iterator[str]:
    low, high = schema.get("minLength", 0), schema.get("maxLength", 10_000)
    bases = [FORMATS[schema["format"]]] if schema.get("format") in FORMATS else []
    if isinstance(schema.get("pattern"), str):
        bases += matching(schema["pattern"])
    for base in [*bases, "text", *FORMATS.values(), "1", "a", "A1"]:
        yield (base + "x" * (low - len(base)))[:high]


def matching(pattern: str) -> list[str]:
    """Return strings that a regular expression matches: repeats at their least, then more."""
    try:
        tree = sre_parse.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return []
    names = ["".join(_text(tree, extra)) for extra in (0, 1, 3, 8)]
    return [text for text in names if re.search(pattern, text)]


def _text(tree: Any, extra: int) -> Iterator[str]:
    for op, argument in tree:
        name = str(op)
        if name == "LITERAL":
            yield chr(argument)
        elif name == "NOT_LITERAL":
            yield "b" if argument == ord("a") else "a"
        elif name == "ANY":
            yield "a"
        elif name == "IN":
            yield _member(argument)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = argument
            yield "".join(_text(inner, extra)) * min(max(low, extra), int(high))
        elif name == "SUBPATTERN":
            yield from _text(argument[-1], extra)
        elif name == "ATOMIC_GROUP":
            yield from _text(argument, extra)
        elif name == "BRANCH":
            yield from _text(argument[1][0], extra)


def _member(choices: Any) -> str:
    r"""Return one character of a set such as ``[^/\\s]``."""
    negated = str(choices[0][0]) == "NEGATE"
    preferred = string.ascii_lowercase + string.digits + string.ascii_uppercase + "-_. /:@#\n"
    for character in preferred:
        inside = any(_holds(str(op), argument, character) for op, argument in choices)
        if inside != negated:
            return character
    first = choices[0]
    return chr(first[1][0] if str(first[0]) == "RANGE" else first[1])


def _holds(op: str, argument: Any, character: str) -> bool:
    if op == "LITERAL":
        return ord(character) == argument
    if op == "RANGE":
        return argument[0] <= ord(character) <= argument[1]
    if op == "CATEGORY":
        kind = str(argument)
        matched = {
            "DIGIT": character.isdigit(),
            "SPACE": character.isspace(),
            "WORD": character.isalnum() or character == "_",
        }[kind.rsplit("_", 1)[-1]]
        return matched != ("NOT" in kind)
    return False


def _some(candidates: Iterator[Json], count: int) -> list[Json]:
    """Take the first few candidates that differ."""
    results: list[Json] = []
    for tried, candidate in enumerate(candidates):
        if candidate not in results:
            results.append(candidate)
        if len(results) >= count or tried > 50:
            break
    return results
