"""Replaces known secrets in text for users."""

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
        """Return text for users: secrets replaced, control characters escaped."""
        return visible(self.replace(text).expandtabs(4))

    def replace(self, text: str) -> str:
        """Return text without secrets, except values too short for a secret."""
        secrets = [value for value in self.values if len(value) >= _SHORTEST_SECRET]
        return _replace(text, self.values, secrets)


def _replace(text: str, names: Mapping[str, str], values: Iterable[str]) -> str:
    # The longest first, because a secret may contain another.
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, names[value])
    return text
