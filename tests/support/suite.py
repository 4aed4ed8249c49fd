"""The JSON Schema Test Suite from jsonschema's source distribution, as tools of a server."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import archives

from mcpgen.jsontext import Json

DIALECTS = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
}
OLD_DIALECTS = {
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft3": "http://json-schema.org/draft-03/schema#",
}
FORMATS = ("date", "date-time", "uuid", "uri")
"""The optional formats that become Python types."""

NO_ASSERTIONS = {
    "draft2020-12": {"dependencies-compatibility"},
    "draft2019-09": {"dependencies-compatibility"},
    "draft7": {"content"},
}
"""What is optional and not done, as docs/guarantees.md says: there every instance is valid."""

_NAMES = tuple("$id id $anchor $dynamicAnchor $dynamicRef $recursiveRef $vocabulary".split())
_REMOTE = "http://localhost:1234/"


@dataclass(frozen=True)
class Case:
    """A schema of the suite with its instances: ``(description, data, valid)``."""

    draft: str
    keyword: str
    description: str
    schema: Json
    tests: tuple[tuple[str, Json, bool], ...]

    @property
    def name(self) -> str:
        """The name in the list of exceptions."""
        return f"{self.draft}/{self.keyword}: {self.description}"


def fetch(cache: Path) -> Path:
    """Download the source distribution once and return the folder with the suite's tests."""
    release = version("jsonschema")
    folder = cache / f"jsonschema-{release}"
    tests = folder / "json" / "tests"
    if not tests.is_dir():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        args = [
            "--no-binary",
            "jsonschema",
            f"jsonschema=={release}",
            "-d",
            str(cache),
        ]
        subprocess.run([*pip, *args], check=True, capture_output=True)
        archives.unpack(cache / f"{folder.name}.tar.gz", cache)
    return tests


def cases(tests: Path, draft: str) -> Iterator[Case]:
    """Yield all groups of a draft, including the supported optional formats."""
    required = sorted((tests / draft).glob("*.json"))
    optional = sorted((tests / draft / "optional").glob("*.json"))
    formats = [tests / draft / "optional" / "format" / f"{name}.json" for name in FORMATS]
    annotations = [
        *formats,
        *(f for f in optional if f.stem in NO_ASSERTIONS.get(draft, ())),
    ]
    for file in [*required, *optional, *(file for file in formats if file.exists())]:
        for group in json.loads(file.read_text("utf-8")):
            messages = tuple((t["description"], t["data"], t["valid"]) for t in group["tests"])
            if file in annotations:
                # Every instance is valid, and none may be changed.
                messages = tuple((description, data, True) for description, data, _ in messages)
            kind = {"format": "format: ", "optional": "optional: "}.get(file.parent.name, "")
            yield Case(draft, f"{kind}{file.stem}", group["description"], group["schema"], messages)


def is_remote(case: Case) -> bool:
    """Return True if a schema refers to another document of the suite."""
    addresses = list(_addresses(case.schema, ""))
    own = {address for keyword, address in addresses if keyword == "$id"}
    targets = {address for keyword, address in addresses if keyword != "$id"}
    return any(address.startswith(_REMOTE) and address not in own for address in targets)


def _addresses(value: Json, base: str) -> Iterator[tuple[str, str]]:
    """Yield each ``$id``, ``$ref`` and ``$schema``, made absolute, without its fragment."""
    if isinstance(value, dict) and isinstance(value.get("$id"), str):
        base = urljoin(base, value["$id"])
        yield "$id", base.partition("#")[0]
    for key, inner in value.items() if isinstance(value, dict) else enumerate(_items(value)):
        if key in ("$ref", "$schema") and isinstance(inner, str):
            yield str(key), urljoin(base, inner).partition("#")[0]
        else:
            yield from _addresses(inner, base)


def _items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def as_property(case: Case) -> Json:
    """Return an object schema whose member ``value`` is the case's schema."""
    dialect = DIALECTS[case.draft]
    root: dict[str, Any] = {"$schema": dialect, "type": "object", "required": ["value"]}
    schema = copy.deepcopy(case.schema)
    if isinstance(schema, dict):
        schema.pop("$schema", None)
        if _is_movable(schema):
            root |= {key: schema.pop(key) for key in ("$defs", "definitions") if key in schema}
        else:
            schema = _with_base(schema)
    return {**root, "properties": {"value": schema}}


def as_root(case: Case) -> Json:
    """Return the case's schema with its dialect, usable as a root."""
    if not isinstance(case.schema, dict):
        return case.schema
    return {"$schema": (DIALECTS | OLD_DIALECTS)[case.draft], **case.schema}


def _is_movable(schema: Json) -> bool:
    """Return True if references stay valid when definitions move to the root."""
    if any(name in node for node in _nodes(schema) for name in _NAMES):
        return False
    refs = [node["$ref"] for node in _nodes(schema) if isinstance(node.get("$ref"), str)]
    return all(ref.startswith(("#/$defs/", "#/definitions/")) for ref in refs)


def _with_base(schema: Json) -> Json:
    """Give a schema its own `$id`, so that its references are relative to it."""
    if "$id" in schema:
        return schema
    if "$ref" in schema:  # which in draft-07 would hide the address
        stored = {key: schema.pop(key) for key in ("$defs", "definitions") if key in schema}
        schema = {**stored, "allOf": [schema]}
    return {"$id": "https://example.test/case", **schema}


def _nodes(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else _items(value):
        yield from _nodes(inner)
