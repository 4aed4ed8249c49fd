"""Has the caller's callbacks answer what the server asks, in whichever session it asks.

Loaded only where there are such callbacks.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from . import PACKAGE
from .response import unrecorded
from .worker import in_thread, is_async

if TYPE_CHECKING:
    from mcp.types import ErrorData

    from .connect import ConnectOptions
    from .session import Session


def answering_of(session: Session, options: ConnectOptions) -> dict[str, Any]:
    """Return what the SDK's client is made with; it declares what it is given."""
    given: dict[str, Any] = {}
    server = session.route.label
    if options.elicit is not None:
        from .questions import elicitation

        given["elicitation_callback"] = elicitation(options.elicit, server)
    if options.sampling is not None:
        given.update(options.sampling.of_sdk(server))
    if options.roots is not None:
        from .roots import listing

        given["list_roots_callback"] = listing(options.roots)
    return given


async def answer_of(callback: Callable[..., object], *arguments: object) -> Any:
    """Return what a callback says; one that is not ``async`` runs in a thread."""
    with unrecorded():
        if is_async(callback):
            answer = callback(*arguments)
        else:
            answer = await in_thread(partial(callback, *arguments))
        return await answer if inspect.isawaitable(answer) else answer


def failed(option: str, error: Exception) -> ErrorData:
    """Log why a callback gave no answer; the server is told no more than that."""
    from mcp.types import INTERNAL_ERROR, ErrorData

    log().error("the callback of %s failed", option, exc_info=error)
    return ErrorData(code=INTERNAL_ERROR, message="the client could not answer")


def log() -> logging.Logger:
    """Return the log of the package."""
    return logging.getLogger(PACKAGE)
