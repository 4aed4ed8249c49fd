"""Text on its way to a person or a file: known secrets hidden, control characters visible."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mcpgen.jsontext import Json, is_array, is_object

# Too short or too plain to be a secret; replacing them would damage the server's own words.
_TELLING = 4
_HARMLESS = re.compile(r"[A-Za-z]{1,11}|.{1,7}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Secrets:
    """Values that were given in confidence, each with the ``${NAME}`` that stands in for it."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])

    def __or__(self, other: Secrets) -> Secrets:
        return Secrets({**self.values, **other.values})

    def hide(self, text: str) -> str:
        """Return text for a person to read: secrets replaced, control characters escaped."""
        return visible(_replace(text, self.values, (v for v in self.values if len(v) >= _TELLING)))

    def strip(self, value: Json) -> Json:
        """Return a server's answer without secrets that it repeats, keys included."""
        telling = [v for v in self.values if not _HARMLESS.fullmatch(v)]
        return self._strip(value, telling) if telling else value

    def _strip(self, value: Json, telling: list[str]) -> Json:
        if isinstance(value, str):
            return _replace(value, self.values, telling)
        if is_array(value):
            return [self._strip(item, telling) for item in value]
        if is_object(value):
            return {
                _replace(key, self.values, telling): self._strip(item, telling)
                for key, item in value.items()
            }
        return value


def _replace(text: str, names: Mapping[str, str], values: Iterable[str]) -> str:
    # The longest first: one secret may hold another.
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, names[value])
    return text


def visible(text: str) -> str:
    """Escape what a terminal would act on or not show; line breaks and tabs stay."""
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
