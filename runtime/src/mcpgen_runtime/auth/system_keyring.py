"""The keyring of the system, if the package ``keyring`` is installed and works."""

from __future__ import annotations

import importlib
from typing import Any

_SERVICE = "mcpgen"


def put(name: str, text: str) -> bool:
    """Store a text and return whether it worked."""
    keyring = _library()
    if keyring is None:
        return False
    try:
        keyring.set_password(_SERVICE, name, text)
        return bool(keyring.get_password(_SERVICE, name) == text)
    except Exception:  # backends raise anything
        return False


def get(name: str) -> str | None:
    """Return a text, or None if it doesn't exist or the keyring fails."""
    keyring = _library()
    try:
        password = keyring.get_password(_SERVICE, name) if keyring else None
    except Exception:  # backends raise anything
        return None
    return password if isinstance(password, str) else None


def drop(name: str) -> None:
    """Delete a text, if it exists."""
    keyring = _library()
    try:
        if keyring:
            keyring.delete_password(_SERVICE, name)
    except Exception:  # backends raise anything
        return


def _library() -> Any:
    try:
        return importlib.import_module("keyring")
    except Exception:  # not installed, or no backend can be loaded
        return None
