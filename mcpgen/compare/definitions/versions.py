"""The two versions of a definition, or of an object in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.findings.change import ABSENT, Change, Value, is_same
from mcpgen.jsonpointer import escape
from mcpgen.jsontext import Json, is_object

Raw = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Versions:
    """Two versions of a definition with their pointers, which differ after a renaming.

    ``path`` is the position of the object in the definition, for readers. It is "" for the
    definition itself.
    """

    subject: str
    pointers: tuple[str, str]
    old: Raw
    new: Raw
    path: str = ""

    def inner(self, key: str) -> Versions:
        """Return the versions of an inner object. A missing object is empty."""
        old, new = (
            value if is_object(value := raw.get(key)) else {} for raw in (self.old, self.new)
        )
        return Versions(self.subject, self.pointers_of(key), old, new, self.path_of(key))

    def pointers_of(self, key: str) -> tuple[str, str]:
        """Return the pointers of a property, which may be absent."""
        old, new = (f"{pointer}/{escape(key)}" for pointer in self.pointers)
        return old, new

    def path_of(self, key: str) -> str:
        """Return the path of a property."""
        return f"{self.path}.{key}" if self.path else key

    def values(self, key: str) -> tuple[Value, Value]:
        """Return both values of a property."""
        return self.old.get(key, ABSENT), self.new.get(key, ABSENT)

    def changed_keys(self) -> Iterator[str]:
        """Yield the names of the properties that differ."""
        for key in sorted(self.old.keys() | self.new.keys()):
            if not is_same(*self.values(key)):
                yield key

    def change(self, rule: str, key: str) -> Change:
        """Return the change of a property."""
        path, pointers = self.path_of(key), self.pointers_of(key)
        return Change(rule, self.subject, path, *pointers, *self.values(key))

    def change_in_place(self, rule: str, key: str) -> Change:
        """Return the change of a property. Its pointer is "" in the version without it."""
        old, new = self.values(key)
        was, now = self.pointers_of(key)
        pointers = "" if old is ABSENT else was, "" if new is ABSENT else now
        return Change(rule, self.subject, self.path_of(key), *pointers, old, new)
