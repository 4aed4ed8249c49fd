"""Archives that tests unpack."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar archive. Python 3.11.4 and later refuse members outside of the folder."""
    checks: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(archive) as opened:
        opened.extractall(folder, **checks)
