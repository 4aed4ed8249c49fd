"""The two schemas of a value, and the results of their comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mcpgen.compare.schemas.difference import Aspect, Difference, Relation, is_plain
from mcpgen.compare.schemas.views.view import Key, View
from mcpgen.findings.change import ABSENT, Value, is_same
from mcpgen.schemas.validation.schemas import dialect


@dataclass(frozen=True, slots=True)
class Pair:
    """The old and the new view of a value. ``path`` is for readers."""

    old: View
    new: View
    path: str = ""

    @property
    def views(self) -> tuple[View, View]:
        """The old and the new schema."""
        return self.old, self.new

    @property
    def key(self) -> tuple[Key, Key]:
        """Key that identifies this pair among all pairs of two documents."""
        return self.old.key, self.new.key

    @property
    def is_plainly_same(self) -> bool:
        """Whether both schemas are equal and mean the same wherever they are."""
        old, new = self.views
        if len(old.parts) != len(new.parts) or old.inherited != new.inherited:
            return False
        if old.unresolved or new.unresolved or old.impossible != new.impossible:
            return False
        return dialect(old.document.raw) == dialect(new.document.raw) and all(
            is_same(part.raw, other.raw) and is_plain(part.raw)
            for part, other in zip(old.parts, new.parts, strict=True)
        )

    def with_path(self, path: str) -> Pair:
        """Return the same views for another path."""
        return Pair(self.old, self.new, path)

    def keyword_values(self, *keywords: str) -> tuple[Value, Value]:
        """Return the values of keywords in both schemas."""
        old, new = (
            view.keyword_values(*keywords) if view.has(*keywords) else ABSENT for view in self.views
        )
        return old, new

    def differs(
        self,
        aspect: Aspect,
        relation: Relation,
        *,
        keyword: str = "",
        values: tuple[Value, Value] = (ABSENT, ABSENT),
        detail: str = "",
    ) -> Difference:
        """Return a difference of the schemas."""
        old, new = (view.pointer_of(keyword) if keyword else view.pointer for view in self.views)
        return Difference(aspect, relation, self.path, old, new, *values, keyword, detail)


Step: TypeAlias = "Difference | Pair"
"""A result of a comparison: a difference, or an inner pair to compare next."""

Prove: TypeAlias = Callable[[View, View], Relation]
"""Returns the relation of two views."""


def is_proved_same(prove: Prove, old: View, new: View) -> bool:
    """Return True if two views allow the same values."""
    return prove(old, new) is Relation.SAME
