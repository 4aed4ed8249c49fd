"""Generated packages to import, each written once per run."""

from __future__ import annotations

import atexit
import importlib
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from checkers import write

from mcpgen.codegen.pipeline import STYLES, Options, generate
from mcpgen.codegen.plan import Style
from mcpgen.contract.document import Contract
from runtime import contracts

__all__ = ["STYLES", "Style", "folder", "import_client", "package", "part"]


@cache
def folder() -> Path:
    """Return the folder that the packages are in, until Python ends."""
    path = tempfile.mkdtemp(prefix="mcpgen-runtime-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    sys.path.append(path)
    return Path(path)


def import_client(contract: Contract, name: str, style: Style = "dataclass") -> Any:
    """Write a package for a test's contract and import it."""
    files = generate(contract, Options(name=name, style=style)).files
    write(files, folder() / name)
    importlib.invalidate_caches()
    return importlib.import_module(name)


@cache
def package(style: Style = "dataclass") -> Any:
    """Return the package of the shop, the contract that most tests share."""
    return import_client(contracts.SHOP, f"shop_{style}", style)


def part(of: ModuleType, name: str) -> Any:
    """Import a module of a generated package, such as ``models.order``."""
    return importlib.import_module(f"{of.__name__}.{name}")
