"""Texts that take long to generate, made once in a run and not once in each of its workers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

_folders: list[Path] = []


def share_texts_in(folder: Path) -> None:
    """Set the folder that all workers of this run have."""
    _folders[:] = [folder]


def shared_text(name: str, generate: Callable[[], str]) -> str:
    """Return a text from the shared folder. The first worker that needs it generates it."""
    if not _folders:
        return generate()
    path = _folders[0] / f"shared-{name}"
    if path.exists():
        return path.read_text(encoding="utf-8")
    text = generate()
    own = path.with_name(f"{path.name}-{os.getpid()}")
    own.write_text(text, encoding="utf-8")
    own.replace(path)  # no other worker reads half of it
    return text
