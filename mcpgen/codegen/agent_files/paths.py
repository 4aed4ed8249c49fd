"""Names the folder with the files for models. A skill has the name of its folder."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

FOLDER = "servers"
# The limit of the specification of Agent Skills.
_LONGEST_NAME = 64


def skill(package: str) -> str:
    """Return the name of a package's skill: lower-case letters, digits and single hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", package.lower())[:_LONGEST_NAME].strip("-") or "tools"


def folder(output: str, package: str) -> str:
    """Return the folder for a package in ``output``."""
    return PurePosixPath(output, FOLDER, skill(package)).as_posix()
