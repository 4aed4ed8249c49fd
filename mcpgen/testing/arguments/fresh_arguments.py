"""Generates arguments that weren't used before.

A read-only tool must not store an unknown name, and a slot can only be booked once.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from mcpgen.jsontext import Json, canonical, is_array, is_number, is_object
from mcpgen.testing.arguments import safety
from mcpgen.testing.arguments.values import Schema

_LONGEST = 200
_TRIES = 20
_ALPHABETS = ("0123456789", "abcdef", "ABCDEF", string.ascii_lowercase, string.ascii_uppercase)
DAY = re.compile(r"\d{4}-\d\d-\d\d")
LATE_DAY = "2099-01-01"
_STEPS_IN_DAYS = (32, 7, 1)
_MAX_REFUSALS = 40
_SMALL_RANGE = 100
_STEP = 37
"""The step between numbers. It is a prime number, so that numbers within limits repeat late."""


@dataclass(slots=True)
class Renewal:
    """A new value of one argument for each call of a tool that can't be repeated.

    Booking a slot takes it. The next booking needs another day, or another room.
    """

    name: str
    days: int = 0
    """Number of days from one call to the next, if the value is a day or a time."""
    values: Sequence[Json] = ()
    """Known values, in the order of their use."""
    used: set[bytes] = field(default_factory=set[bytes])
    """The values of successful calls."""
    _count: int = 0
    _refusals: int = 0

    @classmethod
    def from_data(cls, data: Mapping[str, Json]) -> Renewal | None:
        """Return the renewal of a stored case, or None if its data is invalid."""
        name, days, values = data.get("name"), data.get("days"), data.get("values")
        if isinstance(name, str) and isinstance(days, int) and is_array(values):
            return cls(name, days, values)
        return None

    def to_data(self) -> dict[str, Json]:
        """Return the data to store with a case, for a repetition in another run."""
        return {"name": self.name, "days": self.days, "values": [*self.values]}

    def renew(self, schema: Schema, arguments: Json) -> Json:
        """Return the arguments with a new value, if the one they have is taken."""
        if not is_object(arguments) or self.name not in arguments:
            return arguments
        if self._refusals >= _MAX_REFUSALS or canonical(arguments[self.name]) not in self.used:
            return arguments
        return self.advance(schema, arguments) or arguments

    def advance(self, schema: Schema, arguments: dict[str, Json]) -> dict[str, Json] | None:
        """Return the arguments with the next value, or None at the end."""
        value, self._count = arguments[self.name], self._count + 1
        if self.days and isinstance(value, str):
            later = _later(value, self.days * self._count)
            return {**arguments, self.name: later} if later else None
        if self.values:
            untaken = [item for item in self.values if canonical(item) not in self.used]
            at = self._count % max(1, len(untaken))
            return {**arguments, self.name: untaken[at]} if untaken else None
        if is_number(value):
            return _other_number(schema, arguments, self.name, self._count)
        return renew_argument(schema, arguments, self.name, self._count)

    def note(self, arguments: Json, *, has_worked: bool) -> None:
        """Record the outcome of a call that the schema allows."""
        self._refusals = 0 if has_worked else self._refusals + 1
        if has_worked and is_object(arguments) and self.name in arguments:
            self.used.add(canonical(arguments[self.name]))


def _later(text: str, days: int) -> str:
    """Return a date (and time) a number of days later, or "" if the string isn't a date."""
    if not DAY.match(text):
        return ""
    try:
        day = date.fromisoformat(text[:10]) + timedelta(days=days)
    except (ValueError, OverflowError):
        return ""
    return day.isoformat() + text[10:]


def renewals(
    schema: Schema,
    arguments: dict[str, Json],
    free: Collection[str],
    values_by_name: Mapping[str, Sequence[Json]],
) -> Iterator[Renewal]:
    """Yield ways in which a call may work again after its repetition was refused.

    Values of ``free`` arguments may be made up. ``values_by_name`` has values from other results by
    argument.
    """
    days = [name for name in free if DAY.match(str(arguments[name]))]
    for name in days:
        yield from (Renewal(name, days=step) for step in _STEPS_IN_DAYS)
    texts = [name for name in names(schema, arguments) if name in {*free} - {*days}]
    texts = [name for name in texts if name not in schema.options()]
    numbers = [name for name in free if is_number(arguments[name])]
    # Unlike known values and small ranges of numbers, large numbers and strings don't run out soon.
    yield from (Renewal(name) for name in numbers if not _is_in_small_range(schema, name))
    yield from (Renewal(name) for name in texts)
    yield from (Renewal(name) for name in numbers if _is_in_small_range(schema, name))
    for name, values in values_by_name.items():
        if name in arguments and name not in days and len(values) > 1:
            yield Renewal(name, values=values)
    for name, options in schema.options().items():
        if name in free and name not in values_by_name:
            yield Renewal(name, values=options)


def _is_in_small_range(schema: Schema, name: str) -> bool:
    part = schema.members().get(name)
    low, high = (part.get("minimum"), part.get("maximum")) if is_object(part) else (None, None)
    return isinstance(low, int) and isinstance(high, int) and high - low < _SMALL_RANGE


def _other_number(
    schema: Schema, arguments: dict[str, Json], name: str, count: int
) -> dict[str, Json] | None:
    """Return the arguments with another number for each count, within the limits of the schema."""
    value: Json = arguments[name]
    part = schema.members().get(name)
    low, high = (part.get("minimum"), part.get("maximum")) if is_object(part) else (None, None)
    later = value + count
    if isinstance(low, int) and isinstance(high, int) and low < high:
        later = low + (value - low + count * _STEP) % (high - low + 1)
    changed = {**arguments, name: later}
    return changed if _may_be_renewed(schema, arguments, changed, name) else None


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
        if text != before and _may_be_renewed(schema, arguments, changed, name):
            return changed
    return None


def _may_be_renewed(
    schema: Schema, arguments: dict[str, Json], changed: dict[str, Json], name: str
) -> bool:
    """Return True if the schema allows a new value of an argument.

    If it forbids another argument, the call needs a free slot, too.
    """
    errors = schema.errors(changed)
    if not errors or schema.allows(arguments):
        return not errors
    return not any([*error.absolute_path][:1] == [name] for error in errors)


def _like(text: str, chance: random.Random) -> str:
    """Return a random string with the same kinds of characters. A host name stays."""
    own, at, host = text.partition("@")
    return "".join(chance.choice(_alphabet(item)) for item in own) + at + host


def _alphabet(character: str) -> str:
    """Return the alphabet of a character, such as hexadecimal digits."""
    return next((item for item in _ALPHABETS if character in item), character)
