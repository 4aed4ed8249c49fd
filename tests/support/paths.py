"""Paths of the project, and the number of examples for property tests."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import HealthCheck, settings

SUPPORT = Path(__file__).resolve().parent
ROOT = SUPPORT.parents[1]
_SMALL = SUPPORT / "corpus"
_LARGE = ROOT.parent / "shared" / "corpus"
CORPUS = Path(os.environ.get("MCPGEN_CORPUS") or (_LARGE if _LARGE.is_dir() else _SMALL))
HAS_LARGE_CORPUS = CORPUS.resolve() != _SMALL
CACHE = ROOT / ".cache"

# The same examples in every run; how fast a machine is proves nothing.
USUAL = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
