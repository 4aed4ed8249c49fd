"""Mutates contracts at random and checks that each is rejected or becomes a sound package.

    python scripts/fuzz.py --seconds 60 --seed 1

The seeds are the golden contracts and, if present, the corpus of recorded servers. Findings are
exceptions other than ``McpgenError``, definitions lost to a fault of mcpgen, invalid Python, output
rejected by the guard, nondeterministic output and, in a sample, packages that can't be imported.
Every third contract also becomes a server, and every third is compared with its original. Findings
are stored in `.cache/fuzz`: the contract before and after the mutation.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mcpgen import compare
from mcpgen.codegen import allowlist
from mcpgen.codegen.pipeline import STYLES, Generated, Options, generate
from mcpgen.codegen.server_pipeline import ServerOptions, generate_server
from mcpgen.contract.document import Contract, read
from mcpgen.errors import McpgenError, Notice
from mcpgen.isolation import FAILURE
from mcpgen.jsontext import loads

ROOT = Path(__file__).resolve().parent.parent
_LARGE = ROOT.parent / "shared" / "corpus"
_SMALL = ROOT / "tests" / "support" / "corpus"
CORPUS = Path(os.environ.get("MCPGEN_CORPUS") or (_LARGE if _LARGE.is_dir() else _SMALL))
FOUND = ROOT / ".cache" / "fuzz"
MOST_TOOLS = 6
SLOWEST = 10.0
IMPORT_EVERY = 150

KEYWORDS = (
    "type enum const properties required additionalProperties patternProperties items"
    " propertyNames prefixItems additionalItems contains minItems maxItems uniqueItems minLength"
    " maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf allOf anyOf"
    " oneOf not if then else"
    " $ref $dynamicRef $id $anchor $dynamicAnchor $schema $defs definitions default format title"
    " description dependentSchemas dependentRequired dependencies unevaluatedProperties examples"
    " unevaluatedItems minProperties maxProperties deprecated nullable x-fastmcp-wrap-result"
).split()
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.0, 1.5, -0.0, 1e300, 2**53, 2**64, 10**400, "", "x", [], {}),
    *("object", "array", "string", "integer", "number", "null", "boolean", "#", "#/", "#/$defs/a"),
    *("#/properties/a", "#a", "http://[::1", "file:///etc/passwd", "^(a+)+$", "[", "\ud800", "\0"),
    *([""], [1], ["string", "null"], [{}], {"": {}}, {"a": {"$ref": "#"}}, {"type": "object"}),
    *({"$ref": "#"}, {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, {"anyOf": [{}, {"$ref": "#"}]}),
    *("http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema#"),
]


def main() -> int:
    """Run for some seconds and print each finding once, by the place that it comes from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    namespace = parser.parse_args()
    chance = random.Random(namespace.seed)
    seeds, args = _seeds(), _words()
    findings: dict[str, str] = {}
    counts: Counter[str] = Counter()
    start = time.monotonic()
    while time.monotonic() - start < namespace.seconds:
        before = _seed(chance, seeds)
        document = _mutate(chance, before, args)
        counts["cases"] += 1
        problem = _check(before, document, STYLES[counts["cases"] % 3], counts)
        if problem and problem not in findings:
            FOUND.mkdir(parents=True, exist_ok=True)
            file = FOUND / f"{namespace.seed}-{len(findings)}.json"
            file.write_text(json.dumps([before, document]))
            findings[problem] = str(file)
            print(f"finding: {problem}\n  {file}", flush=True)
    took = time.monotonic() - start
    print(
        f"{counts['cases']} cases in {took:.0f} s, {counts['cases'] / took:.1f} cases/s:"
        f" {counts['generated']} generated, {counts['refused']} refused,"
        f" {counts['imported']} imported, {counts['servers']} servers, {counts['compared']}"
        f" compared, {len(findings)} findings (seed {namespace.seed})"
    )
    return bool(findings)


def _seeds() -> list[Any]:
    paths = [*ROOT.glob("golden/*/contract.json"), *CORPUS.glob("live/*.json")]
    results: list[Any] = []
    for path in sorted(paths):
        try:
            results.append(read(loads(path.read_bytes())).document())
        except McpgenError:
            continue
    return results


def _words() -> list[str]:
    payloads: dict[str, str] = json.loads(
        (ROOT / "tests/support/hostile/payloads.json").read_text("utf-8")
    )
    return [text for text in payloads.values() if len(text) < 400]


