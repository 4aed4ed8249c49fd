"""Adds missing methods to an author's class, or writes a new file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mcpgen.codegen.user_code.missing import GENERATED, MissingMethods
from mcpgen.errors import UsageError
from mcpgen.files import swap, write
from mcpgen.files.write import Folder


def add(missing: MissingMethods, project: Path) -> Path:
    """Append the stubs of missing methods. Every other byte stays."""
    if missing.file is None:
        path = project / missing.stub.path
        swap.refuse_links(project, missing.stub.path)
        if path.exists():
            hint = f"derive one from {missing.stub.base}, or move the file away"
            raise UsageError(f"no class here derives from {missing.stub.base}", str(path), hint)
        write.replace(path, missing.stub.text)
        return path
    # Imported only here, because the import takes a seventh of a second.
    from mcpgen.codegen.user_code import append

    file = missing.file.resolve()
    if not file.is_relative_to(project.resolve()):
        hint = "without --add-missing, mcpgen server lists the code to write by hand"
        raise UsageError("the file is a link out of the project", str(missing.file), hint)
    write.replace(file, append.append_stubs(file.read_bytes(), missing, _home(missing.file)))
    return missing.file


def _home(file: Path) -> str:
    """Return the relative import of the generated package, as seen from a file."""
    folders = [(folder / GENERATED).is_dir() for folder in file.parents]
    return "." * (folders.index(True) + 1) + GENERATED


def new_project(
    project: Path, package: str, own: Mapping[str, str], generated: Mapping[str, str]
) -> Folder:
    """Return the files of a new project. Existing files belong to the author."""
    files = {path: text for path, text in own.items() if not (project / path).exists()}
    files |= {f"src/{package}/{GENERATED}/{path}": text for path, text in generated.items()}
    return Folder(project, files, is_ours=False)
