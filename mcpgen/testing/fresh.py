"""Arguments that nobody gave before: a tool that only reads must not keep what it did not find."""

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
    """Return the arguments of which there are fresh ones: texts, but no paths and no secrets."""
    return [
        name
        for name, value in arguments.items()
        if isinstance(value, str)
        and 0 < len(value) <= _LONGEST
        and safety.is_guessable(name, schema, writes=False)
        and renewed(schema, arguments, name, 0) is not None
    ]


def renewed(
    schema: Schema, arguments: dict[str, Json], name: str, number: int
) -> dict[str, Json] | None:
    """Return arguments with another text of the same form, ``None`` if none is allowed."""
    before = arguments[name]
    for attempt in range(_TRIES):
        chance = random.Random(f"{number} {attempt}")  # noqa: S311 - nothing is kept secret
        text = _like(str(before), chance)
        changed = {**arguments, name: text}
        if text != before and schema.allows(changed):
            return changed
    return None


def _like(text: str, chance: random.Random) -> str:
    """Return another text with letters and digits where there are some; a host stays."""
    own, at, host = text.partition("@")
    return "".join(chance.choice(_alphabet(each)) for each in own) + at + host


def _alphabet(character: str) -> str:
    """Return what may stand for a character: hexadecimal digits for those, and so on."""
    return next((each for each in _ALPHABETS if character in each), character)
