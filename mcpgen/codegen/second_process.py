"""Does half of some work in a second process, where the system can start one at no cost.

On Linux a process is copied with all that it knows; elsewhere, and where another thread runs, all
is done here. Whatever goes wrong in the second process is done here again, and raised here.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def in_two(work: Callable[[Sequence[_Item]], list[_Made]], items: Sequence[_Item]) -> list[_Made]:
    """Return what is made of all items, in no order; what is made of one must not need another."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) == 1:
        return work(items)
    if threading.active_count() > 1:  # what another thread holds, the copy would hold for ever
        return work(items)
    receiving, sending = os.pipe()
    try:
        child = os.fork()
    except OSError:  # there may be no more processes
        os.close(receiving)
        os.close(sending)
        return work(items)
    if not child:
        _answer(lambda: work(items[1::2]), sending)
    os.close(sending)
    try:
        with os.fdopen(receiving, "rb") as answer:
            made = work(items[::2])
            content = answer.read()
    finally:
        _, status = os.waitpid(child, 0)
    if status:
        return [*made, *work(items[1::2])]
    return [*made, *cast("list[_Made]", pickle.loads(content))]  # noqa: S301 - we wrote it


def _answer(work: Callable[[], object], sending: int) -> None:
    """Send what is made, and end without a word: nothing of this process is ours to close."""
    status = 1
    try:
        gc.disable()
        with os.fdopen(sending, "wb") as answer:
            pickle.dump(work(), answer)
        status = 0
    finally:
        os._exit(status)
