"""Exchanges two folders in one system call, if the operating system has one."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

_CURRENT_FOLDER = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two folders. Return False if the system or the file system can't."""
    try:
        code = _call(os.fsencode(one), os.fsencode(other))
    except AttributeError:  # a C library without the call
        return False
    if code is None or code in _UNSUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), str(other))
    return True


def _call(one: bytes, other: bytes) -> int | None:
    """Return the error number of the system call, or None if the system has none."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        failed = libc.renameat2(_CURRENT_FOLDER, one, _CURRENT_FOLDER, other, _EXCHANGE)
        return ctypes.get_errno() if failed else 0
    if sys.platform == "darwin":
        libc = ctypes.CDLL(None, use_errno=True)
        return ctypes.get_errno() if libc.renamex_np(one, other, _EXCHANGE) else 0
    return None