def _seed(chance: random.Random, seeds: list[Any]) -> Any:
    """Return a subset of a contract, to keep each case quick."""
    document = dict(chance.choice(seeds))
    for part in ("tools", "prompts", "resources", "resourceTemplates"):
        entries = document.get(part) or {}
        chosen = chance.sample(sorted(entries), min(MOST_TOOLS, len(entries)))
        document[part] = {name: entries[name] for name in chosen}
    return document


def _mutate(chance: random.Random, before: Any, args: list[str]) -> Any:
    document = copy.deepcopy(before)
    for _ in range(chance.randint(1, 8)):
        _change(chance, document, args)
    return document


def _change(chance: random.Random, document: Any, args: list[str]) -> None:
    positions = [
        position for position in _places(document) if position[1] not in ("format", "sha256")
    ]
    holder, key = chance.choice(positions)
    other = chance.choice(positions)
    way = chance.randrange(7)
    if way == 0:
        holder[key] = copy.deepcopy(chance.choice(VALUES))
    elif way == 1:
        holder[key] = chance.choice(args)
    elif way == 2:
        holder[key] = copy.deepcopy(other[0][other[1]])
    elif way == 3 and isinstance(holder, dict):
        value = holder.pop(key)
        holder[chance.choice([*args, *KEYWORDS])] = value
    elif way == 4 and isinstance(holder, dict):
        holder[chance.choice(KEYWORDS)] = copy.deepcopy(chance.choice([*VALUES, other[0]]))
    elif way == 5 and len(holder) > 1:
        del holder[key]
    else:
        value = holder[key]
        holder[key] = [value] if chance.random() < 0.3 else {chance.choice(KEYWORDS): value}


def _places(document: Any) -> list[tuple[Any, Any]]:
    results: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        value = waiting.pop()
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            results.append((value, key))
            if isinstance(value[key], dict | list):
                waiting.append(value[key])
    return results


def _check(before: Any, document: Any, style: Any, counts: Counter[str]) -> str:
    """Generate once or twice. Returns a one-line problem, or ""."""
    signal.signal(signal.SIGVTALRM, _late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SLOWEST)  # a busy machine doesn't count
    try:
        contract = read(document)
        package = generate(contract, Options(style=style))
        counts["generated"] += 1
        _whole(package.notices)
        _check_files(package.files)
        _check_rest(contract, before, counts)
        if counts["cases"] % 10 == 0:
            again = generate(read(json.loads(json.dumps(document))), Options(style=style))
            if again != package:
                return "another run gave another package"
    except McpgenError as error:
        counts["refused"] += 1
        return str(error) if "report this contract" in error.hint else ""
    except LostError as error:
        return str(error)
    except Exception as error:  # any exception is a finding
        at = traceback.extract_tb(error.__traceback__)
        ours = next((f for f in reversed(at) if "mcpgen" in f.filename), at[-1])
        return f"{type(error).__name__} at {Path(ours.filename).name}:{ours.name}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return _import_package(package, counts) if counts["generated"] % IMPORT_EVERY == 1 else ""


class LostError(Exception):
    """A definition that mcpgen failed on. It affects no other definition, but is a finding."""


def _whole(notices: Sequence[Notice]) -> None:
    for notice in notices:
        if notice.kind == FAILURE:
            raise LostError(notice.reason)


def _check_files(files: Mapping[str, str]) -> None:
    for path, text in files.items():
        text.encode("utf-8")
        if path.endswith(".py"):
            allowlist.check(ast.parse(text), path)


def _check_rest(contract: Contract, before: Any, counts: Counter[str]) -> None:
    """Generate a server, or compare the contract with its original."""
    turn = counts["cases"] // 3 % 3
    if turn == 1:
        server = generate_server(contract, ServerOptions(standalone=False))
        _whole(server.notices)
        _check_files(server.generated)
        for path, text in server.own.items():
            if path.endswith(".py"):
                ast.parse(text)
        counts["servers"] += 1
    elif turn == 2:
        for old, new in ((read(before), contract), (contract, read(before))):
            if changes := [change for change in compare.compare(old, new) if change.rule == "U03"]:
                raise LostError(f"not compared: {changes[0].subject}")
        counts["compared"] += 1


def _late(number: int, frame: Any) -> None:
    del number, frame
    raise TimeoutError


def _import_package(package: Generated, counts: Counter[str]) -> str:
    counts["imported"] += 1
    with tempfile.TemporaryDirectory() as folder:
        for name, text in package.files.items():
            file = Path(folder) / package.package / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        code = f"import {package.package} as p\nfor n in p.__all__: getattr(p, n)"
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
        )
        last = run.stderr.strip().splitlines()[-1:]
        return f"it cannot be imported: {last[0][:200]}" if last else ""


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    sys.exit(main())
