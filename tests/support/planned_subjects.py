"""The subjects from which calls of one tool are planned."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from mcpgen.jsontext import Json
from mcpgen.testing.arguments.known_values import KnownValues
from mcpgen.testing.arguments.values import Schema
from mcpgen.testing.plan.subjects import Subject

TEXT: Json = {"type": "string"}
COLOR: Json = {"enum": ["red", "green", "blue", "black", "white", "pink", "gold"]}


class Subjects:
    """The subjects of a tool with these properties. The call ``refused`` fails."""

    seed = 0

    def __init__(self, properties: Json, required: list[str], refused: Json = None) -> None:
        self._schema = Schema({"type": "object", "properties": properties, "required": required})
        self.lab = SimpleNamespace(
            is_good=lambda _tool, arguments: arguments != refused,
            richest={}.get,
            known_values=KnownValues(),
        )

    def schema(self, subject: Subject) -> Schema:
        del subject
        return self._schema

    def is_reader(self, tool: str) -> bool:
        return tool == "find"

    def is_guessable(self, subject: Subject, name: str) -> bool:
        del subject, name
        return True

    def may_be_another(self, subject: Subject, name: str) -> bool:
        del subject, name
        return False

    def every(self) -> list[Subject]:
        return []

    def valid(self, subject: Subject) -> Iterator[dict[str, Json]]:
        del subject
        return self._schema.examples(self.seed)
