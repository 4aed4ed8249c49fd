"""Middleware for ``connect(middleware=[...])``, and the types that one is written with."""

from .calls.caching import caching
from .calls.call_logging import logging
from .calls.middleware import Call, Hints, Middleware, Proceed, SyncProceed
from .models.content import AnyResult as Result

__all__ = [
    "Call",
    "Hints",
    "Middleware",
    "Proceed",
    "Result",
    "SyncProceed",
    "caching",
    "logging",
]
