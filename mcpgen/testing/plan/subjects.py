"""The tools of a run, with safe arguments: given, made up, or known to work."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, canonical, is_array, is_object
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.entities import role_of
from mcpgen.testing.arguments.known_values import Source, is_id, singular
from mcpgen.testing.arguments.values import Change, Schema
from mcpgen.testing.checks.lists import pages
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.run_options import RunOptions

_MOST_GIVEN = 6
_MOST_GOOD = 6
_REFERENCES = frozenset("cursor token continuation id ids uuid guid slug ref handle key".split())


@dataclass(slots=True)
class Subject:
    """A tool to test, and the arguments it was called with."""

    name: str
    given_arguments: Sequence[dict[str, Json]] = ()
    good: list[dict[str, Json]] = field(default_factory=list[dict[str, "Json"]])
    """Arguments that gave a result, the best ones first."""
    widest: dict[str, Json] | None = None
    """Arguments including all optional ones, if they gave a result."""
    _vain: int = 0
    """Number of good arguments, at the end of the list, that found nothing."""

    @property
    def real(self) -> Sequence[dict[str, Json]]:
        """The user's arguments."""
        return self.given_arguments[:_MOST_GIVEN]

    def case(self, check: str, **data: Json) -> Case:
        """Return a case for this tool."""
        return Case(check, f"tool {self.name}", data)

    def call(self, arguments: dict[str, Json], how: str) -> Case:
        """Return the case of a call."""
        return self.case("call", arguments=arguments, how=how)

    def note_good(self, arguments: dict[str, Json], *, finds: bool = True) -> None:
        """Store arguments that gave a result, those that found something first."""
        if arguments in self.good:
            return
        if not finds:
            self._vain += int(len(self.good) < _MOST_GOOD)
            self.good += [arguments] if len(self.good) < _MOST_GOOD else []
            return
        count = len(self.good) - self._vain
        if count < _MOST_GOOD:
            self.good.insert(count, arguments)
            del self.good[_MOST_GOOD:]
            self._vain = len(self.good) - count - 1


