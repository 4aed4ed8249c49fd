"""Compares the common properties of prompts and resources: descriptions, icons and metadata."""

from __future__ import annotations

from collections.abc import Iterator

from mcpgen.compare.definitions import descriptions, metadata, new_text
from mcpgen.compare.definitions.versions import Raw, Versions
from mcpgen.findings.change import ABSENT, Change

_KNOWN = frozenset(
    "name title description arguments uri uriTemplate mimeType size annotations".split()
)


def changes_of_new(rule: str, subject: str, pointer: str, raw: Raw) -> Iterator[Change]:
    """Yield the changes of a new prompt or resource."""
    changes = [
        Change(rule, subject, "", "", pointer, ABSENT, dict(raw)),
        *descriptions.misleading_strings(subject, None, raw, pointer),
    ]
    return new_text.mark_unread(changes, subject, (None, raw), ("", pointer))


def compare(versions: Versions) -> Iterator[Change]:
    """Compare the visible properties of a prompt or resource."""
    yield from descriptions.text("D01", versions, "description")
    yield from descriptions.text("D04", versions, "title")
    yield from metadata.compare(versions, _KNOWN)
    yield from descriptions.misleading_in(versions)
