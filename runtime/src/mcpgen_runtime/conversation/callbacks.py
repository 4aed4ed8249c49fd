"""Calls the caller's callbacks for requests of the server."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..models.response import suspend_recording
from ..threads import in_thread, is_async

if TYPE_CHECKING:
    import logging

    from mcp.types import ErrorData


async def answer_of(callback: Callable[..., object], *arguments: object) -> Any:
    """Call a callback and return its result. A function that isn't ``async`` runs in a thread."""
    with suspend_recording():
        if is_async(callback):
            answer = callback(*arguments)
        else:
            answer = await in_thread(partial(callback, *arguments))
        return await answer if inspect.isawaitable(answer) else answer


def error_data(option: str, error: Exception, logger: logging.Logger) -> ErrorData:
    """Log the exception of a callback. The error for the server doesn't contain it."""
    from mcp.types import INTERNAL_ERROR, ErrorData

    logger.error("the callback of %s failed", option, exc_info=error)
    return ErrorData(code=INTERNAL_ERROR, message="the client could not answer")
