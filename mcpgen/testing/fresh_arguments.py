"""Generates arguments without precedent. A read-only tool must not store what it didn't find."""

from __future__ import annotations

import random
import string

from mcpgen.jsontext import Json
from mcpgen.testing import safety
from mcpgen.testing.values import Schema

_LONGEST = 200
_TRIES = 20
_ALPHABETS = ("0123456789", "abcdef", "ABCDEF", string.ascii_lowercase, string.ascii_uppercase)


def names(schema: Schema, arguments: dict[str, Json]) -> list[str]:
    """Return arguments that can be replaced by fresh values: strings that aren't paths or
    secrets.
    """
    return [
        name
        for name, value in arguments.items()
        if isinstance(value, str)
        and 0 < len(value) <= _LONGEST
        and safety.is_guessable(name, schema, writes=False)
        and renew_argument(schema, arguments, name, 0) is not None
    ]


def renew_argument(
    schema: Schema, arguments: dict[str, Json], name: str, number: int
) -> dict[str, Json] | None:
    """Return arguments with a new string of the same form, or None if none is allowed."""
    before = arguments[name]
    for attempt in range(_TRIES):
        chance = random.Random(f"{number} {attempt}")  # noqa: S311 - nothing is kept secret
        text = _like(str(before), chance)
        changed = {**arguments, name: text}
        if text != before and schema.allows(changed):
            return changed
    return None


def _like(text: str, chance: random.Random) -> str:
    """Return a random string with the same kinds of characters. A host name stays."""
    own, at, host = text.partition("@")
    return "".join(chance.choice(_alphabet(item)) for item in own) + at + host


def _alphabet(character: str) -> str:
    """Return the alphabet of a character, such as hexadecimal digits."""
    return next((item for item in _ALPHABETS if character in item), character)