@dataclass(slots=True)
class Subjects:
    """The basis of all cases. ``readers`` aren't tested, but show the state of the server."""

    lab: RunContext
    tested: Sequence[Subject]
    readers: Sequence[Subject]
    seed: int
    scratch: safety.Scratch
    _acting: dict[tuple[str, str], bool] = field(default_factory=dict[tuple[str, str], bool])
    """Cached results of :meth:`_is_acting`, by tool and argument."""

    @classmethod
    def select(cls, lab: RunContext, options: RunOptions, scratch: safety.Scratch) -> Subjects:
        """Select the tools that may be called, and record the reasons for others."""
        tested: list[Subject] = []
        readers: list[Subject] = []
        named = options.named
        for name, definition in lab.contract.tools.items():
            given_arguments = options.arguments_by_tool.get(name, ())
            subject = Subject(name, given_arguments)
            allowed = safety.permission(
                definition,
                lab.input(name),
                named=named,
                allows_writes=options.allows_writes,
                is_given=bool(given_arguments),
            )
            tool_coverage = lab.coverage.tool_coverage(name)
            if not allowed.is_given:
                tool_coverage.left_out = allowed.reason
            elif named and name not in named:
                tool_coverage.left_out = "another name was given"
                if safety.claims_read_only(definition):
                    readers.append(subject)
            else:
                tested.append(subject)
        return cls(lab, tested, readers, options.seed, scratch)

    def every(self) -> list[Subject]:
        """Return the tested tools, then the readers."""
        return [*self.tested, *self.readers]

    def find(self, name: str) -> Subject | None:
        """Return the tool with a name."""
        return next((subject for subject in self.every() if subject.name == name), None)

    def schema(self, subject: Subject) -> Schema:
        """Return the schema of a tool's arguments."""
        return self.lab.input(subject.name)

    def reads_only(self, subject: Subject) -> bool:
        """Return True if a tool claims to be read-only, and has returned a result."""
        return bool(subject.good) and self.is_reader(subject.name)

    def is_reader(self, tool: str) -> bool:
        """Return True if a tool claims to be read-only."""
        return safety.claims_read_only(self.lab.tool(tool))

    # Arguments

    def shared_arguments(
        self, reader: Subject, arguments: dict[str, Json]
    ) -> dict[str, Json] | None:
        """Return a reader's arguments, if a call of another tool has the required ones.

        They request the largest page, because a smaller first page may not show a change.
        """
        schema = self.schema(reader)
        names = schema.required_names()
        if not names <= arguments.keys():
            return None
        shared = self.with_largest_page(reader, {name: arguments[name] for name in names})
        return shared if schema.allows(shared) else None

    def readers_of_the_same(
        self, arguments: dict[str, Json]
    ) -> Iterator[tuple[Subject, dict[str, Json]]]:
        """Yield tools that read the entity of a call, with their arguments.

        Those that take an ID come first. Others may only share a string argument's name.
        """
        readers = [reader for reader in self.every() if self.reads_only(reader)]
        readers.sort(key=lambda reader: not any(map(is_reference, self._required(reader))))
        for reader in readers:
            shared = self.shared_arguments(reader, arguments) if self._required(reader) else None
            if shared is not None:
                yield reader, shared

    def relevance(self, read: str, subject: Subject) -> int:
        """Return the number of IDs in the results of both tools, plus 1 for a shared noun."""
        ids = [
            {name for name in self.lab.known_values.names(tool) if is_id(name)}
            for tool in (read, subject.name)
        ]
        nouns = [{*map(singular, words_of(name))} for name in (read, subject.name)]
        return len(ids[0] & ids[1]) + (not nouns[0].isdisjoint(nouns[1]))

    def creator_of(self, subject: Subject, argument: str) -> tuple[Source, Subject] | None:
        """Return the tool that creates the entities whose ID an argument takes, with its ID."""
        if not self.may_be_another(subject, argument):
            return None
        for source, _, is_sure in self.lab.known_values.matching(subject.name, argument):
            creator = self.find(source.tool)
            is_creating = role_of(self.lab.tool(source.tool)) == "create"
            if is_sure and is_creating and creator not in (None, subject) and creator.good:
                return source, creator
        return None

    def _required(self, subject: Subject) -> set[str]:
        return self.schema(subject).required_names()

    def of_richest_entity(self, subject: Subject, arguments: dict[str, Json]) -> dict[str, Json]:
        """Return the arguments with the entity whose results had the most entries."""
        schema = self.schema(subject)
        for name in arguments:
            is_taken = is_reference(name) and self.may_be_another(subject, name)
            value = self.lab.richest(name) if is_taken else None
            if value is not None and schema.allows({**arguments, name: value}):
                return {**arguments, name: value}
        return arguments

    def with_largest_page(self, reader: Subject, arguments: dict[str, Json]) -> dict[str, Json]:
        """Return arguments of a tool with the largest page that it allows."""
        schema = self.schema(reader)
        limit = pages.paging(schema.members(), ()).get("limit")
        return {**arguments, **pages.largest(schema, arguments, limit)}

    def is_guessable(self, subject: Subject, name: str) -> bool:
        """Return True if values of an argument may be made up."""
        return safety.is_guessable(name, self.schema(subject), writes=self._writes(subject))

    def may_be_another(self, subject: Subject, name: str) -> bool:
        """Return True if an argument may have a value from another result, or from an error.

        For a tool that writes, targets are excluded: paths, processes, and code that it runs.
        """
        if safety.is_secret(name):
            return False
        schema = self.schema(subject)
        is_worked_on = safety.is_acting(name, schema) or safety.is_path(name, schema)
        return not (is_worked_on and self._writes(subject))

    def _is_acting(self, subject: Subject, name: str) -> bool:
        key = subject.name, name
        if key not in self._acting:
            is_acting = safety.is_acting(name, self.schema(subject)) and self._writes(subject)
            self._acting[key] = is_acting
        return self._acting[key]

    def _writes(self, subject: Subject) -> bool:
        return not self.is_reader(subject.name)

    def base(self, subject: Subject) -> dict[str, Json] | None:
        """Return valid arguments, preferably those of a successful call."""
        if subject.good:
            return subject.good[0]
        return next(self.valid(subject), None)

    def valid(self, subject: Subject) -> Iterator[dict[str, Json]]:
        """Yield arguments that the schema allows: given ones, then made-up ones."""
        yield from subject.real
        for example in self.schema(subject).examples(self.seed):
            if (safe := self._safe(subject, example)) is not None:
                yield safe

    def _safe(self, subject: Subject, arguments: dict[str, Json]) -> dict[str, Json] | None:
        """Replace arguments that must not be guessed by given ones, or leave them out."""
        schema = self.schema(subject)
        fixed: dict[str, Json] = {}
        for name, value in arguments.items():
            if safety.is_secret(name) or self._is_acting(subject, name):
                if values := [item[name] for item in subject.given_arguments if name in item]:
                    fixed[name] = values[0]
            elif safety.is_path(name, schema):
                fixed[name] = self.scratch.path_for(value, name)
            else:
                fixed[name] = value
        return fixed if schema.allows(fixed) else None

    def is_safe(self, subject: Subject, change: Change) -> bool:
        """Return True if a change guesses no path, secret or process."""
        risky = {
            name: value
            for name, value in change.arguments.items()
            if self._is_risky(subject, name, value)
        }
        return not any(self._guessed_arguments(subject, risky))

    def _is_risky(self, subject: Subject, name: str, value: Json) -> bool:
        if self._is_acting(subject, name):
            return True  # any number may be a valid process ID, and null may mean 0
        if not _has_text(value):
            return False
        is_path = safety.is_path(name, self.schema(subject))
        return safety.is_secret(name) or (is_path and value != self.scratch.path_for(value, name))

    def is_safe_to_shrink(self, case: Case) -> bool:
        """Return True if a smaller case guesses nothing that the larger one didn't have."""
        subject, arguments = self.find(case.name), case.data.get("arguments")
        if subject is None or not is_object(arguments):
            return True
        members = self.schema(subject).members()
        for name, value in self._guessed_arguments(subject, arguments):
            if self._is_acting(subject, name):
                return False
            is_path = name in members and safety.is_path(name, self.schema(subject))
            is_harmless = value in ("", self.scratch.path_for("", name))
            if is_path and isinstance(value, str) and not is_harmless:
                return False
        return True

    def _guessed_arguments(
        self, subject: Subject, arguments: dict[str, Json]
    ) -> Iterator[tuple[str, Json]]:
        """Yield arguments that were neither given nor successful. Null counts as a value."""
        calls = [*subject.given_arguments, *subject.good]
        for name, value in arguments.items():
            tried = {canonical(item[name]) for item in calls if name in item}
            if canonical(value) not in tried:
                yield name, value


def chance_of(subjects: Subjects, subject: Subject) -> random.Random:
    """Return a random generator for a tool, the same for the same seed."""
    return random.Random(f"{subjects.seed} {subject.name}")  # noqa: S311 - nothing secret


def is_reference(name: str) -> bool:
    """Return True for an argument whose value must come from the server, such as a cursor."""
    tokens = {*words_of(name)}
    return safety.is_secret(name) or bool(tokens & _REFERENCES)


def _has_text(value: Json) -> bool:
    if isinstance(value, str):
        return bool(value)
    return is_array(value) and any(map(_has_text, value))
