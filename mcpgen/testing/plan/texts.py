"""Arguments that take any text, which may come back in a result."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.findings.contract_tests import Case
from mcpgen.jsontext import Json, is_object
from mcpgen.testing.places import without
from mcpgen.testing.plan.subjects import Subject, Subjects

_PROBE = "mcpgen test \u00eb"


def texts(subjects: Subjects, subject: Subject) -> Iterator[Case]:
    """Yield each argument that may be any text, with the others of a good call."""
    base, schema = subjects.base(subject), subjects.schema(subject)
    if base is None:
        return
    for name, part in schema.members().items():
        is_text = not _is_any(part) and schema.allows({**base, name: _PROBE})
        if is_text and subjects.is_guessable(subject, name):
            yield subject.case("text", arguments=without(base, name), argument=name)


def _is_any(part: Json) -> bool:
    return not is_object(part) or not part
