"""Searches for failing arguments with Hypothesis, and shrinks them."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from typing import Any, Protocol

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from mcpgen.errors import McpgenError
from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_array, is_number, is_object
from mcpgen.testing.arguments.mutations import UNKNOWN
from mcpgen.testing.arguments.value_paths import alternatives
from mcpgen.testing.plan.subjects import Subject, Subjects
from mcpgen.testing.run_context import RunContext
from mcpgen.testing.run_options import SpentError
from mcpgen.testing.shrink import size

MOST_CALLS = 150
"""Maximum number of calls of the search per tool."""
_CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
_TEXT = st.text(_CHARACTERS, max_size=30)
_SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _TEXT
_ANY = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=5,
)
_DEEPEST = 4
_EMPTY: dict[str, Json] = {"array": [], "object": {}}
_CHECKS: Any = list(HealthCheck)  # about the speed and frequency of drawing data


class Run(Protocol):
    """The part of a run that the search uses."""

    @property
    def lab(self) -> RunContext:
        """The context of the run."""
        ...

    @property
    def skipped_tools(self) -> Collection[str]:
        """Tools that are no longer called."""
        ...

    def verdicts(self, case: Case) -> list[Verdict]:
        """Run a case."""
        ...

    def is_known(self, case: Case, verdict: Verdict) -> bool:
        """Return True if the same failure was found before."""
        ...

    def confirm(self, case: Case, verdict: Verdict) -> None:
        """Store a failure, if the case fails again."""
        ...


class _FoundError(Exception):
    """A new failure was found."""


def search(run: Run, subjects: Subjects, subject: Subject, most: int) -> None:
    """Search for a new failure, and record its smallest case."""
    search_ = _Search(run, subjects, subject, most)
    for number in range(3):
        if search_.left <= 4 or not search_.once(number):
            return


class _Search:
    def __init__(self, run: Run, subjects: Subjects, subject: Subject, most: int) -> None:
        self.run, self.seed, self.subject = run, subjects.seed, subject
        self.left = most
        self.found: tuple[Case, Verdict] | None = None
        self.spent: SpentError | McpgenError | None = None
        self.seen: dict[bytes, list[Verdict]] = {}
        self.strategy = _arguments(subjects, subject)

    def once(self, number: int) -> bool:
        """Search until something new fails or the calls are used up. Returns whether it failed."""
        self._forget()
        checked = settings(
            max_examples=max(1, 3 * self.left),
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
            print_blob=False,
            suppress_health_check=_CHECKS,
        )
        property_: Any = given(self.strategy)(self._attempt)
        # Other errors: a schema with hardly any valid value, or a server with changing responses.
        with contextlib.suppress(_FoundError, HypothesisException):
            seed(self.seed * 10 + number)(checked(property_))()
        if self.spent is not None:
            raise self.spent
        if self.found is None:
            return False
        case, verdict = self.found
        self.run.confirm(case, verdict)
        return True

    def _forget(self) -> None:
        self.found = None

    def _attempt(self, arguments: dict[str, Json]) -> None:
        if self.left <= 0 or self.spent is not None or self.subject.name in self.run.skipped_tools:
            return
        case = Case("call", f"tool {self.subject.name}", {"arguments": arguments})
        verdicts = self.seen.get(case.key)
        for verdict in self._verdicts(case) if verdicts is None else verdicts:
            if self._is_new(case, verdict):
                if self.found is None or _size(case) < _size(self.found[0]):
                    self.found = (case, verdict)
                raise _FoundError

    def _verdicts(self, case: Case) -> list[Verdict]:
        self.left -= 1
        try:
            self.seen[case.key] = self.run.verdicts(case)
        except (SpentError, McpgenError) as error:
            self.spent = error
            return []
        return self.seen[case.key]

    def _is_new(self, case: Case, verdict: Verdict) -> bool:
        if self.found is not None:
            return verdict.is_like(self.found[1])
        return not self.run.is_known(case, verdict)


def _size(case: Case) -> tuple[int, int, str]:
    return size(case.data["arguments"])


def _arguments(subjects: Subjects, subject: Subject) -> st.SearchStrategy[dict[str, Json]]:
    schema = subjects.schema(subject)
    root = schema.schema
    bases = [*subject.good, *subjects.valid(subject)][:6] or [{}]
    members = schema.members()
    free = {name: part for name, part in members.items() if subjects.is_guessable(subject, name)}
    drawn = {name: _values(root, part) for name, part in free.items()}
    base = st.sampled_from(bases)
    names = (
        st.lists(st.sampled_from(sorted(free)), max_size=3, unique=True) if free else st.just([])
    )

    @st.composite
    def valid_arguments(draw: Any) -> dict[str, Json]:
        value = dict(draw(base))
        for name in draw(names):
            value[name] = draw(drawn[name])
        return value

    @st.composite
    def any_value(draw: Any) -> dict[str, Json]:
        value = dict(draw(base))
        name = draw(st.sampled_from([*sorted(free), UNKNOWN]))
        value[name] = draw(_ANY)
        return value

    return valid_arguments().filter(schema.allows) | any_value()


def _values(root: Json, part: Json, depth: int = 0) -> st.SearchStrategy[Json]:
    """Return values that a part of a schema mostly allows."""
    nodes = alternatives(root, part)
    listed = [node["enum"] for node in nodes if is_array(node.get("enum")) and node["enum"]]
    listed += [[node["const"]] for node in nodes if "const" in node]
    if listed:
        return st.sampled_from(listed[0])
    strategies = [_strategy(root, node, kind, depth) for node in nodes for kind in _kinds(node)]
    strategies_ = [item for item in strategies if item is not None]
    return st.one_of(strategies_) if strategies_ else _ANY


def _kinds(node: dict[str, Json]) -> list[str]:
    value = node.get("type")
    return [item for item in (value if is_array(value) else [value]) if isinstance(item, str)]


def _strategy(  # noqa: PLR0911 - one for each type
    root: Json, node: dict[str, Json], kind: str, depth: int
) -> Any:
    if kind == "string":
        low, high = _count(node, "minLength", 0), _count(node, "maxLength", 60)
        return st.text(_CHARACTERS, min_size=min(low, 500), max_size=max(low, min(high, 500)))
    if kind == "integer":
        return st.integers(_bound(node, "minimum", 1), _bound(node, "maximum", -1))
    if kind == "number":
        least, most = node.get("minimum"), node.get("maximum")
        lowest = least if is_number(least) else -1e9
        highest = most if is_number(most) else max(1e9, lowest)
        return st.floats(lowest, highest, allow_nan=False).map(lambda number: number or 0.0)
    if kind == "boolean":
        return st.booleans()
    if kind == "null":
        return st.none()
    if depth >= _DEEPEST:
        return st.just(_EMPTY.get(kind))
    if kind == "array":
        low, high = _count(node, "minItems", 0), _count(node, "maxItems", 5)
        items = _values(root, node.get("items"), depth + 1)
        return st.lists(items, min_size=min(low, 50), max_size=max(low, min(high, 50)))
    if kind == "object":
        members = node.get("properties")
        named = members if is_object(members) else {}
        required = node.get("required")
        needed = required if is_array(required) else []
        properties = {name: _values(root, part, depth + 1) for name, part in named.items()}
        return st.fixed_dictionaries(
            {name: item for name, item in properties.items() if name in needed},
            optional={name: item for name, item in properties.items() if name not in needed},
        )
    return None


def _count(node: dict[str, Json], keyword: str, otherwise: int) -> int:
    value = node.get(keyword)
    return value if isinstance(value, int) and value >= 0 else otherwise


def _bound(node: dict[str, Json], keyword: str, step: int) -> int | None:
    value = node.get(keyword)
    if is_number(value):
        return int(value)
    beyond = node.get(f"exclusive{keyword.capitalize()}")
    return int(beyond) + step if is_number(beyond) else None
