"""Redaction of recorded calls: all secrets, and properties that the caller selects.

Each replacement has the form of the original, so that a redacted result stays valid against
its schema where possible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from ..jsonpointer import pointer
from ..redaction.names import is_secret_name
from ..redaction.patterns import REDACTED, without_credentials
from .call_records import RecordedCall

_Path: TypeAlias = "tuple[str, ...]"

_LEAST = 8
"""The minimum length of a secret that is searched for in other values."""

_FORMS = (
    (r"[^@\s]+@[^@\s]+\.[^@\s]+", "redacted@example.com"),
    (
        r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
        "00000000-0000-0000-0000-000000000000",
    ),
    (r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d.*", "2000-01-01T00:00:00Z"),
    (r"\d{4}-\d\d-\d\d", "2000-01-01"),
    (r"https?://\S+", "https://example.com/redacted"),
)


def _keep_value(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Redaction:
    """The redactions in addition to secrets: properties, patterns in strings, and exact strings.

    Properties have their JSON names; ``user.email`` selects a nested property.
    """

    members: frozenset[_Path] = frozenset()
    patterns: tuple[re.Pattern[str], ...] = ()
    strip: Callable[[Any], Any] = field(default=_keep_value, repr=False)

    @classmethod
    def from_rules(
        cls,
        rules: Sequence[str | re.Pattern[str]],
        strip: Callable[[Any], Any] = _keep_value,
    ) -> Redaction:
        """Parse the redaction rules of a caller. ``strip`` removes credentials from a value."""
        if isinstance(rules, str | re.Pattern):
            raise TypeError("redact is a list of names of members, and of patterns")
        names = [rule for rule in rules if isinstance(rule, str)]
        return cls(
            frozenset(path for name in names for path in (_split(name), (name,))),
            tuple(rule for rule in rules if isinstance(rule, re.Pattern)),
            strip,
        )

    def redact_call(self, call: RecordedCall) -> RecordedCall:
        """Return a redacted call, with the JSON pointers of all redacted values."""
        walk = _Walk(self)
        answer = "error" if call.result is None else "result"
        values = {"arguments": call.arguments, answer: getattr(call, answer)}
        parts = {name: walk.value(part, (name,), ()) for name, part in values.items()}
        walk.secrets.sort(key=len, reverse=True)
        if walk.secrets:  # also their copies in other values
            parts = {name: walk.again(part, (name,)) for name, part in parts.items()}
        stripped = {name: self.strip(part) for name, part in parts.items()}
        walk.places |= {f"/{name}" for name in parts if stripped[name] != parts[name]}
        parts = stripped
        name = self.text(call.name) if call.kind == "resource" else call.name
        pointers = sorted({*walk.places, *(["/name"] if name != call.name else [])})
        return replace(call, name=name, redacted=tuple(pointers), **parts)

    def text(self, text: str) -> str:
        """Replace all secrets in a string."""
        text = without_credentials(text)
        for pattern in self.patterns:
            text = pattern.sub(REDACTED, text)
        stripped: str = self.strip(text)
        return stripped

    def names(self, path: _Path) -> bool:
        """Return True if a rule of the caller selects the property at a path."""
        return any(path[-len(chosen) :] == chosen for chosen in self.members)


def _split(name: str) -> _Path:
    return tuple(name.split("."))


class _Walk:
    """One traversal of a call. ``path`` contains property names, without array indexes."""

    def __init__(self, rules: Redaction) -> None:
        self._rules = rules
        self.places: set[str] = set()
        self.secrets: list[str] = []

    def value(self, value: object, location: _Path, path: _Path) -> Any:
        if isinstance(value, Mapping):
            members = cast("Mapping[str, object]", value)
            return {
                # {"name": "api_key", "value": ...} names the secret by a value.
                name: (
                    self._left_out(member, (*location, name))
                    if name == "value" and _is_named_secret(members)
                    else self._member(member, (*location, name), (*path, name))
                )
                for name, member in members.items()
            }
        if isinstance(value, list):
            return [
                self.value(item, (*location, str(index)), path)
                for index, item in enumerate(cast("list[object]", value))
            ]
        if isinstance(value, str):
            return self._put(location, value, self._without_secrets(value, path))
        return value

    def _member(self, value: object, location: _Path, path: _Path) -> Any:
        if self._rules.names(path):
            return self._left_out(value, location)
        if _holds_secrets(path[-1], value):
            return self._left_out(value, location)
        return self.value(value, location, path)

    def _left_out(self, value: object, location: _Path) -> Any:
        """Return a replacement of the same form as a value."""
        if isinstance(value, Mapping):
            members = cast("Mapping[str, object]", value)
            return {n: self._left_out(v, (*location, n)) for n, v in members.items()}
        if isinstance(value, list):
            items = enumerate(cast("list[object]", value))
            return [self._left_out(item, (*location, str(n))) for n, item in items]
        if value is None:
            return None
        if isinstance(value, str) and len(value) >= _LEAST:
            self.secrets.append(value)
        self.places.add(pointer(location))
        return _of_same_form(value)

    def _without_secrets(self, text: str, path: _Path) -> str:
        return self._rules.text(self._in_json(text, path) or text)

    def _in_json(self, text: str, path: _Path) -> str | None:
        """Redact a string that contains JSON, or return None if it doesn't."""
        if text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            read: Any = json.loads(text)
        except (ValueError, RecursionError):
            return None
        inner = _Walk(self._rules)
        written = inner.value(read, (), path)
        self.secrets += inner.secrets
        if not inner.places:
            return None
        indent = 2 if "\n" in text else None
        return json.dumps(written, ensure_ascii=False, indent=indent)

    def again(self, value: object, location: _Path) -> Any:
        """Replace all secrets found so far, wherever they occur."""
        return _map_strings(value, location, self._without_found)

    def _without_found(self, text: str, location: _Path) -> str:
        changed = text
        for secret in self.secrets:
            changed = changed.replace(secret, REDACTED)
        return self._put(location, text, changed)

    def _put(self, location: _Path, before: str, after: str) -> str:
        if after != before:
            self.places.add(pointer(location))
        return after


def _map_strings(
    value: object,
    location: _Path,
    change: Callable[[str, _Path], str],
) -> Any:
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return {n: _map_strings(v, (*location, n), change) for n, v in members.items()}
    if isinstance(value, list):
        items = enumerate(cast("list[object]", value))
        return [_map_strings(item, (*location, str(n)), change) for n, item in items]
    return change(value, location) if isinstance(value, str) else value


_LISTED = frozenset("secrets credentials passwords tokens".split())
_NUMERIC = frozenset("pin password passcode otp cvv cvc".split())


def _holds_secrets(name: str, value: object) -> bool:
    """Return True if a property with this name usually has a secret value."""
    if isinstance(value, str):
        return bool(value) and is_secret_name(name)
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return name.lower() in _NUMERIC
    singular = name[:-1] if name.endswith("s") else name
    if isinstance(value, list):
        items = cast("list[object]", value)
        are_texts = all(isinstance(item, str) for item in items)
        return are_texts and (is_secret_name(name) or is_secret_name(singular))
    return name.lower() in _LISTED or is_secret_name(singular)


def _is_named_secret(members: Mapping[str, object]) -> bool:
    names = (members.get(name) for name in ("name", "key", "id", "field"))
    return any(isinstance(name, str) and is_secret_name(name) for name in names)


def _of_same_form(value: object) -> Any:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return 0
    text = str(value)
    for form, instead in _FORMS:
        if re.fullmatch(form, text, re.DOTALL):
            return instead
    return "0" * len(text) if text.isdecimal() else REDACTED
