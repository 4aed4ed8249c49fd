"""TOML, parsed by the standard library; what is wrong is said with the file, line and column."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mcpgen.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def parse_file(file: Path) -> dict[str, Any]:
    """Parse a file."""
    try:
        return parse(file.read_bytes(), str(file))
    except OSError as error:
        raise UsageError(f"the file cannot be read: {error.strerror}", str(file)) from None


def parse(content: bytes, where: str) -> dict[str, Any]:
    """Parse what a file holds; ``where`` names it in an error."""
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is not TOML: {error}", where) from None
