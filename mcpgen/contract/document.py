"""The contract: the recorded definitions of a server, unchanged, and their hashes.

A contract is one JSON document per server, made to be committed: sorted, with tools keyed by name,
without dates, host paths and secrets. The server's own order of a list is recorded separately, if
it differs. ``schema/contract/contract.schema.json`` describes the format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from mcpgen.contract.lists import LISTINGS
from mcpgen.errors import ContractError, Notice
from mcpgen.isolation import FAILURE, DefinitionKey, reason, surviving
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import MAX_DEPTH, Json, dumps, flaw, in_order, is_array, is_object, sha256

_LISTED = frozenset(listing.attribute for listing in LISTINGS)
FORMAT = "mcpgen-contract/1"
LISTS = {listing.member: listing.attribute for listing in LISTINGS}
"""The lists of a server: JSON name to attribute of :class:`Contract`."""


@dataclass(frozen=True, slots=True)
class Contract:
    """The recorded definitions of a server, as its own JSON.

    ``tools`` and ``prompts`` are keyed by name, ``resources`` by URI, ``resource_templates`` by URI
    template. ``origin`` describes how to reach the server, without secrets. ``names`` pins Python
    names that another tool could change, ``classes`` pins names of shared classes by a JSON
    pointer. ``tool_capabilities`` maps tools to the client capabilities without which the server
    doesn't list them. ``order`` has the keys of each list that the server sends unsorted. A list
    without an entry is sorted. Not part of the document: ``untyped`` names tools whose schemas are
    ignored, ``observed`` has the entries of an observed file.
    """

    tools: Mapping[str, Mapping[str, Json]]
    revision: str = ""
    server: Mapping[str, Json] = field(default_factory=dict[str, Json])
    capabilities: Mapping[str, Json] = field(default_factory=dict[str, Json])
    client_capabilities: Mapping[str, Json] = field(default_factory=dict[str, Json])
    tool_capabilities: Mapping[str, Sequence[str]] = field(
        default_factory=dict[str, "Sequence[str]"]
    )
    instructions: str = ""
    origin: Mapping[str, Json] = field(default_factory=dict[str, Json])
    prompts: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Json])
    resources: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Json])
    resource_templates: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Json])
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    classes: Mapping[str, str] = field(default_factory=dict[str, str])
    order: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    untyped: frozenset[str] = frozenset()
    observed: Mapping[str, Mapping[str, Json]] = field(default_factory=dict[str, Json])

    def __post_init__(self) -> None:
        """Sort the properties of every object. Only ``order`` preserves the server's order."""
        object.__setattr__(self, "order", self._order())
        for part in fields(self):
            value = getattr(self, part.name)
            if part.name in _LISTED:
                object.__setattr__(self, part.name, _sorted_list(value))
            elif part.name not in ("untyped", "observed"):
                object.__setattr__(self, part.name, _sort(value, MAX_DEPTH + 1))

    def _order(self) -> dict[str, list[str]]:
        order: dict[str, list[str]] = {}
        for member, part in LISTS.items():
            entries: Mapping[str, Json] = getattr(self, part)
            ordered = [key for key in self.order.get(member, entries) if key in entries]
            keys = list(dict.fromkeys([*ordered, *sorted(entries)]))
            if keys != sorted(entries):
                order[member] = keys
        return order

    def definitions_in_order(self, member: str) -> list[Mapping[str, Json]]:
        """Return the definitions of a list, such as ``tools``, in the server's order."""
        entries: Mapping[str, Mapping[str, Json]] = getattr(self, LISTS[member])
        return [entries[key] for key in self.order.get(member, entries)]

    def without_order(self) -> Contract:
        """Return a copy with sorted lists."""
        is_sorted = {member: sorted(getattr(self, part)) for member, part in LISTS.items()}
        return replace(self, order=is_sorted)

    def document(self) -> dict[str, Json]:
        """Return the JSON document to write, without empty properties."""
        members: dict[str, Json] = {
            "format": FORMAT,
            "revision": self.revision,
            "server": self.server,
            "capabilities": self.capabilities,
            "clientCapabilities": self.client_capabilities,
            "toolCapabilities": {
                k: v for k, v in self.tool_capabilities.items() if k in self.tools
            },
            "instructions": self.instructions,
            "origin": self.origin,
            "tools": {name: _with_hash(raw) for name, raw in self.tools.items()},
            "prompts": self.prompts,
            "resources": self.resources,
            "resourceTemplates": self.resource_templates,
            "order": self.order,
            "names": self.names,
            "classes": self.classes,
        }
        return {key: value for key, value in members.items() if value or key in ("format", "tools")}

    def text(self) -> str:
        """Return the document as stored: sorted, indented by two spaces, ending with a newline."""
        return dumps(self.document())

    def digest(self) -> str:
        """Return the SHA-256 of the contract regardless of order, for the header of generated
        files.

        Observed results affect the generated files, so they are included.
        """
        document: Json = self.without_order().document()
        return sha256([document, self.observed] if self.observed else document)

    def parts(self) -> list[DefinitionKey]:
        """Return every definition by its list and its key."""
        return [
            DefinitionKey(member, key) for member, listed in self.lists().items() for key in listed
        ]

    def lists(self) -> dict[str, Mapping[str, Mapping[str, Json]]]:
        """Return the definitions by list of the protocol and key."""
        return {member: getattr(self, part) for member, part in LISTS.items()}

    def only(self, parts: Collection[DefinitionKey]) -> Contract:
        """Return a copy with these definitions only."""
        unique_keys = {(part.member, part.key) for part in parts}
        untyped = frozenset(part.key for part in parts if part.untyped)
        if untyped <= self.untyped and all(
            (part.member, part.key) in unique_keys for part in self.parts()
        ):
            return self
        lists = {
            member: {key: raw for key, raw in listed.items() if (member, key) in unique_keys}
            for member, listed in self.lists().items()
        }
        return replace(
            self,
            tools=lists["tools"],
            prompts=lists["prompts"],
            resources=lists["resources"],
            resource_templates=lists["resourceTemplates"],
            untyped=self.untyped | untyped,
        )


