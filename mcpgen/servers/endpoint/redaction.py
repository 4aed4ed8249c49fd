"""Replaces known secrets in text for a person to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mcpgen_runtime.display import visible

# Shorter ones would damage the server's own words.
_SHORTEST_SECRET = 4


@dataclass(frozen=True, slots=True)
class Secrets:
    """Secret values with the ``${NAME}`` placeholders that replace them."""

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


def _replace(text: str, names: Mapping[str, str], values: Iterable[str]) -> str:
    # The longest first: one secret may hold another.
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, names[value])
    return text
