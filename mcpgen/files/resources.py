"""Finds the folders `templates` and `schema`, in a wheel or in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def folder(name: str) -> Path:
    """Return a shipped folder: inside the package in a wheel, at the top in a checkout."""
    for path in (_PACKAGE / name, _PACKAGE.parent / name):
        if path.is_dir():
            return path
    raise FileNotFoundError(f"this installation of mcpgen has no folder {name!r}; reinstall it")
