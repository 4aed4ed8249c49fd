"""The error of a store that doesn't respond."""

from __future__ import annotations

UNAVAILABLE = "mcpgen.unavailable"
"""The key in an ASGI scope that makes the response one with status 503."""


class StoreUnavailable(Exception):
    """The shared store didn't respond in time. Over HTTP, the response has status 503."""
