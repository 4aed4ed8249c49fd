"""Base class of clients and their views."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pydantic import MISSING
from typing_extensions import Self

from ..models.response import Recorder, recording
from ..options import AS_CONNECTED, ONCE, CallOptions, Retry
from ..tool import Meta, OnProgress

if TYPE_CHECKING:
    from ..package import Package
    from .call_pipeline import CallPipeline


class Caller:
    """A connection with options for calls."""

    def __init__(self, connection: CallPipeline, options: CallOptions = AS_CONNECTED) -> None:
        self._connection = connection
        self._options = options

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._connection}>"

    def with_options(
        self,
        *,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        meta: Meta | None = None,
        retry: Retry | MISSING | None = MISSING,
        timeout_resets_on_progress: bool | None = None,
        as_task: bool | None = None,
        task_ttl: float | None = None,
    ) -> Self:
        """Return a client with other call options on the same connection.

        Options that aren't given keep their values.

        Args:
            timeout: Time limit of a call, in seconds. ``math.inf`` means no limit.
            on_progress: Called with the progress of a call.
            meta: Properties of the request's ``_meta``.
            retry: When calls are retried. None means never.
            timeout_resets_on_progress: Whether progress restarts the time limit.
            as_task: Whether tools with optional task support run as tasks.
            task_ttl: Seconds that the server should keep a task after its start. Since
                revision 2026-07-28 the server decides.
        """
        other = copy.copy(self)
        often = None if retry is MISSING else retry or ONCE
        call_options = CallOptions(
            timeout,
            on_progress,
            meta,
            often,
            timeout_resets_on_progress,
            as_task,
            task_ttl,
        )
        other._options = call_options.over(self._options)
        return other


connection_of: Callable[[Caller], CallPipeline] = attrgetter("_connection")


def package_of(caller: Caller) -> Package:
    """Return the generated package of a client."""
    return connection_of(caller).package


options_of: Callable[[Caller], CallOptions] = attrgetter("_options")


def record(
    caller: Caller,
    method: Callable[..., object],
    *,
    waits: bool,
    is_capturing: bool = False,
) -> AbstractContextManager[Recorder]:
    """Return a context manager that records the calls of a method.

    Args:
        caller: The client that the method has to belong to.
        method: The method, or a function that calls methods.
        waits: Whether the method has to be synchronous.
        is_capturing: Whether to capture its call instead of sending it.

    Raises:
        TypeError: The method belongs to another connection, or is of the wrong kind.
    """
    owner = owner_of(method)
    asynchronous = getattr(owner, "_asynchronous", owner)
    if isinstance(asynchronous, Caller):
        if (asynchronous is not owner) is not waits:
            reason = (
                "is async, and this client waits" if waits else "waits, and this client is async"
            )
            raise TypeError(f"{method!r} {reason}")
        if connection_of(asynchronous) is not connection_of(caller):
            raise TypeError(f"{method!r} is of another connection")
    options = options_of(caller)
    return recording(connection_of(caller), options, is_capturing=is_capturing)


def owner_of(method: Any) -> object:
    """Return the object of a method, also within a partial or a decorator."""
    owner: object = getattr(method, "__self__", None)
    for wrapper in ("func", "__wrapped__"):
        if owner is None and (inner := getattr(method, wrapper, None)) is not None:
            owner = owner_of(inner)
    return owner
