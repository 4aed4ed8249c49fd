"""The contract: what a server offers, raw, as it was recorded, with its hashes.

One JSON document a server, made to be committed: sorted, tools keyed by name, free of dates,
host paths and secrets. The layout is described by ``schema/contract/contract.schema.json``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeAlias, TypeGuard

from mcpgen.errors import ContractError, Notice

Json: TypeAlias = Any
"""A JSON value as :func:`json.loads` returns it."""


def is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    """Say whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: Json) -> TypeGuard[list[Json]]:
    """Say whether a JSON value is an array."""
    return isinstance(value, list)


FORMAT = "mcpgen-contract/1"

MAX_DEPTH = 256
"""How deep a definition may be nested; Python itself reads no more than some 900 levels."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What one server offers, as recorded; every value in it is the server's own JSON.

    ``tools`` and ``prompts`` are keyed by name, ``resources`` by URI, ``resource_templates`` by
    URI template; each holds the raw definition. ``origin`` says how to reach the server again,
    without secrets. ``names`` pins Python names that a later tool would otherwise have changed.
    """

    tools: Mapping[str, Mapping[str, Json]]
    revision: str = ""
    server: Mapping[str, Json] = field(default_factory=dict[str, Json])
    capabilities: Mapping[str, Json] = field(default_factory=dict[str, Json])
    client_capabilities: Mapping[str, Json] = field(default_factory=dict[str, Json])
    instructions: str = ""
    origin: Mapping[str, Json] = field(default_factory=dict[str, Json])
    prompts: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Json])
    resources: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Json])
    resource_templates: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Json])
    names: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        """Sort the members of every object, so that nothing depends on the order they came in."""
        for part in fields(self):
            object.__setattr__(self, part.name, _sorted(getattr(self, part.name)))

    def document(self) -> dict[str, Json]:
        """Return the JSON document that is written to disk; empty parts are left out."""
        parts: dict[str, Json] = {
            "format": FORMAT,
            "revision": self.revision,
            "server": self.server,
            "capabilities": self.capabilities,
            "clientCapabilities": self.client_capabilities,
            "instructions": self.instructions,
            "origin": self.origin,
            "tools": {name: _pinned(raw) for name, raw in self.tools.items()},
            "prompts": self.prompts,
            "resources": self.resources,
            "resourceTemplates": self.resource_templates,
            "names": self.names,
        }
        return {key: value for key, value in parts.items() if value or key in ("format", "tools")}

    def text(self) -> str:
        """Return the document as the bytes on disk hold it: sorted, two spaces, one newline."""
        return dumps(self.document())

    def digest(self) -> str:
        """Return the SHA-256 of the whole contract, for the header of generated files."""
        return sha256(self.document())


def _sorted(value: Json) -> Json:
    if said := flaw(value, MAX_DEPTH + 1):
        raise ContractError(f"no contract can be made of this: {said}")
    return json.loads(json.dumps(value, sort_keys=True))


def flaw(value: Json, levels: int = MAX_DEPTH) -> str:
    """Say why a value cannot be a part of a contract, ``""`` if it can."""
    if _is_deeper(value, levels):
        return f"it is nested more than {levels} levels deep"
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return "it holds a number that JSON cannot (NaN or Infinity)"
    return ""


def _is_deeper(value: Json, levels: int) -> bool:
    layer = [value]
    for _ in range(levels + 1):
        # All of one level at a time: neither recursion nor a counter for each value.
        objects = [inner for each in layer if is_object(each) for inner in each.values()]
        layer = objects + [inner for each in layer if is_array(each) for inner in each]
        if not layer:
            return False
    return True


def _pinned(raw: Mapping[str, Json]) -> dict[str, Json]:
    return {"definition": raw, "sha256": sha256(raw)}


def loads(text: str | bytes, where: str = "") -> Json:
    """Parse JSON, refusing what JSON does not allow (``NaN``, duplicate members stay the last)."""
    try:
        return _loads(text)
    except (ValueError, RecursionError) as error:
        detail = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ContractError(
            f"this is not JSON: {detail}", where, "check the file, or record the server again"
        ) from None


def _loads(text: str | bytes) -> Json:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        readable = text if isinstance(text, str) else _decoded(text)
        return json.loads(_pruned(readable), parse_constant=_refuse_constant)


def _decoded(text: bytes) -> str:
    return text.decode(json.detect_encoding(text), "surrogatepass")


_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def _pruned(text: str) -> str:
    """Cut what is nested so deeply that Python cannot read it; what is left is too deep still."""
    kept: list[str] = []
    depth = start = 0
    for token in _BRACKETS.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth == MAX_DEPTH + 20:
                kept.append(text[start : token.start()] + "null")
        elif token[0] in "]}":
            depth -= 1
            if depth == MAX_DEPTH + 19:
                start = token.end()
    return "".join([*kept, text[start:]])


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a JSON number")


