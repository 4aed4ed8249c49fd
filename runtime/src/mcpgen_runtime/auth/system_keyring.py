"""The keyring of the system, where the package ``keyring`` is installed and works."""

from __future__ import annotations

import importlib
from typing import Any

_SERVICE = "mcpgen"


def put(name: str, text: str) -> bool:
    """Keep a text; say whether it is there now: a backend may have no room for it."""
    keyring = _library()
    if keyring is None:
        return False
    try:
        keyring.set_password(_SERVICE, name, text)
        return bool(keyring.get_password(_SERVICE, name) == text)
    except Exception:  # whatever a backend raises
        return False


def get(name: str) -> str | None:
    """Return a text, None where there is none or the keyring does not answer."""
    keyring = _library()
    try:
        found = keyring.get_password(_SERVICE, name) if keyring else None
    except Exception:  # whatever a backend raises
        return None
    return found if isinstance(found, str) else None


def drop(name: str) -> None:
    """Forget a text, if it is there."""
    keyring = _library()
    try:
        if keyring:
            keyring.delete_password(_SERVICE, name)
    except Exception:  # whatever a backend raises
        return


def _library() -> Any:
    try:
        return importlib.import_module("keyring")
    except Exception:  # not installed, or no backend can be loaded
        return None
