"""Generated servers, and clients of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest
from skeletons import (
    AUTHOR,
    demo,
    import_server,
    project,
)


@pytest.fixture
def bookshelf(tmp_path: Path) -> Iterator[ModuleType]:
    """The generated server of the demo's contract."""
    with import_server(project(demo(), tmp_path, author=AUTHOR)) as module:
        yield module


def run(function: Any, *arguments: Any) -> Any:
    return anyio.run(function, *arguments)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return project(demo(), tmp_path, author=AUTHOR)
