"""Writes what an author's class lacks into its file, or a file for a class that is not there."""

from __future__ import annotations

from pathlib import Path

from mcpgen.codegen.user_code.missing import GENERATED, Lack
from mcpgen.errors import UsageError
from mcpgen.files import swap, write


def add(lack: Lack, project: Path) -> Path:
    """Append the stubs of the methods that are lacking; every other byte stays as it was."""
    if lack.file is None:
        path = project / lack.stub.path
        swap.refuse_links(project, lack.stub.path)
        if path.exists():
            hint = f"derive one from {lack.stub.base}, or move the file away"
            raise UsageError(f"no class here derives from {lack.stub.base}", str(path), hint)
        write.replace(path, lack.stub.text)
        return path
    # Loaded here alone, as it takes a seventh of a second.
    from mcpgen.codegen.user_code import append

    file = lack.file.resolve()
    if not file.is_relative_to(project.resolve()):
        hint = "without --add-missing, mcpgen server says what to write by hand"
        raise UsageError("the file is a link out of the project", str(lack.file), hint)
    write.replace(file, append.appended(file.read_bytes(), lack, _home(lack.file)))
    return lack.file


def _home(file: Path) -> str:
    """Return how a file of the package names what is generated, by where it is."""
    folders = [(folder / GENERATED).is_dir() for folder in file.parents]
    return "." * (folders.index(True) + 1) + GENERATED