def read(document: Json, where: str = "") -> Contract:
    """Make a contract of a parsed document: ours, or any shape of ``tools/list`` answer.

    Understood are the contract itself, ``{"tools": [...]}`` with or without the other lists, a
    JSON-RPC response with such a ``result``, and a bare list of tools. Entries that are no
    tool at all, or have a :func:`flaw`, are left out; :func:`mcpgen.api.parse` reports on the
    rest.
    """
    document = _lists(document)
    if not is_object(document) or not isinstance(document.get("tools"), list | dict):
        raise ContractError(
            "this is neither a contract nor a tools/list answer",
            where,
            'expected a JSON object with "tools"; record one with: mcpgen record <server>',
        )
    known = document
    if known.get("format", FORMAT) != FORMAT:
        raise ContractError(
            f"the contract has the format {known['format']!r}; this version reads {FORMAT!r}",
            f"{where}#/format" if where else "/format",
            "upgrade mcpgen, or record the server again",
        )
    return Contract(
        tools=_keyed(known["tools"], "name"),
        revision=_string(known, "revision") or _string(known, "protocolVersion"),
        server=_object(known, "server") or _object(known, "serverInfo"),
        capabilities=_object(known, "capabilities"),
        client_capabilities=_object(known, "clientCapabilities"),
        instructions=_string(known, "instructions"),
        origin=_object(known, "origin"),
        prompts=_keyed(known.get("prompts"), "name"),
        resources=_keyed(known.get("resources"), "uri"),
        resource_templates=_keyed(known.get("resourceTemplates"), "uriTemplate"),
        names={k: v for k, v in _object(known, "names").items() if isinstance(v, str)},
    )


def _lists(document: Json) -> Json:
    """Take the lists out of what a dump may wrap them in."""
    if is_array(document):
        return {"tools": document}
    inner = document.get("result") if is_object(document) else None
    return inner if is_object(inner) else document


_KEYS = {"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}
_WANTED: tuple[tuple[str, str, tuple[type[object], ...]], ...] = (
    *((member, "a list", (list, dict)) for member in _KEYS),
    *((name, "an object", (dict,)) for name in ("server", "serverInfo", "capabilities")),
    ("instructions", "a text", (str,)),
)


def left_out(document: Json) -> list[Notice]:
    """Say what of a dump :func:`read` leaves out."""
    lists = _lists(document)
    if not is_object(lists):
        return []
    found = [
        Notice(f"/{member}", f"{said} is needed; left out", "no entry")
        for member, said, kinds in _WANTED
        if not isinstance(lists.get(member), (*kinds, type(None)))
    ]
    for member, key in _KEYS.items():
        seen: set[str] = set()
        for place, entry in _entries(lists.get(member)):
            name = entry.get(key) if is_object(entry) else None
            if not isinstance(name, str):
                said = f"an object with the text {key!r} is needed; left out"
                found.append(Notice(f"/{member}/{place}", said, "no entry"))
                continue
            at = f"/{member}/{name.replace('~', '~0').replace('/', '~1')}"
            if said := flaw(entry):
                found.append(Notice(at, f"{said}; left out", "no entry"))
            elif name in seen:
                found.append(Notice(at, "listed twice; the first one is kept", "duplicate"))
            else:
                seen.add(name)
    return found


def _string(document: Mapping[str, Json], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""


def _object(document: Mapping[str, Json], key: str) -> dict[str, Json]:
    value = document.get(key)
    return value if is_object(value) else {}


def _keyed(entries: Json, key: str) -> dict[str, Mapping[str, Json]]:
    """Key definitions by name, sorted; of two with one name the first is kept."""
    found: dict[str, Mapping[str, Json]] = {}
    for entry in _definitions(entries):
        name = entry.get(key)
        if isinstance(name, str) and not flaw(entry):
            found.setdefault(name, entry)
    return dict(sorted(found.items()))


def _definitions(entries: Json) -> Iterable[dict[str, Json]]:
    return (entry for _, entry in _entries(entries) if is_object(entry))


def _entries(entries: Json) -> Iterator[tuple[str | int, Json]]:
    """Yield what a list has, or what its definitions are, by their place in it."""
    pairs: Json = [*entries.items()] if is_object(entries) else []
    for at, value in [*enumerate(entries)] if is_array(entries) else pairs:
        place = at.replace("~", "~0").replace("/", "~1") if isinstance(at, str) else at
        yield place, value.get("definition", value) if is_object(value) else value


# Invisible and reordering characters stay escaped, so that a reviewer sees them in a diff.
_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def dumps(value: Json) -> str:
    """Return a JSON document as committed: sorted, two spaces, hidden characters escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    return _HIDDEN.sub(lambda match: _escaped(match[0]), text) + "\n"


@cache
def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1]


_SURROGATE = re.compile("[\ud800-\udfff]")


def sha256(value: Json) -> str:
    """Return the SHA-256 over the RFC 8785 canonical form of a JSON value, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()


def canonical(value: Json) -> bytes:
    """Return the RFC 8785 form: numbers are doubles there, so larger integers are rounded."""
    try:
        simple = json.dumps(
            _simplified(value), ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )
        return simple.encode()
    except (_Unclear, UnicodeEncodeError):
        import rfc8785

        return rfc8785.dumps(_encodable(value))


class _Unclear(Exception):
    """A value that the standard library would write in another way than RFC 8785 wants it."""


def _simplified(value: Json) -> Json:
    """Return a value that the standard library, which is much faster, writes as RFC 8785 does."""
    if is_object(value):
        if not all(map(str.isascii, value)):  # else sorted by their UTF-16 units
            raise _Unclear
        return {key: _simplified(item) for key, item in value.items()}
    if is_array(value):
        return [_simplified(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if abs(value) >= 2**53 or "e" in repr(value):
        raise _Unclear
    return int(value) if value == int(value) else value


def _encodable(value: Json) -> Json:
    if is_object(value):
        return {_encodable(k): _encodable(v) for k, v in value.items()}
    if is_array(value):
        return [_encodable(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return float(value) if abs(value) < 10**308 else str(value)
    if isinstance(value, str) and _SURROGATE.search(value):
        return value.encode("utf-8", "backslashreplace").decode()
    return value
