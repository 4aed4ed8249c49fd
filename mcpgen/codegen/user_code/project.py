"""A project that is new: the author's files, save those that are there, and ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mcpgen.codegen.user_code.missing import GENERATED
from mcpgen.files.write import Folder


def whole(project: Path, package: str, own: Mapping[str, str], made: Mapping[str, str]) -> Folder:
    """Return a project that is new: its author's files, save those that are there, and ours."""
    files = {path: text for path, text in own.items() if not (project / path).exists()}
    files |= {f"src/{package}/{GENERATED}/{path}": text for path, text in made.items()}
    return Folder(project, files, is_ours=False)
