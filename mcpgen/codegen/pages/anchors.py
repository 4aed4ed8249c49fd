"""Anchors of definitions. They depend only on names, so links stay valid."""

from __future__ import annotations

import hashlib
import re

_LONGEST = 120
_ESCAPED = re.compile(r"[^A-Za-z0-9_-]")


def anchor(kind: str, *segments: str) -> str:
    """Return an ID such as ``tool-search.query``, which no other segments share.

    A long ID ends with a hash.
    """
    text = f"{kind}-{'.'.join(segments)}"
    if len(text) <= _LONGEST:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{text[:_LONGEST]}~{digest[:12]}"


def segment(name: str) -> str:
    """Return a name for an anchor. Unusual characters become their code points, as in ``~20~``."""
    return _ESCAPED.sub(lambda match: f"~{ord(match[0]):x}~", name)


def alternative(number: int) -> str:
    """Return the segment of an alternative, which no name has."""
    return f"!{number}"
