"""Middleware: what a client passes each of its calls through, and some that is ready.

``connect(middleware=[logging(), caching(ttl=60)])``; the first is outermost.
"""

from ._runtime.caching import caching
from ._runtime.call_logging import logging
from ._runtime.content import AnyResult as Result
from ._runtime.middleware import Call, Hints, Middleware, Proceed, WaitingProceed

__all__ = [
    "Call",
    "Hints",
    "Middleware",
    "Proceed",
    "Result",
    "WaitingProceed",
    "caching",
    "logging",
]
