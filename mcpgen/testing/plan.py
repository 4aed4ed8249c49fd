"""Which cases are tried, in which order: what says most about most tools comes first."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, zip_longest
from typing import Any, TypeVar

from mcpgen.contract.lists import LISTINGS
from mcpgen.jsonpointer import lookup
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.shell.calling import prompt_schema
from mcpgen.testing import safety
from mcpgen.testing.checks import walks
from mcpgen.testing.failure import Case
from mcpgen.testing.known import Source
from mcpgen.testing.lab import Lab
from mcpgen.testing.values import Change, Schema, at

_Item = TypeVar("_Item")

_MOST_GIVEN = 6
_MOST_EXAMPLES = 3
_MOST_CHAINED = 4
_MOST_CHANGES = 60
_MOST_SOURCES = 5
_MOST_PAIRS = 16
_MOST_LINKS = 10
_MOST_READS = 6
_MOST_RESOURCES = 5
_SHORT = ("a", "")
_NOBODY = "mcpgen_no_such"


@dataclass(slots=True)
class Subject:
    """A tool that is tested, and arguments that it was called with."""

    name: str
    given: list[dict[str, Json]] = field(default_factory=list[dict[str, "Json"]])
    good: list[dict[str, Json]] = field(default_factory=list[dict[str, "Json"]])
    """Arguments that it answered with a result, the best known first."""


@dataclass(slots=True)
class Plan:
    """The cases of one run, made while it goes on: later ones rest on what earlier ones showed."""

    lab: Lab
    subjects: Sequence[Subject]
    readers: Sequence[Subject]
    seed: int
    scratch: safety.Scratch
    is_from_file: bool = False

    def cases(self) -> Iterator[Case]:
        """Yield the cases."""
        yield from self._offered()
        yield from _in_turn([self._plain(each) for each in self._all()])
        yield from _in_turn([self._short(each) for each in self._all()])
        yield from _in_turn([self._chained(each) for each in self._all()])
        yield from _in_turn([self._chained(each) for each in self._all()])  # of what that showed
        yield from self._server()
        yield from _in_turn([self._chains(each) for each in self.subjects])
        yield from _in_turn([self._walks(each) for each in self.subjects])
        yield from _in_turn([self._changed(each) for each in self.subjects])
        yield from _in_turn([self._pairs(each) for each in self.subjects])
        yield from self._links()
        yield from self._quiet()
        yield from _in_turn([self._claims(each) for each in self.subjects])
        yield from _in_turn([self._texts(each) for each in self.subjects])
        yield from self._together()

    def base(self, subject: Subject) -> dict[str, Json] | None:
        """Return arguments that are allowed, those that were answered with a result first."""
        if subject.good:
            return subject.good[0]
        return next(self.valid(subject), None)

    def valid(self, subject: Subject) -> Iterator[dict[str, Json]]:
        """Yield arguments that the schema allows: given ones, then made-up ones."""
        yield from subject.given[:_MOST_GIVEN]
        for made in self.lab.input(subject.name).examples(self.seed):
            if (safe := self._safe(subject, made)) is not None:
                yield safe

    def _all(self) -> list[Subject]:
        names = {each.name for each in self.subjects}
        return [*self.subjects, *(each for each in self.readers if each.name not in names)]

    # What the server offers

    def _offered(self) -> Iterator[Case]:
        if not self.is_from_file:
            return
        for listing in LISTINGS:
            for key in getattr(self.lab.contract, listing.attribute):
                data = {"method": listing.method, "key": key}
                yield Case("offered", f"{listing.definition.lower()} {key}", data)

    def _server(self) -> Iterator[Case]:
        contract = self.lab.contract
        capabilities = contract.capabilities
        for listing in LISTINGS:
            if listing.capability in capabilities or getattr(contract, listing.attribute):
                yield Case("pages", "server", {"method": listing.method})
        name = self._unknown(contract.tools)
        if contract.tools:
            yield _unknown("tools/call", {"name": name, "arguments": {}})
        if contract.prompts:
            yield _unknown("prompts/get", {"name": self._unknown(contract.prompts)})
        if contract.resources or contract.resource_templates:
            yield _unknown("resources/read", {"uri": "mcpgen-no-such://nowhere/at-all"})
        for uri in list(contract.resources)[:_MOST_RESOURCES]:
            data = {"method": "resources/read", "params": {"uri": uri}, "surely": True}
            yield Case("given", f"resource {uri}", data)
        for name, definition in contract.prompts.items():
            yield from self._prompt(name, definition)

    def _prompt(self, name: str, definition: Mapping[str, Json]) -> Iterator[Case]:
        listed = definition.get("arguments")
        named = [each for each in (listed if is_array(listed) else []) if is_object(each)]
        if any(safety.is_secret(str(each.get("name"))) for each in named):
            return
        is_free = not any(each.get("required") is True for each in named)
        nothing: dict[str, Json] = {}
        made = next(Schema(prompt_schema(definition)).examples(self.seed), nothing)
        params = {"name": name, **({} if is_free else {"arguments": made})}
        yield Case(
            "given",
            f"prompt {name}",
            {
                "method": "prompts/get",
                "params": params,
                "surely": is_free,
            },
        )

    def _unknown(self, known: Mapping[str, Any]) -> str:
        name = _NOBODY
        while name in known:
            name += "_"
        return name

    # One tool

    def _plain(self, subject: Subject) -> Iterator[Case]:
        """Yield calls that the schema allows."""
        for number, arguments in enumerate(self.valid(subject)):
            if number >= len(subject.given[:_MOST_GIVEN]) + _MOST_EXAMPLES:
                return
            yield _call(subject, arguments, "valid")
            if number == len(subject.given[:_MOST_GIVEN]):
                fewer = self.lab.input(subject.name).frugal(arguments)
                yield _call(subject, fewer, "valid, with no more than is needed")

    def _short(self, subject: Subject) -> Iterator[Case]:
        """Yield calls with texts that much is found by, where made-up ones found nothing."""
        base, schema = next(self.valid(subject), None), self.lab.input(subject.name)
        if base is None:
            return
        base = schema.frugal(base)
        free = [
            name
            for name, part in schema.members().items()
            if isinstance(base.get(name), str)
            and not safety.is_secret(name)
            and not safety.is_path(name, part, schema.schema)
        ]
        for text in _SHORT if free else ():
            arguments = {**base, **dict.fromkeys(free, text)}
            if schema.allows(arguments):
                yield _call(subject, arguments, "valid, with a short text")

    def _chained(self, subject: Subject) -> Iterator[Case]:
        """Yield calls with what is known of the server's data in place of made-up values."""
        schema = self.lab.input(subject.name)
        base = next(self.valid(subject), None)
        if base is None:
            return
        base = schema.filled(schema.frugal(base), lambda name: self._known(subject.name, name))
        if base != schema.frugal(base) or base not in subject.good:
            yield _call(subject, base, "valid, with values of other results inside")
        wanted = [name for name in schema.names() if not safety.is_secret(name)]
        values = {name: self._known(subject.name, name) for name in wanted}
        required = schema.required()
        filled = {name: known[0] for name, known in values.items() if known and name in required}
        tried = 0
        if filled and (full := {**base, **filled}) and schema.allows(full):
            yield _call(subject, full, "valid, with values of other results")
            base = full
        for name, known in values.items():
            for value in known[: 3 if name in required else 1]:
                arguments = {**base, name: value}
                if tried < _MOST_CHAINED and schema.allows(arguments) and arguments != base:
                    tried += 1
                    yield _call(subject, arguments, f"valid, {name} of another result")

    def _known(self, tool: str, argument: str) -> list[Json]:
        found: list[Json] = []
        for source, values, _ in self.lab.known.matching(tool, argument):
            if source.tool != tool:
                found += [value for value in values if value not in found]
        part = self.lab.input(tool).members().get(argument)
        if is_object(part) and "pattern" in part:
            words = self.lab.known.words.get(tool, ())
            schema = Schema(part)
            found += [word for word in words if word not in found and schema.allows(word)]
        elif is_object(part) and part.get("type") in ("integer", "number"):
            heard = [int(each) for each in self.lab.known.words.get(tool, ()) if each.isdecimal()]
            found += [each for each in heard if each not in found and Schema(part).allows(each)]
        return found[:3]

    def _chains(self, subject: Subject) -> Iterator[Case]:
        """Yield what must hold between two tools: an id of one is one of the other."""
        schema = self.lab.input(subject.name)
        required = schema.required()
        for argument in schema.names():
            done: set[str] = set()
            for source, _, is_sure in self.lab.known.matching(subject.name, argument):
                if not is_sure or source.tool in (subject.name, *done):
                    continue
                base = self._rest(subject, argument, required)
                if base is None:
                    break
                done.add(source.tool)
                yield _chain(subject, source, argument, base)
                if len(done) >= _MOST_SOURCES:
                    break

    def _rest(self, subject: Subject, argument: str, required: set[str]) -> dict[str, Json] | None:
        """Return the other arguments that are needed, ``None`` if only made-up ones are known."""
        if required <= {argument}:
            return {}
        good = next((each for each in subject.good if argument in each), None)
        if good is None:
            return None
        return {name: good[name] for name in required - {argument} if name in good}

    def _changed(self, subject: Subject) -> Iterator[Case]:
        """Yield calls that differ from a good one in one place, allowed or not."""
        base = self.base(subject)
        schema = self.lab.input(subject.name)
        if base is None:
            return
        full = max(subject.good, key=_parts, default=base)
        changes = [
            change
            for arguments in (schema.frugal(base), full, schema.wide(full))
            for change in schema.changes(arguments)
            if self._is_safe(subject, change)
        ]
        chance = random.Random(f"{self.seed} {subject.name}")  # noqa: S311 - nothing secret
        first = [each for each in changes if _is_first(each)]
        others = [each for each in changes if not _is_first(each)]
        telling = {(each.path, each.how): each for each in reversed(others) if _is_telling(each)}
        chance.shuffle(others)
        seen: set[str] = set()
        for change in [*telling.values(), *first, *others]:
            key = json.dumps(change.arguments, sort_keys=True)
            if key in seen or len(seen) >= _MOST_CHANGES + len(telling):
                continue
            seen.add(key)
            case = _call(subject, change.arguments, f"{at(change.path)} {change.how}".strip())
            if change.is_named and subject.good:
                found = lookup(change.arguments, at(change.path))
                named = {"named": found and found[1], "at": at(change.path)}
                case = replace(case, data={**case.data, **named})
            yield case

    def _pairs(self, subject: Subject) -> Iterator[Case]:
        """Yield calls with each two values together, of arguments that have few."""
        base, schema = self.base(subject), self.lab.input(subject.name)
        if base is None:
            return
        options = schema.options()
        pairs = [
            {**base, one: this, other: that}
            for one, other in combinations(options, 2)
            for this in options[one]
            for that in options[other]
        ]
        random.Random(f"{self.seed} {subject.name}").shuffle(pairs)  # noqa: S311 - nothing secret
        for arguments in [each for each in pairs if schema.allows(each)][:_MOST_PAIRS]:
            yield _call(subject, arguments, "valid, two values together")

    def _links(self) -> Iterator[Case]:
        """Yield the links to resources that results had."""
        for (tool, uri), arguments in [*self.lab.links.items()][:_MOST_LINKS]:
            yield Case("link", f"tool {tool}", {"arguments": arguments, "uri": uri})

    def _is_safe(self, subject: Subject, change: Change) -> bool:
        """Say whether nothing is guessed that must not be: a path, a secret."""
        parts = self.lab.input(subject.name).members()
        known = [*subject.given, *subject.good]
        for name, value in change.arguments.items():
            if not _has_text(value) or any(each.get(name) == value for each in known):
                continue
            if safety.is_secret(name):
                return False
            part, root = parts.get(name), self.lab.input(subject.name).schema
            if safety.is_path(name, part, root) and value != self.scratch.replaced(value, name):
                return False
        return True

    def _safe(self, subject: Subject, made: dict[str, Json]) -> dict[str, Json] | None:
        """Take out of made-up arguments what must not be guessed."""
        schema = self.lab.input(subject.name)
        required, parts = schema.required(), schema.members()
        kept: dict[str, Json] = {}
        for name, value in made.items():
            if safety.is_secret(name) and name not in required:
                continue
            is_path = safety.is_path(name, parts.get(name), schema.schema)
            kept[name] = self.scratch.replaced(value, name) if is_path else value
        return kept if schema.allows(kept) else None

    # Claims

    def _claims(self, subject: Subject) -> Iterator[Case]:
        definition = self.lab.tool(subject.name)
        if safety.claims_read_only(definition):
            if subject.name in self.lab.suspects and (reads := self._reads(subject)):
                for arguments in [*subject.good[:2], *islice(self.valid(subject), 7, 9)]:
                    data = {"arguments": arguments, "reads": reads}
                    yield Case("read-only", f"tool {subject.name}", data)
            return
        reads = self._reads(subject)
        if safety.hint(definition, "idempotentHint") is True:
            for arguments in subject.good[:1]:
                data = {"arguments": arguments, "reads": reads}
                yield Case("idempotent", f"tool {subject.name}", data)

    def _quiet(self) -> Iterator[Case]:
        """Yield the tools that claim to be read-only, which are tried alone if anything changes."""
        calls: dict[str, Json] = {
            subject.name: [*subject.good[:2], *islice(self.valid(subject), 4, 6)]
            for subject in self.subjects
            if safety.claims_read_only(self.lab.tool(subject.name))
        }
        reads = self._reads(None)
        if calls and reads:
            yield Case("quiet", "server", {"calls": calls, "reads": reads})

    def _reads(self, subject: Subject | None) -> list[Json]:
        """Return what shows the state of the server: read-only tools that need the least, first."""
        tools = [each for each in self._all() if self._reads_only(each) and each is not subject]
        tools.sort(key=lambda each: (not _is_listing(each.name), len(each.good[0])))
        reads: list[Json] = [
            {"method": "tools/call", "params": {"name": each.name, "arguments": arguments}}
            for each in tools[:_MOST_READS]
            for arguments in (each.good[0], self.lab.last_pages.get(each.name))
            if arguments is not None
        ]
        uris = list(self.lab.contract.resources)[:2]
        return [*reads, *({"method": "resources/read", "params": {"uri": uri}} for uri in uris)]

    def _reads_only(self, subject: Subject) -> bool:
        return bool(subject.good) and safety.claims_read_only(self.lab.tool(subject.name))

    # Pages

    def _walks(self, subject: Subject) -> Iterator[Case]:
        """Yield a walk through the pages of a tool that has some."""
        schema = self.lab.input(subject.name)
        parts = schema.members()
        names = walks.paging(parts)
        turned = {names.get(kind) for kind in ("cursor", "offset", "page", "limit")}
        if not names.keys() - {"limit"} or not self._reads_only(subject):
            return
        bases = [{k: v for k, v in each.items() if k not in turned} for each in subject.good]
        base = min(filter(schema.allows, bases), key=len, default=None)
        if base is None:
            return
        data: dict[str, Json] = {"arguments": base, "paging": names}
        if limit := names.get("limit"):
            allowed = [n for n in (100, 50, 25, 20, 10) if schema.allows({**base, limit: n})]
            small = next((n for n in (3, 5, 10) if schema.allows({**base, limit: n})), None)
            data |= {"largest": allowed[0] if allowed else None, "small": small}
        yield Case("walk", f"tool {subject.name}", data)

    # Texts, and several at once

    def _texts(self, subject: Subject) -> Iterator[Case]:
        base, schema = self.base(subject), self.lab.input(subject.name)
        if base is None:
            return
        for name, part in schema.members().items():
            probe = {**base, name: "mcpgen test \u00eb"}
            is_guessed = safety.is_secret(name) or safety.is_path(name, part, schema.schema)
            if not is_guessed and schema.allows(probe) and not _is_any(part):
                data = {"arguments": {k: v for k, v in base.items() if k != name}, "argument": name}
                yield Case("text", f"tool {subject.name}", data)

    def _together(self) -> Iterator[Case]:
        every: list[Json] = []
        for subject in self._all():
            if not self._reads_only(subject):
                continue
            calls: list[Json] = [
                {"name": subject.name, "arguments": good} for good in subject.good[:4]
            ]
            every += calls[:2]
            if len(calls) > 1:
                yield Case("together", f"tool {subject.name}", {"calls": calls})
        if len(every) > 1:
            yield Case("together", "server", {"calls": every[:8]})


