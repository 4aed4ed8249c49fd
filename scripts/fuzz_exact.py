"""Compares the verdicts of jsonschema-rs and jsonschema for randomly mutated schemas.

    python scripts/fuzz_exact.py --seconds 60 --seed 1

The seeds are the schemas of the golden contracts and, if present, of the corpus. Every second
schema is random, with few names and values so that its keywords interact. Findings are values that
only jsonschema-rs accepts, because mcpgen relies on its acceptance, and slow verdicts. Rejections
are checked again, so values that only jsonschema accepts are merely printed. Findings are stored in
`.cache/fuzz_exact`: a schema and a value.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from mcpgen_runtime.validation.keywords import dialect_translation, native
from pydantic_core import to_json

from mcpgen.errors import McpgenError
from mcpgen.jsontext import loads
from mcpgen.schemas import examples
from mcpgen.schemas.validation import schemas

ROOT = Path(__file__).resolve().parent.parent
_LARGE = ROOT.parent / "shared" / "corpus"
_SMALL = ROOT / "tests" / "support" / "corpus"
CORPUS = Path(os.environ.get("MCPGEN_CORPUS") or (_LARGE if _LARGE.is_dir() else _SMALL))
FOUND = ROOT / ".cache" / "fuzz_exact"
SLOW = 2.0
VALUES_EACH = 25
MOST_SHOWN = 20
EXAMPLE = 0.1
LARGEST = 100_000
"""How many values an example may hold that is written out."""
ASKED_AGAIN = 0.1

NAMES = ["a", "b", "c", "ab", ""]
PATTERNS = (
    r"^a a$ ^a$ ^.$ . a|b ^[ab]+$ \d ^\d$ \w \W \s \bb\b \Bb ^$ [^a] ^(a|b)*c?$ ^x- \p{L}"
    r" ^\P{Lu}$ [\s\S] [^] [] a{2,3} ^(?:ab)+$ ^\S+@\S+$ ^[a-z0-9-]+$ \u{1F600} \x61 \cA (a+)+$"
    r" (?=a) (a)\1 (?i)a [ "
).split(" ")
ATOMS = (
    r"a b . \d \D \w \W \s \S \b \B [a-c] [^a] [^] [\s\S] [\d-] [.-_] [^\w] (?:a|b) (a|) (?<n>a|\s)"
    r" \p{L} \P{L} \p{Lu} \u{1F600} \x61 \u00e9 \cJ \t \n \/ \$ \^ [\]] [a&&b] [a~~b] [a--b] [[] \0"
    r" (?=a) (?!a) (?<=b) (?<!\d) (?!ab) (?<!ab) (?=\w)"
).split(" ")
TEXTS = ["", "a", "b", "ab", "abc", "aa", "a\n", "\n", "\r", "\u2028", "é", "٣", "1", "x-", "_"]
TEXTS += ["a&b", "a-", "~", "[", "]", "$", "^", "/", "\0", "\t", "\v", "\u017f", "\u212a", "\x85"]
TEXTS += ["\u00a0", "\ufeff", "\U0001f600", "a b", "aé", "A", "\x01", "a@b", "\ud800", "NaN"]
NUMBERS: list[Any] = [0, -0.0, 1, 1.0, -1, 2, 3, 0.1, 0.3, 0.5, 1.5, 1e-7, 1e300, 10**300, 10**400]
NUMBERS += [
    2**53,
    2**53 + 1,
    float(2**53),
    2**60,
    float(2**60),
    2**63,
    2**64,
    float(2**64),
    1e23,
    10**23,
]
NUMBERS += [float("inf"), -float("inf"), 1e16, 10**16, 1e308, 5e-324, 4.35]
TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"]
ANY: list[Any] = [
    *TEXTS,
    *NUMBERS,
    None,
    True,
    False,
    [],
    {},
    [1],
    [True],
    [[1.0]],
    {"a": 1},
    {"a": 1.0},
]


def main() -> int:
    """Run for some seconds and print each difference once, by the keywords of its schema."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    namespace = parser.parse_args()
    chance = random.Random(namespace.seed)
    if not native.NativeValidator({}).surely_allows(1):
        print("error: jsonschema-rs is not installed", file=sys.stderr)
        return 2
    seeds = list(_seeds())
    counts: Counter[str] = Counter()
    displayed: list[Any] = []
    start = time.monotonic()
    while time.monotonic() - start < namespace.seconds:
        faulthandler.dump_traceback_later(600, exit=True)  # nothing stops a library in Rust
        if counts["schemas"] % 4 == 0:
            schema = _mutate(chance, chance.choice(seeds))
        elif counts["schemas"] % 4 == 1:
            pattern = _pattern(chance)
            schema = chance.choice([{"pattern": pattern}, {"patternProperties": {pattern: False}}])
        else:
            schema = _made_up(chance)
        counts["schemas"] += 1
        try:
            if schemas.problem(schema) is None:
                _compare(chance, schema, counts, namespace.seed, displayed)
        except RecursionError:
            counts["too deep"] += 1
    faulthandler.cancel_dump_traceback_later()
    took = time.monotonic() - start
    print(
        f"{counts['schemas']} schemas in {took:.0f} s, {counts['valid']} valid,"
        f" {counts['native']} of them judged by jsonschema-rs; {counts['values']} values,"
        f" {counts['yes']} yes, {counts['no']} no, {counts['again']} no that are yes,"
        f" {counts['findings']} findings (seed {namespace.seed})"
    )
    return bool(counts["findings"])


