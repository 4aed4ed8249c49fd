"""The files of a new project: the author's, save those that are there, and the generated ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mcpgen.codegen.user_code.missing import GENERATED
from mcpgen.files.write import Folder


def new_project(
    project: Path, package: str, own: Mapping[str, str], generated: Mapping[str, str]
) -> Folder:
    """Return the files to write for a new project; what is there already is the author's."""
    files = {path: text for path, text in own.items() if not (project / path).exists()}
    files |= {f"src/{package}/{GENERATED}/{path}": text for path, text in generated.items()}
    return Folder(project, files, is_ours=False)
