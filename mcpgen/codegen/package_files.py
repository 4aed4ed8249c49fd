"""Makes the files of a package from its plan: renders, formats and splits its modules."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgen import __version__
from mcpgen.codegen import module_splitting, runtime_copy
from mcpgen.codegen.formatting import format_files
from mcpgen.codegen.plan.package import Package
from mcpgen.codegen.render import render
from mcpgen.files import write


def make(package: Package, folder: str, *, standalone: bool) -> dict[str, str]:
    """Return the text of every file, by its path. ``folder`` holds the templates.

    A standalone package contains a copy of the runtime library.
    """
    files = _with_headers(render(package, folder, standalone=standalone), package)
    files = format_files(files)
    files |= format_files(module_splitting.cut(files))
    return files | runtime_copy.files() if standalone else files


def _with_headers(files: Mapping[str, str], package: Package) -> dict[str, str]:
    """Add a header to every module. Only ``__init__.py`` has the version of mcpgen."""
    hashes = {f"models/{module.name}.py": module.hash for module in package.modules}
    if package.shared:
        hashes[f"models/{package.shared.name}.py"] = package.shared.hash
    hashes |= dict.fromkeys(("__init__.py", "base.py", "client.py", "register.py"), package.hash)
    return {
        path: _header(path, hashes.get(path, "")) + text if path.endswith(".py") else text
        for path, text in files.items()
    }


def _header(path: str, digest: str) -> str:
    version = f"{write.VERSION} {__version__}\n" if path == "__init__.py" else ""
    source = f"# Made from sha256:{digest}\n" if digest else ""
    return f"{write.HEADER}. DO NOT EDIT.\n{version}{source}\n"
