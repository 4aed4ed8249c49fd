"""Large values, valid and with one fault: the verdict and its CPU time.

With --pure it runs without jsonschema-rs. Times are for one verdict, and ratios are relative to
jsonschema-rs alone. The exponent describes how time grows between the smallest and the largest
size. The last table has the time to read a recursive union of objects.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import large_schemas
from large_schemas import Case, items

from mcpgen.jsontext import Json


def tagged(number: int) -> Json:
    members = {"kind": {"const": f"k{number}"}, f"p{number}": {"type": "string"}}
    return {"type": "object", "properties": members, "required": ["kind"]}


def untagged(number: int) -> Json:
    name = f"p{number}"
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


PLAIN: Json = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
CASES: dict[str, Case] = {
    "plain objects": items(PLAIN, lambda n: {"a": n}, {"a": "x"}),
    "any of 10 tagged, none unevaluated": items(
        {"anyOf": [tagged(n) for n in range(10)], "unevaluatedProperties": False},
        lambda n: {"kind": f"k{n % 10}"},
        {"kind": "k1", "z": 1},
    ),
    "all of 2, none unevaluated": items(
        {"allOf": [untagged(0), untagged(1)], "unevaluatedProperties": False},
        lambda _: {"p0": "x", "p1": "y"},
        {"p0": "x", "p1": "y", "z": 1},
    ),
    "one of 50 tagged": items(
        {"oneOf": [tagged(n) for n in range(50)]},
        lambda n: {"kind": f"k{n % 50}"},
        {"kind": "none"},
    ),
    "any of 50, told apart by members": items(
        {"anyOf": [untagged(n) for n in range(50)]},
        lambda n: {f"p{n % 50}": "x"},
        {"p1": 1},
    ),
    "one of 10,000 values": items(
        {"enum": [f"v{n}" for n in range(10_000)]},
        lambda n: f"v{n % 10_000}",
        "w",
    ),
    "look-ahead at the start": items(
        {"pattern": r"^(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{8,}$"},
        lambda n: f"Abcdefg{n}",
        "abcdefgh1",
    ),
    "look-ahead inside": items(
        {"pattern": r"[a-z]+(?=\d)(?!9)\d+"},
        lambda n: f"abcdefg{n % 8}",
        "abcdefg9",
    ),
    "Unicode pattern": items({"pattern": r"^\p{L}+$"}, lambda _: "\u00e4bc", "9"),
    **large_schemas.CASES,
}


def verdict(schema: Json, value: Any, *, expected: bool) -> tuple[float, str]:
    """Return the CPU seconds of a verdict, and whether it is right."""
    from mcpgen_runtime.validation.keywords import native
    from mcpgen_runtime.validation.regexes import patterns

    from mcpgen.schemas.validation.schemas import SchemaValidator

    judge, validator = native.NativeValidator(schema), SchemaValidator(schema)
    began = time.thread_time()
    try:
        problems = judge.problems_of_large(value)
        errors = validator.errors(value, 1) if problems is None else problems
        outcome = "right" if (not errors) == expected else "WRONG"
    except (patterns.ExhaustedError, RecursionError):
        outcome = "too expensive"
    return time.thread_time() - began, outcome


def native_seconds(schema: Json, value: Any) -> float:
    """Return the CPU seconds that jsonschema-rs takes for a valid value, 0.0 without it."""
    try:
        import jsonschema_rs
    except ImportError:
        return 0.0
    validator = jsonschema_rs.validator_for(schema)
    began = time.thread_time()
    validator.is_valid(value)
    return time.thread_time() - began


def values(sizes: list[int], only: str) -> None:
    print("| values | size | valid, s | ratio | one fault, s | verdicts | exponent |")
    print("|---|---:|---:|---:|---:|---|---:|")
    for name, case in CASES.items():
        times: list[float] = []
        verdict(case.schema, case.valid(10), expected=True)  # loads the needed modules
        for size in [item for item in sizes if item <= case.max_size] if only in name else ():
            value = case.valid(size)
            good, first = verdict(case.schema, value, expected=True)
            ratio = good / max(native_seconds(case.schema, value), 1e-6)
            wrong, second = verdict(case.schema, case.spoil(value), expected=False)
            times.append(good)
            growth = max(times[-1], 1e-6) / max(times[0], 1e-6)
            exponent = math.log(growth) / math.log(size / sizes[0]) if size > sizes[0] else 1.0
            outcome = first if first == second else f"{first}, {second}"
            print(
                f"| {name} | {size:,} | {good:.3f} | {ratio:.1f} | {wrong:.3f} | {outcome} "
                f"| {exponent:.2f} |",
                flush=True,
            )


def filters() -> None:
    """Time the reading of a filter of `and` and `or` by generated classes."""
    from mcpgen.codegen.pipeline import Options, generate
    from mcpgen.contract.document import Contract

    item = {"type": "array", "items": {"$ref": "#/$defs/E"}}
    branches: list[Json] = [
        {"type": "object", "properties": {"num": {"type": "number"}}, "required": ["num"]}
    ]
    for name in ("and", "or"):
        members = {"op": {"const": name}, "args": item}
        branches.append({"type": "object", "properties": members, "required": ["op", "args"]})
    schema: Json = {
        "type": "object",
        "properties": {"e": {"$ref": "#/$defs/E"}},
        "$defs": {"E": {"anyOf": branches}},
    }
    tool = {"name": "find", "inputSchema": {"type": "object"}, "outputSchema": schema}
    print("\n| levels | ms |\n|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        package = generate(Contract(tools={"find": tool}), Options("filters"))
        for path, text in package.files.items():
            target = Path(folder, "filters", path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        sys.path.insert(0, folder)
        adapter: Any = __import__("filters.models.find", fromlist=["TOOL"]).TOOL.result
        for levels in (16, 32, 64):
            value: Json = {"num": 1}
            for level in range(levels):
                value = {"op": "and" if level % 2 else "or", "args": [value]}
            adapter.validate_python({"e": value})
            began = time.perf_counter()
            adapter.validate_python({"e": value})
            print(f"| {levels} | {(time.perf_counter() - began) * 1000:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--only", default="", help="only the cases whose name contains this")
    parser.add_argument("--pure", action="store_true", help="without jsonschema-rs")
    options = parser.parse_args()
    if options.pure:
        sys.modules["jsonschema_rs"] = None  # type: ignore[assignment]
    print(json.dumps({"jsonschema-rs": not options.pure}))
    values(options.sizes, options.only)
    filters()


if __name__ == "__main__":
    main()
