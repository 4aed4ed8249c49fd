"""Signs cached content with a key that only this user can read."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
import sys
import tempfile
from pathlib import Path

from mcpgen.files.user_folders import config_folder

_LENGTH = 32
# Don't follow symlinks, don't block on pipes, and read bytes on Windows.
_UNDAUNTED: int = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def place() -> Path:
    """Return the path of the key. It isn't in the cache folder, which may be a copy."""
    return config_folder() / "cache.key"


def secret() -> bytes | None:
    """Return the user's key, creating it on first use, or None if it can't be stored."""
    try:
        file = place()
        return _read(file) or _create(file)
    except OSError:
        return None


def signer(secret: bytes, name: str) -> hmac.HMAC:
    """Return an HMAC for content cached under a name. Update it piece by piece."""
    return hmac.new(secret, name.encode() + b"\n", hashlib.sha256)


def is_of(signature: bytes, secret: bytes, name: str, content: bytes) -> bool:
    """Return True if a signature is valid for this content under this name."""
    digest = signer(secret, name)
    digest.update(content)
    return hmac.compare_digest(signature, digest.hexdigest().encode())


def distrust(folder: Path) -> str:
    """Return why another user may have written into a folder, or "".

    The folders above it count too, because whoever can write there can replace it.
    """
    try:
        status = folder.stat()
    except OSError:
        pass  # it doesn't exist yet
    else:
        if not _is_own(status):
            return f"{folder} belongs to another user"
        if os.name == "posix" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"others may write into {folder}"
    reasons = (_distrust_parent(parent) for parent in folder.absolute().parents)
    return next((reason for reason in reasons if reason), "")


def _distrust_parent(folder: Path) -> str:
    try:
        status = folder.stat()
    except OSError:
        return ""
    if sys.platform == "win32" or (_is_own(status) and not status.st_mode & stat.S_IWOTH):
        return ""
    # In a sticky folder such as /tmp, only the owner of a file can replace it.
    if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        return f"others may write into {folder}"
    return "" if status.st_uid in (0, os.geteuid()) else f"{folder} belongs to another user"


def _read(file: Path) -> bytes | None:
    """Return the key in a file, if no other user could have read or written it."""
    try:
        descriptor = os.open(file, os.O_RDONLY | _UNDAUNTED)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        is_private = os.name != "posix" or not status.st_mode & _OTHERS
        content = stream.read(_LENGTH + 1)
    is_sound = stat.S_ISREG(status.st_mode) and _is_own(status) and is_private
    return content if is_sound and len(content) == _LENGTH else None


def _create(file: Path) -> bytes | None:
    """Create a key, unless another run is doing so. An exposed key is replaced."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Readable by its owner only.
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(secrets.token_bytes(_LENGTH))
        with contextlib.suppress(FileExistsError):
            os.link(temporary, file)
        if _read(file) is None:
            Path(temporary).replace(file)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return _read(file)


def _is_own(status: os.stat_result) -> bool:
    return sys.platform == "win32" or status.st_uid == os.geteuid()
