"""Walks through the pages of tools that list in pages."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.testing.checks.walks import paging
from mcpgen.testing.failure import Case
from mcpgen.testing.plan.subjects import Subject, Subjects

_LARGE = (100, 50, 25, 20, 10)
_SMALL = (3, 5, 10)


def walks(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield a walk through the pages of a tool that has some."""
    schema = subjects.schema(subject)
    names = paging(schema.members())
    if not names.keys() - {"limit"} or not subjects.reads_only(subject):
        return
    turned = set(names.values())
    bases = [{k: v for k, v in each.items() if k not in turned} for each in subject.good]
    base = min(filter(schema.allows, bases), key=len, default=None)
    if base is None:
        return
    case = subject.case("walk", arguments=base, paging=names)
    if limit := names.get("limit"):
        large, small = (
            next((size for size in sizes if schema.allows({**base, limit: size})), None)
            for sizes in (_LARGE, _SMALL)
        )
        case.data.update(largest=large, small=small)
    yield case
