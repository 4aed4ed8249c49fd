"""`git:REV:PATH`: a file as a revision of the repository around this folder has it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mcpgen.errors import UsageError

_PREFIX = "git:"


def is_one(word: str) -> bool:
    """Say whether a word on the command line is ``git:REV:PATH``."""
    return word.startswith(_PREFIX)


def path_of(word: str) -> str | None:
    """Return the path of ``git:REV:PATH``, ``None`` for anything else."""
    return _parts(word)[1] if is_one(word) else None


def _parts(word: str) -> tuple[str, str]:
    revision, _, path = word.removeprefix(_PREFIX).partition(":")
    if not revision or not path:
        raise UsageError("expected git:REV:PATH", word, "for example git:HEAD:contract.json")
    if revision.startswith("-"):
        raise UsageError("this is no revision", revision)
    return revision, path


def content(word: str) -> bytes:
    """Return the file; its path starts at this folder, like every other."""
    revision, path = _parts(word)
    relative = Path(os.path.relpath(path)).as_posix() if Path(path).is_absolute() else path
    found = _git("cat-file", "blob", f"{revision}:./{relative}")
    if found.returncode == 0:
        return found.stdout
    said = found.stderr.decode(errors="replace").strip().removeprefix("fatal: ").splitlines()
    raise UsageError(
        f"git has no such file: {said[0] if said else 'it says nothing'}",
        word,
        "check the revision, and that the file is committed there; a path starts at this folder",
    )


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603 - no shell, and the revision is no option
            ["git", *arguments],  # noqa: S607 - the user's git is the one that is meant
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("git is not installed", hint="give two files instead") from None
