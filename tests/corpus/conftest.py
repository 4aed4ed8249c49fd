"""The clients of recorded servers, each generated once for all tests."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest
from recorded_servers import client_of

from mcpgen.codegen.pipeline import Generated


@pytest.fixture
def package(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Generated]:
    """The package of a server, on the path of imports."""
    folder, generated_package = client_of(request.param)
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    yield generated_package
    for name in [name for name in sys.modules if name.split(".")[0] == generated_package.package]:
        del sys.modules[name]
