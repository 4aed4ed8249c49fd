"""Scripts by someone who hadn't read the checker: correct ones, wrong ones, and unsupported
features. They are the code blocks of fresh_scripts.md.
"""

from __future__ import annotations

import re
from pathlib import Path

_SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_SCRIPT = re.compile(r"^```python( mended)?\n(.*?)^```\n", re.MULTILINE | re.DOTALL)

_text = Path(__file__).with_suffix(".md").read_text("utf-8")
_scripts = {title: _SCRIPT.findall(text) for title, text in _SECTION.findall(_text)}

RIGHT = tuple(script for _, script in _scripts["Correct"])
"""Correct scripts, which run in the sandbox."""

MENDED: dict[str, str] = {}
"""A script that follows the checker's hint for each wrong script, or "" without one."""
for is_mended, script in _scripts["Wrong"]:
    if is_mended:
        MENDED[next(reversed(MENDED))] = script
    else:
        MENDED[script] = ""

FEATURES = tuple(script for _, script in _scripts["Features"])
"""Scripts with one feature of Python each, supported or not."""
