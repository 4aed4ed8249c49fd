"""Reads `git:REV:PATH`: a file in a revision of the repository around the current folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from mcpgen.errors import UsageError

_PREFIX = "git:"


def is_revision(argument: str) -> bool:
    """Return True if an argument names a file in a revision, such as ``git:HEAD:contract.json``."""
    return argument.startswith(_PREFIX)


def path_of(argument: str) -> str | None:
    """Return the path of ``git:REV:PATH``, ``None`` for anything else."""
    return _parts(argument)[1] if is_revision(argument) else None


def _parts(argument: str) -> tuple[str, str]:
    revision, _, path = argument.removeprefix(_PREFIX).partition(":")
    if not revision or not path:
        raise UsageError("expected git:REV:PATH", argument, "for example git:HEAD:contract.json")
    if revision.startswith("-"):
        raise UsageError("the revision doesn't exist", revision)
    return revision, path


def content(arg: str) -> bytes:
    """Return the content of a file in a revision. Its path is relative to the current folder."""
    revision, path = _parts(arg)
    relative = Path(os.path.relpath(path)).as_posix() if Path(path).is_absolute() else path
    run = _git("cat-file", "blob", f"{revision}:./{relative}")
    if run.returncode == 0:
        return run.stdout
    reasons = run.stderr.decode(errors="replace").strip().removeprefix("fatal: ").splitlines()
    raise UsageError(
        f"git has no such file: {reasons[0] if reasons else 'it says nothing'}",
        arg,
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