class _Definition(dict[str, Json]):
    """A definition of a contract: sorted and immutable, so it is hashed only once.

    A copy is a plain dict, which may be changed.
    """

    __slots__ = ("_sha256",)
    _sha256: str

    def sha256(self) -> str:
        """Return its hash."""
        try:
            return self._sha256
        except AttributeError:
            self._sha256 = sha256(self)
            return self._sha256

    def __reduce__(self) -> tuple[type[dict[str, Json]], tuple[dict[str, Json]]]:
        return dict, (dict(self),)


def _sort(value: Json, levels: int) -> Json:
    if problem := flaw(value, levels):
        raise ContractError(f"no contract can be made of this: {problem}")
    return in_order(value)


def _sorted_list(definitions: Mapping[str, Json]) -> Mapping[str, Json]:
    """Sort the keys of each definition. Definitions of a contract are sorted already."""
    if not all(isinstance(raw, _Definition) for raw in definitions.values()):
        definitions = {key: _definition(raw) for key, raw in definitions.items()}
    return {key: definitions[key] for key in sorted(definitions)}


def _definition(raw: Json) -> Json:
    if isinstance(raw, _Definition):
        return raw
    value = _sort(raw, MAX_DEPTH)
    return _Definition(value) if is_object(value) else value


def _with_hash(raw: Mapping[str, Json]) -> dict[str, Json]:
    digest = raw.sha256() if isinstance(raw, _Definition) else sha256(raw)
    return {"definition": raw, "sha256": digest}


def read(document: Json, where: str = "") -> Contract:
    """Create a contract from a parsed document: a contract, or a ``tools/list`` result in any form.

    Accepts ``{"tools": [...]}`` with or without the other lists, a JSON-RPC response with such a
    ``result``, and an array of tools. Entries that are not definitions, or have a :func:`flaw`, are
    left out. :func:`mcpgen.contract.definitions.parse` reports problems of the others. A page other
    than the last one is rejected, because its contract would lack tools.
    """
    document = _lists(document)
    if not is_object(document) or not isinstance(document.get("tools"), list | dict):
        raise ContractError(
            "neither a contract nor a tools/list result",
            where,
            'expected a JSON object with "tools"; record one with: mcpgen record <server>',
        )
    if isinstance(document.get("nextCursor"), str):
        raise ContractError(
            "only one page of a list: nextCursor leads to more tools",
            f"{where}#/nextCursor" if where else "/nextCursor",
            "record the server, or put the tools of all pages into one file without nextCursor",
        )
    members = document
    if members.get("format", FORMAT) != FORMAT:
        raise ContractError(
            f"the contract has the format {members['format']!r}; this version reads {FORMAT!r}",
            f"{where}#/format" if where else "/format",
            "upgrade mcpgen, or record the server again",
        )
    return Contract(
        tools=_by_key(members["tools"], "name"),
        revision=_string(members, "revision") or _string(members, "protocolVersion"),
        server=_object(members, "server") or _object(members, "serverInfo"),
        capabilities=_object(members, "capabilities"),
        client_capabilities=_object(members, "clientCapabilities"),
        tool_capabilities=dict(_texts_by_key(members, "toolCapabilities")),
        instructions=_string(members, "instructions"),
        origin=_object(members, "origin"),
        prompts=_by_key(members.get("prompts"), "name"),
        resources=_by_key(members.get("resources"), "uri"),
        resource_templates=_by_key(members.get("resourceTemplates"), "uriTemplate"),
        names=_texts(members, "names"),
        classes=_texts(members, "classes"),
        order=dict(_texts_by_key(members, "order")),
    )


