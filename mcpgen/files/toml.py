"""Parses TOML with the standard library. Errors name the file, line and column."""

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
    """Parse the content of a TOML file. Errors name the file as ``where``."""
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not TOML: {error}", where) from None
