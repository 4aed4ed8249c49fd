"""Script that imports the packages of a folder and reports their side effects."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

ACTIONS = (
    "socket.",
    "subprocess.",
    "os.",
    "shutil.",
    "ctypes.",
    "pty.",
    "urllib.",
    "ftplib.",
)
QUIET = (
    "os.listdir",
    "os.scandir",
    "os.fwalk",
    "os.walk",
    "os.listxattr",
    "os.getxattr",
)


def main(folder: str, harmless: str) -> None:
    """Import the harmless package first, then the others, and record their side effects."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    sys.setrecursionlimit(3_000)
    _load(folder, harmless, is_whole=True)
    loaded = {name for name in sys.modules if name.split(".")[0] != harmless}
    log: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and not _reads(folder, arguments):
            log.append(f"open {arguments!r}"[:300])
        elif event.startswith(ACTIONS) and event not in QUIET:
            log.append(f"{event} {arguments!r}"[:300])

    sys.addaudithook(hook)
    for package in sorted(path.name for path in Path(folder).iterdir() if path.is_dir()):
        _load(folder, package)
    ours = {path.name for path in Path(folder).iterdir()}
    more = sorted(n for n in sys.modules if n not in loaded and n.split(".")[0] not in ours)
    sys.stdout.write(json.dumps({"done": log, "imported": more}))
    sys.stdout.flush()
    os._exit(0)


def _reads(folder: str, arguments: tuple[Any, ...]) -> bool:
    path, mode, flags = arguments
    if mode is not None and mode[:1] != "r":
        return False
    if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        return False
    return isinstance(path, int) or str(path).startswith((folder, sys.prefix, sys.base_prefix))


def _load(folder: str, package: str, *, is_whole: bool = False) -> None:
    """Import a package. The runtime is the same in all of them, so it is imported as needed."""
    for path in sorted((Path(folder) / package).rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if "_runtime" in parts and not is_whole:
            continue
        module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
        if parts[-1] == "__init__":
            for name in getattr(module, "__all__", ()):
                getattr(module, name)


main(*sys.argv[1:])