def _texts_by_key(document: Mapping[str, Json], name: str) -> Iterator[tuple[str, list[str]]]:
    for member, keys in _object(document, name).items():
        if is_array(keys):
            yield member, [key for key in keys if isinstance(key, str)]


def _lists(document: Json) -> Json:
    """Extract the lists from the wrappers that a dump may have."""
    if is_array(document):
        return {"tools": document}
    inner = document.get("result") if is_object(document) else None
    return inner if is_object(inner) else document


_KEYS = {listing.member: listing.key for listing in LISTINGS}

_OBJECTS = (
    *("server", "serverInfo", "capabilities", "clientCapabilities", "origin", "order"),
    "toolCapabilities",
)
_MEMBERS: tuple[tuple[str, str, tuple[type[object], ...]], ...] = (
    *((member, "an array", (list, dict)) for member in _KEYS),
    *((name, "an object", (dict,)) for name in _OBJECTS),
    ("instructions", "a string", (str,)),
)


def left_out(document: Json) -> list[Notice]:
    """Report the entries of a dump that :func:`read` leaves out."""
    lists = _lists(document)
    if not is_object(lists):
        return []
    notices = [
        Notice(f"/{member}", f"expected {type_name}; left out", "no entry")
        for member, type_name, types in _MEMBERS
        if not isinstance(lists.get(member), (*types, type(None)))
    ]
    notices += [
        Notice(f"/{name}", f"{problem}; left out", "no entry")
        for name in _OBJECTS
        if is_object(lists.get(name)) and (problem := flaw(lists[name]))
    ]
    for member, key in _KEYS.items():
        notices += _left_out_of(lists.get(member), member, key)
    return notices


def _left_out_of(entries: Json, member: str, key: str) -> Iterator[Notice]:
    """Report the omitted entries of a list."""
    visited: set[str] = set()
    for step, entry in _entries(entries):
        name = entry.get(key) if is_object(entry) else None
        if not isinstance(name, str):
            problem = f"expected an object with a string {key!r}; left out"
            yield Notice(f"/{member}/{step}", problem, "no entry")
            continue
        at = f"/{member}/{escape(name)}"
        problem, kind = unfit(entry)
        if problem:
            yield Notice(at, f"{problem}; left out", kind)
        elif name in visited:
            yield Notice(at, "listed twice; the first one is kept", "duplicate")
        else:
            visited.add(name)


def _string(document: Mapping[str, Json], key: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else ""


def _object(document: Mapping[str, Json], key: str) -> dict[str, Json]:
    value = document.get(key)
    return value if is_object(value) and not flaw(value) else {}


def _texts(document: Mapping[str, Json], key: str) -> dict[str, str]:
    return {k: v for k, v in _object(document, key).items() if isinstance(v, str)}


def _by_key(entries: Json, key: str) -> dict[str, Mapping[str, Json]]:
    """Map names to definitions. If a name repeats, the first definition counts."""
    keyed: dict[str, Mapping[str, Json]] = {}
    for entry in _definitions(entries):
        name = entry.get(key)
        if isinstance(name, str) and name not in keyed:
            definition = _fit(entry)[0]
            if definition is not None:
                keyed[name] = definition
    return keyed


def unfit(entry: Json) -> tuple[str, str]:
    """Return why a definition can't be part of a contract, and the kind of the notice."""
    return _fit(entry)[1:]


def _fit(entry: Json) -> tuple[_Definition | None, str, str]:
    """Return a definition for a contract, or None with the reason and the kind of the notice."""
    checked, failures = surviving([entry], _check)
    if failures:
        return None, f"{reason(failures[0].error)}; please report this", FAILURE
    return *checked[0], "no entry"


def _check(entries: Sequence[Json]) -> list[tuple[_Definition | None, str]]:
    """Return each definition for a contract, or its flaw."""
    flaws = [flaw(entry) for entry in entries]
    return [
        (None, problem) if problem else (_Definition(in_order(value)), "")
        for value, problem in zip(entries, flaws, strict=True)
    ]


def _definitions(entries: Json) -> Iterable[dict[str, Json]]:
    return (entry for _, entry in _entries(entries) if is_object(entry))


def _entries(entries: Json) -> Iterator[tuple[str | int, Json]]:
    """Yield the entries of a list or object, with the step of each in a JSON pointer."""
    pairs: Json = [*entries.items()] if is_object(entries) else []
    for at, value in [*enumerate(entries)] if is_array(entries) else pairs:
        step = escape(at) if isinstance(at, str) else at
        yield step, value.get("definition", value) if is_object(value) else value
