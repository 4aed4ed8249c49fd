"""Base of clients and their views: a connection, and the options of its calls."""

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
    from .call_pipeline import Connection


class Caller:
    """A connection, and how calls are made over it."""

    def __init__(self, connection: Connection, options: CallOptions = AS_CONNECTED) -> None:
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
        """Return a copy on the same connection with other options for its calls.

        What is not given stays as it is here.

        Args:
            timeout: How many seconds a call may take; ``math.inf`` for no limit.
            on_progress: Is told how far a tool has come.
            meta: Members of the request's ``_meta``.
            retry: When a call that failed on its way is made again; ``None`` for never.
            timeout_resets_on_progress: Whether a call has its whole time limit anew
                each time that the server tells how far it has come.
            as_task: Whether tools run as tasks that do so if it is asked for.
            task_ttl: For how many seconds a server should keep a task, from its start;
                since 2026-07-28 servers alone decide that.
        """
        other = copy.copy(self)
        often = None if retry is MISSING else retry or ONCE
        given = CallOptions(
            timeout,
            on_progress,
            meta,
            often,
            timeout_resets_on_progress,
            as_task,
            task_ttl,
        )
        other._options = given.over(self._options)
        return other


connection_of: Callable[[Caller], Connection] = attrgetter("_connection")


def package_of(caller: Caller) -> Package:
    """Return what a client was generated from."""
    return connection_of(caller).package


options_of: Callable[[Caller], CallOptions] = attrgetter("_options")


def record(
    caller: Caller,
    method: Callable[..., object],
    *,
    waits: bool,
    is_capturing: bool = False,
) -> AbstractContextManager[Recorder]:
    """Record the calls of a method, or refuse it before it makes any.

    ``waits`` says whether methods that wait are asked for, or ``async`` ones.
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
    """Return the object that a method is of, also within a partial or a decorator."""
    owner: object = getattr(method, "__self__", None)
    for wrapper in ("func", "__wrapped__"):
        if owner is None and (inner := getattr(method, wrapper, None)) is not None:
            owner = owner_of(inner)
    return owner