def _compare(
    chance: random.Random, schema: Any, counts: Counter[str], seed: int, displayed: list[Any]
) -> None:
    counts["valid"] += 1
    judge = native.NativeValidator(schema)
    exact = schemas.SchemaValidator(schema)
    if dialect_translation.translate(schema) is None:
        return
    counts["native"] += 1
    for value in _values(chance, schema, counts):
        counts["values"] += 1
        before = time.thread_time()
        message = judge.surely_allows(value)
        if time.thread_time() - before > SLOW:
            _note("slow", schema, value, counts, seed)
        counts["yes" if message else "no"] += 1
        if not message and chance.random() > ASKED_AGAIN:
            continue
        with mock.patch.object(native.NativeValidator, "surely_allows", return_value=False):
            is_allowed = exact.allows(value)
        if message and not is_allowed:
            _note("wrong", schema, value, counts, seed)
        elif is_allowed and not message:
            counts["again"] += 1
            is_shown = schema in displayed or len(displayed) >= MOST_SHOWN
            if not is_shown and _is_read(schema) and _is_read(value):
                displayed.append(schema)
                print(f"a no that is a yes: {_brief(schema)}\n  {_brief(value)}", flush=True)


def _is_read(value: Any) -> bool:
    """Return True if jsonschema-rs is used for a value with such strings and numbers."""
    try:
        to_json(value)
    except ValueError:
        return False
    floats = [number for number in dialect_translation.numbers(value) if isinstance(number, float)]
    return all(abs(item) < dialect_translation.LARGEST for item in floats)


def _note(kind: str, schema: Any, value: Any, counts: Counter[str], seed: int) -> None:
    counts["findings"] += 1
    FOUND.mkdir(parents=True, exist_ok=True)
    file = FOUND / f"{seed}-{counts['findings']}.json"
    file.write_text(json.dumps([schema, value]))
    print(f"finding: {kind} yes: {_brief(schema)}\n  {_brief(value)}\n  {file}", flush=True)


def _brief(value: Any) -> str:
    return json.dumps(value)[:400]


def _seeds() -> Iterator[Any]:
    for path in sorted([*ROOT.glob("golden/*/contract.json"), *CORPUS.glob("live/*.json")]):
        try:
            document: Any = loads(path.read_bytes())
        except McpgenError:
            continue
        tools = document.get("tools") if isinstance(document, dict) else None
        listed = tools.values() if isinstance(tools, dict) else tools or []
        for tool in listed:
            for key in ("inputSchema", "outputSchema"):
                if isinstance(tool, dict) and isinstance(tool.get(key), dict):
                    yield tool[key]


