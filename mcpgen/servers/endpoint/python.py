"""Starts Python with one of mcpgen's modules, without importing from the current folder."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path

# `-m` and `-c` look in the current folder first. `-I` is the only flag against it that Python 3.10
# has, and it hides the user's own packages and PYTHONPATH too.
_CODE = (
    "import sys; sys.path[:] = filter(None, sys.path); "
    "import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
)


def running(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module with this interpreter."""
    alone = ("-I", "-m", module) if _is_the_interpreters() else ("-c", code(module))
    return (sys.executable, *alone, *arguments)


def code(module: str) -> str:
    """Return the program that runs a module, where ``-I`` would not find it."""
    return _CODE.format(module=module)


def _is_the_interpreters() -> bool:
    """Return True if mcpgen is installed in the interpreter itself."""
    ours = Path(__file__).resolve().parents[3]
    own = [site.getusersitepackages(), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return ours not in [Path(folder).resolve() for folder in own if folder]
