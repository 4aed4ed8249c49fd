"""The error of a store that doesn't answer."""

from __future__ import annotations

UNAVAILABLE = "mcpgen.unavailable"
"""The member of an ASGI scope that turns a response into one with status 503."""


class StoreUnavailable(Exception):
    """The shared store didn't answer in time. Over HTTP, the response has status 503."""
