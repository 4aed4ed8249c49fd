"""A change between two contracts, with its rule but without a severity."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from typing import Any, Final, Literal, TypeAlias

from mcpgen.jsontext import Json


class News(IntEnum):
    """The kind of new text in a change that an agent can read."""

    NONE = 0
    NAME = 1
    """A new name or new white space: requires consent."""
    TEXT = 2
    """A new string in an existing definition: also a security finding."""


class Absent(Enum):
    """Marks a missing value, which differs from ``null``."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
Value: TypeAlias = "Json | Literal[Absent.ABSENT]"


def is_same(old: Value, new: Value) -> bool:
    """Return True if two values are equal as JSON. In Python 1 equals true."""
    return bool(old == new) and repr(old) == repr(new)


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between two contracts.

    ``subject`` names the definition (``tool search``), ``path`` the position in it, for readers
    (``input.filter.tags[]``). The pointers lead into the old and new contract, and are empty if the
    position doesn't exist there. ``keyword`` is the schema keyword, if the rule covers several.
    ``detail`` supplements the rule's summary. ``news`` is the kind of text that agents haven't read
    before.
    """

    rule: str
    subject: str
    path: str = ""
    old_pointer: str = ""
    new_pointer: str = ""
    old: Value = ABSENT
    new: Value = ABSENT
    detail: str = ""
    keyword: str = ""
    news: News = News.NONE
    _pointers: list[str] = field(default_factory=list[str], init=False, compare=False, repr=False)

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits derived from the change, regardless of its position in the schema."""
        if not self._pointers:
            parts: list[Any] = [self.rule, self.subject, self.path, self.keyword]
            parts += [[] if value is ABSENT else [value] for value in (self.old, self.new)]
            digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
            self._pointers.append(digest.hexdigest()[:12])
        return self._pointers[0]

    def with_detail(self, detail: str) -> Change:
        """Return a copy with another detail, which doesn't affect the fingerprint."""
        return replace(self, detail=detail)