def _call(subject: Subject, arguments: dict[str, Json], how: str) -> Case:
    return Case("call", f"tool {subject.name}", {"arguments": arguments, "how": how})


def _chain(subject: Subject, source: Source, argument: str, base: dict[str, Json]) -> Case:
    given: Json = json.loads(source.arguments)
    data: dict[str, Json] = {
        "source": {
            "tool": source.tool,
            "arguments": given,
            "parents": list(source.parents),
            "member": source.name,
        },
        "argument": argument,
        "arguments": base,
    }
    return Case("chain", f"tool {subject.name}", data)


def _unknown(method: str, params: dict[str, Json]) -> Case:
    return Case("unknown", "server", {"method": method, "params": params})


def _is_first(change: Change) -> bool:
    """Say whether a change is one that the schema itself speaks of."""
    return change.is_named or change.how.startswith(
        ("without", "beyond", "not of", "against", "longer", "shorter", "more", "fewer", "null")
    )


def _is_telling(change: Change) -> bool:
    """Say whether a change gives an argument of another type, which code most often forgets."""
    return len(change.path) == 1 and change.how in ("a text", "an object")


def _parts(value: Json) -> int:
    """Return how many values there are in one."""
    inner = value.values() if is_object(value) else value if is_array(value) else ()
    return 1 + sum(map(_parts, inner))


def _is_listing(name: str) -> bool:
    return name.lower().startswith(("list", "get_all", "show", "browse", "search", "all"))


def _has_text(value: Json) -> bool:
    if isinstance(value, str):
        return bool(value)
    return is_array(value) and any(map(_has_text, value))


def _is_any(part: Json) -> bool:
    return not is_object(part) or not part


def _in_turn(several: Sequence[Iterator[_Item]]) -> Iterator[_Item]:
    """Yield the first of each, then the second of each, and so on."""
    nothing = object()
    for row in zip_longest(*several, fillvalue=nothing):
        yield from (each for each in row if each is not nothing)  # type: ignore[misc] # it is not nothing
