"""Compares JSON with what was recorded of it, of which secrets were kept back."""

from __future__ import annotations

import json
import re

_KEPT_BACK = re.compile(r"\$\{[A-Za-z_]\w*\}")


def is_same(recorded: object, live: object) -> bool:
    """Compare JSON; ``${NAME}`` stands for text that was kept back, and may be any."""
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
