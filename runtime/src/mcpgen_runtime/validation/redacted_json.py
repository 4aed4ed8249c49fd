"""Comparison of JSON with a recording that contains redacted values."""

from __future__ import annotations

import json
import re

_KEPT_BACK = re.compile(r"\$\{[A-Za-z_]\w*\}")


def matches_recorded(recorded: object, live: object) -> bool:
    """Compare JSON. ``${NAME}`` in the recording matches any text."""
    recorded_text, now = (json.dumps(value, sort_keys=True) for value in (recorded, live))
    if recorded_text == now:
        return True
    *parts, last = _KEPT_BACK.split(recorded_text)
    if not parts or not now.startswith(parts[0]):
        return False
    end = len(parts[0])
    for part in (*parts[1:], last):
        start = now.find(part, end)
        if start < 0 or '"' in now[end:start]:
            return False
        end = start + len(part)
    return end == len(now)
