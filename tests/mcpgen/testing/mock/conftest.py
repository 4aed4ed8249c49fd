"""Fixtures of the tests in this folder."""

from __future__ import annotations

from mock_servers import era
from mock_tasks import revision

__all__ = ["era", "revision"]
