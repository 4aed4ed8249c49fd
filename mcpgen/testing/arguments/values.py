"""Validates arguments and results by a schema, and generates values near its limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcpgen_runtime.problem import MOST_PROBLEMS

from mcpgen.jsontext import Json, is_array, is_number, is_object
from mcpgen.schemas.examples import NoExampleError, example
from mcpgen.schemas.validation import schemas
from mcpgen.schemas.validation.schemas import SchemaValidator
from mcpgen.testing.arguments.mutations import example_of, other_values
from mcpgen.testing.arguments.value_paths import Path, absent, alternatives, places, with_value

_MOST_EXAMPLES = 12
_MOST_OPTIONS = 6


@dataclass(frozen=True, slots=True)
class Change:
    """Arguments that differ from valid ones in one position.

    The schema names the value if ``is_named``, and lists the values there if ``is_of_enum``.
    """

    arguments: dict[str, Json]
    path: Path
    how: str
    is_named: bool = False
    is_of_enum: bool = False


@dataclass(slots=True)
class Schema:
    """A schema: validation, and values near its limits."""

    schema: Json
    is_judged: bool = field(init=False)
    _members: dict[str, Json] | None = field(init=False, default=None)
    _examples: dict[int, Json] = field(init=False, default_factory=dict[int, "Json"])
    _validator: SchemaValidator = field(init=False)

    def __post_init__(self) -> None:
        """Determine whether the schema can validate values."""
        self.is_judged = schemas.problem(self.schema) is None
        self._validator = SchemaValidator(self.schema if self.is_judged else True)

    def allows(self, value: Json) -> bool:
        """Return True if the schema allows a value, or if that can't be decided."""
        return not self.errors(value, 1)

    def errors(self, value: Json, most: int = MOST_PROBLEMS) -> list[Any]:
        """Return the first violations of the schema in a value."""
        try:
            return self._validator.errors(value, most)
        except (RecursionError, OverflowError):
            return []

    def examples(self, seed: int) -> Iterator[dict[str, Json]]:
        """Yield different valid arguments, the largest first."""
        visited: set[str] = set()
        for number in range(_MOST_EXAMPLES):
            try:
                # The first is the same for every seed: all properties, with the likeliest values.
                value = self._example(0 if number == 0 else seed * 1000 + number)
            except NoExampleError:
                return
            key = json.dumps(value, sort_keys=True)
            if is_object(value) and key not in visited:
                visited.add(key)
                yield value

    def _example(self, seed: int) -> Json:
        if seed not in self._examples:
            self._examples[seed] = example(self.schema, seed)
        value = self._examples[seed]
        return dict(value) if is_object(value) else value

    def frugal(self, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Remove optional arguments."""
        result = dict(arguments)
        for name in arguments:
            fewer = {key: value for key, value in result.items() if key != name}
            if self.allows(fewer):
                result = fewer
        return result

    def wide(self, arguments: dict[str, Json]) -> dict[str, Json]:
        """Add optional arguments with examples."""
        result = dict(arguments)
        for name, part in absent(result, alternatives(self.schema, self.schema)).items():
            for value in example_of(part, self.schema):
                if self.allows({**result, name: value}):
                    result[name] = value
        return result

    def fill_known(
        self, arguments: dict[str, Json], values_of: Callable[[str], Sequence[Json]]
    ) -> dict[str, Json]:
        """Replace inner values by known ones for the same property."""
        arguments_: Json = arguments
        for path, value, _ in places(self.schema, arguments):
            names = [step for step in path if isinstance(step, str)]
            if len(path) < 2 or not names or not isinstance(value, str | int):
                continue
            # Each item of a list gets another value.
            options, at = [*values_of(names[-1])], path[-1] if isinstance(path[-1], int) else 0
            for other in [*options[at:], *options[:at]]:
                changed = with_value(arguments_, path, other)
                if self.allows(changed):
                    arguments_ = changed
                    break
        return arguments_ if is_object(arguments_) else arguments

    def highest(self, name: str, arguments: Mapping[str, Json]) -> Json:
        """Return the highest allowed number for an argument, or its value if none is known."""
        nodes = alternatives(self.schema, self.members().get(name))
        limits = [node["maximum"] for node in nodes if is_number(node.get("maximum"))]
        for value in (*limits, 1_000_000):
            if self.allows({**arguments, name: value}):
                return value
        return arguments.get(name)

    def options(self) -> dict[str, list[Json]]:
        """Return the arguments with few possible values, and these values."""
        result: dict[str, list[Json]] = {}
        for name, part in self.members().items():
            for node in alternatives(self.schema, part):
                listed = node.get("enum")
                if is_array(listed) and 1 < len(listed) <= _MOST_OPTIONS:
                    result[name] = listed
                elif node.get("type") == "boolean":
                    result[name] = [True, False]
        return result

    def changes(self, arguments: dict[str, Json]) -> Iterator[Change]:
        """Yield arguments that differ in one position, allowed or forbidden."""
        visited: set[str] = {json.dumps(arguments, sort_keys=True)}
        for path, value, nodes in places(self.schema, arguments):
            is_of_enum = any("enum" in node for node in nodes)
            for new, how, is_named in other_values(value, nodes, self.schema):
                changed = with_value(arguments, path, new)
                key = json.dumps(changed, sort_keys=True, default=str)
                if is_object(changed) and key not in visited:
                    visited.add(key)
                    yield Change(changed, path, how, is_named, is_of_enum)

    def names(self) -> list[str]:
        """Return the names of the declared arguments."""
        return list(self.members())

    def members(self) -> dict[str, Json]:
        """Return the declared arguments with their schemas."""
        if self._members is None:
            self._members = {}
            for node in alternatives(self.schema, self.schema):
                listed = node.get("properties")
                self._members.update(listed if is_object(listed) else {})
        return self._members

    def description(self, name: str) -> str:
        """Return the description of an argument, or ""."""
        text = self.members().get(name)
        text = text.get("description") if is_object(text) else ""
        return text if isinstance(text, str) else ""

    def required_names(self) -> set[str]:
        """Return the arguments that are always required."""
        nodes = alternatives(self.schema, self.schema)
        listed: list[list[Json]] = [node.get("required", []) for node in nodes]
        return {name for names in listed if is_array(names) for name in names}