def _mutate(chance: random.Random, schema: Any) -> Any:
    """Insert a random schema, a value or another subschema in some positions."""
    changed = {"": copy.deepcopy(schema)}
    for _ in range(chance.randint(0, 4)):
        holder, key = chance.choice(_places(changed))
        other = chance.choice(_places(changed))
        result = [
            lambda: _schema(chance, 2, chance.choice([*dialect_translation.KEYWORDS])),
            lambda: copy.deepcopy(chance.choice(ANY)),
            lambda other=other: copy.deepcopy(other[0][other[1]]),
        ]
        more = _schema(chance, 1, dialect_translation.LATEST)
        if isinstance(holder[key], dict) and isinstance(more, dict) and chance.random() < 0.6:
            holder[key].update(more)
        else:
            holder[key] = chance.choice(result)()
    return changed[""]


def _places(document: Any) -> list[tuple[Any, Any]]:
    results: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        value = waiting.pop()
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            results.append((value, key))
            if isinstance(value[key], dict | list):
                waiting.append(value[key])
    return results


def _size(value: Any, numbers: dict[int, int]) -> int:
    """Count all nested values. Examples share subvalues, so there may be 2**50."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in numbers:
        parts = value.values() if isinstance(value, dict) else value
        numbers[id(value)] = 1 + sum(_size(part, numbers) for part in parts)
    return numbers[id(value)]


def _made_up(chance: random.Random) -> Any:
    dialect = chance.choice([*dialect_translation.KEYWORDS, dialect_translation.LATEST])
    schema = _schema(chance, chance.choice([0, 0, 0, 1, 1, 2, 3]), dialect)
    if isinstance(schema, bool):
        return schema
    parts = {name: _schema(chance, level, dialect) for level, name in enumerate("abc")}
    return {"$schema": dialect, **schema, "$defs": parts, "definitions": parts}


def _schema(chance: random.Random, depth: int, dialect: str) -> Any:
    if chance.random() < 0.08:
        return chance.random() < 0.7
    if depth < 0:
        return {"type": chance.choice(TYPES)}
    node: dict[str, Any] = {}
    for _ in range(chance.choice([1, 1, 2, 2, 3, 4])):
        keyword = chance.choice(sorted(dialect_translation.KEYWORDS[dialect]) + OTHER)
        node[keyword] = _keyword(chance, keyword, depth - 1, dialect)
    for keyword, bound in zip(BOUNDS[2:], BOUNDS[:2], strict=True):
        if "draft-04" in dialect and keyword in node:
            node.setdefault(bound, chance.choice(NUMBERS))
    return node


OTHER = (
    "$ref $ref type properties items contentEncoding contentMediaType format default title $anchor"
    " $comment dependencies nullable divisibleBy $dynamicAnchor examples id $id $recursiveAnchor"
).split()
COUNTS = (
    "minItems maxItems minLength maxLength minProperties maxProperties minContains maxContains"
).split()
BOUNDS = "minimum maximum exclusiveMinimum exclusiveMaximum".split()
LISTS = "allOf anyOf oneOf prefixItems".split()
REFERENCES = ["#/$defs/a", "#/$defs/b", "#/definitions/a", "#/definitions/c", "#/$defs/c"]
RESOURCES = ["r", "s", "http://example.org/t"]
ANCHORS = ["n", "m"]
ADDRESSES = [*REFERENCES, "#", *RESOURCES, *(f"#{name}" for name in ANCHORS), "r#n", "s#/$defs/a"]


def _keyword(chance: random.Random, keyword: str, depth: int, dialect: str) -> Any:
    def schema() -> Any:
        return _schema(chance, depth, dialect)

    def names() -> list[str]:
        return chance.sample(NAMES, chance.randint(0, 2))

    def some(make: Callable[[], Any]) -> Any:
        return {name: make() for name in names()}

    value = copy.deepcopy(chance.choice(ANY))
    is_list = keyword == "items" and dialect != dialect_translation.LATEST and chance.random() < 0.5
    makers: dict[str, Callable[[], Any]] = {
        "$ref": lambda: chance.choice([chance.choice(REFERENCES), chance.choice(ADDRESSES)]),
        "$dynamicRef": lambda: chance.choice(["#n", chance.choice(ADDRESSES)]),
        "$recursiveRef": lambda: "#",
        "$recursiveAnchor": lambda: chance.random() < 0.7,
        "$id": lambda: chance.choice(RESOURCES),
        **dict.fromkeys(("$anchor", "$dynamicAnchor"), lambda: chance.choice(ANCHORS)),
        "type": lambda: chance.choice([chance.choice(TYPES), chance.sample(TYPES, 3)]),
        **dict.fromkeys(("const", "default"), lambda: value),
        **dict.fromkeys(
            ("enum", "examples"), lambda: copy.deepcopy([value, *chance.sample(ANY, 2)])
        ),
        **dict.fromkeys(COUNTS, lambda: chance.choice([0, 1, 2, 3, 1.0, 2**70])),
        **dict.fromkeys(BOUNDS, lambda: chance.choice(NUMBERS)),
        **dict.fromkeys(BOUNDS[2:] if "draft-04" in dialect else (), lambda: chance.random() < 0.7),
        "multipleOf": lambda: chance.choice([n for n in NUMBERS if n > 0]),
        **dict.fromkeys(("properties", "dependentSchemas"), lambda: some(schema)),
        "patternProperties": lambda: {p: schema() for p in chance.sample(PATTERNS, 2)},
        "required": names,
        "dependentRequired": lambda: some(names),
        "dependencies": lambda: some(chance.choice([names, schema])),
        "uniqueItems": lambda: chance.random() < 0.9,
        "pattern": lambda: chance.choice(PATTERNS),
        **dict.fromkeys(LISTS, lambda: [schema() for _ in range(chance.randint(1, 3))]),
    }
    if is_list:
        return [schema(), schema()]
    if keyword in OTHER and keyword not in makers:
        return chance.choice(["base64", "json", "date", "email", "a"])
    return makers.get(keyword, schema)()


def _pattern(chance: random.Random) -> str:
    atoms = (
        chance.choice(ATOMS) + chance.choice(["", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}?"])
        for _ in range(chance.randint(1, 4))
    )
    return chance.choice(["", "^"]) + "".join(atoms) + chance.choice(["", "$"])


def _values(chance: random.Random, schema: Any, counts: Counter[str]) -> Iterator[Any]:
    result: list[Any] = []
    values = [*ANY, *_alike(schema)]
    if chance.random() < EXAMPLE:
        try:
            example = examples.example(schema, chance.randrange(10**6))
        except Exception:  # another script's finding, if any
            counts["no example"] += 1
        else:
            if _size(example, {}) <= LARGEST:
                result.append(example)
    for _ in range(VALUES_EACH):
        holder = {"": copy.deepcopy(chance.choice([*result, _value(chance, 3, values)]))}
        for _ in range(chance.randint(0, 3)):
            holder_, key = chance.choice(_places(holder))
            holder_[key] = _value(chance, 1, values)
            if isinstance(holder_, dict) and key and chance.random() < 0.3:
                holder_[chance.choice(NAMES)] = holder_.pop(key)
        yield holder[""]
    yield from result


def _alike(schema: Any) -> Iterator[Any]:
    """Yield values close to the numbers of a schema, more often than other values."""
    for number in [*dialect_translation.numbers(schema)] * 5:
        if isinstance(number, int) and abs(number) < 10**300:
            yield from (number, number + 1, float(number))
        elif isinstance(number, float) and abs(number) < float("inf"):
            yield from (number, int(number), -number)


def _value(chance: random.Random, depth: int, values: list[Any]) -> Any:
    way = chance.random()
    if depth == 0 or way < 0.5:
        return copy.deepcopy(chance.choice(values))
    if way < 0.75:
        return [_value(chance, depth - 1, values) for _ in range(chance.randint(0, 3))]
    return {chance.choice([*NAMES, *TEXTS]): _value(chance, depth - 1, values) for _ in range(3)}


if __name__ == "__main__":
    sys.exit(main())
