"""Generation of strings and numbers from a schema's format, pattern and bounds."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from itertools import islice
from typing import Any

from ..validation import samples


class ImpossibleError(Exception):
    """No value satisfies the schema."""


def made_up_text(keywords: Mapping[str, Any], name: str, index: int, seed: int) -> str:
    """Return the string with this index for a property's name."""
    least: int = keywords.get("minLength") or 0
    most: int | None = keywords.get("maxLength")
    if isinstance(pattern := keywords.get("pattern"), str):
        return _matching(pattern, keywords, name, seed)
    form = _FORMATS.get(str(keywords.get("format")))
    if form is not None:
        return form.format(n=index % 28 + 1)
    text = name or "text"
    text = f"{text} {index + 1}" if index else text
    text = text.ljust(least, "x") if least <= _LONGEST else text
    return text if most is None else text[: int(most)]


def _matching(pattern: str, keywords: Mapping[str, Any], name: str, seed: int) -> str:
    """Return a string of a valid length that matches a pattern."""
    least: int = keywords.get("minLength") or 0
    most: float = keywords.get("maxLength", math.inf)
    chance = random.Random(seed)
    written = samples.matching(pattern, chance, least)
    likely = (text for text in (name, "a", "1") if samples.matches(pattern, text))
    for text in (*islice(likely, 1), *islice(written, 50)):
        if least <= len(text) <= most:
            return text
    raise ImpossibleError(f"no text is known that fits the pattern {pattern}")


def made_up_number(keywords: Mapping[str, Any], index: int, *, is_whole: bool) -> Any:
    """Return the number with this index within the bounds, as far as possible."""
    step = keywords.get("multipleOf") or 1
    low, high = keywords.get("minimum"), keywords.get("maximum")
    above, below = keywords.get("exclusiveMinimum"), keywords.get("exclusiveMaximum")
    if above is not None and not isinstance(above, bool):
        low = max(low, above + step) if low is not None else above + step
    elif above is True and low is not None:
        low += step
    if below is not None and not isinstance(below, bool):
        high = min(high, below - step) if high is not None else below - step
    elif below is True and high is not None:
        high -= step
    value = step * (index + 1)
    if low is not None and value < low:
        value = -(-low // step) * step + step * index
    if high is not None and value > high:
        value = high // step * step
        if low is not None and value < low and not is_whole:
            value = (low + high) / 2
    return int(value) if is_whole else value


_FORMATS = {
    "date": "2026-01-{n:02}",
    "date-time": "2026-01-{n:02}T09:00:00Z",
    "time": "09:00:{n:02}Z",
    "duration": "P{n}D",
    "email": "user{n}@example.org",
    "idn-email": "user{n}@example.org",
    "hostname": "host{n}.example.org",
    "idn-hostname": "host{n}.example.org",
    "ipv4": "192.0.2.{n}",
    "ipv6": "2001:db8::{n}",
    "uri": "https://example.org/{n}",
    "uri-reference": "/{n}",
    "iri": "https://example.org/{n}",
    "iri-reference": "/{n}",
    "uri-template": "https://example.org/{{id}}/{n}",
    "url": "https://example.org/{n}",
    "uuid": "00000000-0000-4000-8000-{n:012}",
    "json-pointer": "/{n}",
    "relative-json-pointer": "{n}",
    "regex": "^{n}$",
    "byte": "AAAA",
    "base64": "AAAA",
}
_LONGEST = 100_000
