"""Known secrets replaced: in text for a person to read, and in what a server answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mcpgen.display import visible
from mcpgen.jsontext import Json, is_array, is_object

# Too short or too plain to be a secret; replacing them would damage the server's own words.
_SHORTEST_SECRET = 4
_HARMLESS = re.compile(r"[A-Za-z]{1,11}|.{0,7}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Secrets:
    """Values that were given in confidence, each with the ``${NAME}`` that stands in for it."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])

    def __or__(self, other: Secrets) -> Secrets:
        return Secrets({**self.values, **other.values})

    def hide(self, text: str) -> str:
        """Return text for a person to read: secrets replaced, control characters escaped."""
        return visible(self.replace(text).expandtabs(4))

    def replace(self, text: str) -> str:
        """Return text without secrets, but for those too short to be any."""
        secrets = [value for value in self.values if len(value) >= _SHORTEST_SECRET]
        return _replace(text, self.values, secrets)

    def strip(self, value: Json) -> Json:
        """Return a server's answer without secrets that it repeats, keys included."""
        secrets = [each for each in self.values if not _HARMLESS.fullmatch(each)]
        return self._strip(value, secrets) if secrets else value

    def _strip(self, value: Json, secrets: list[str]) -> Json:
        if isinstance(value, str):
            return _replace(value, self.values, secrets)
        if is_array(value):
            return [self._strip(item, secrets) for item in value]
        if is_object(value):
            return {
                _replace(key, self.values, secrets): self._strip(item, secrets)
                for key, item in value.items()
            }
        return value


def _replace(text: str, names: Mapping[str, str], values: Iterable[str]) -> str:
    # The longest first: one secret may hold another.
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, names[value])
    return text
