"""Copies the runtime library into standalone packages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mcpgen.codegen.render import COPY
from mcpgen.files import write


@cache
def files() -> dict[str, str]:
    """Return the text of every file of the copy, by its path below the package's folder."""
    import mcpgen_runtime

    root = Path(mcpgen_runtime.__file__).parent
    copied = {
        f"{COPY}/{file.relative_to(root).as_posix()}": _with_header(file)
        for pattern in ("*.py", "*.toml", "py.typed")
        for file in sorted(root.rglob(pattern))
    }
    return dict(sorted(copied.items()))


def _with_header(file: Path) -> str:
    text = file.read_text("utf-8")
    return f"{write.HEADER}. DO NOT EDIT.\n\n{text}" if text else ""
