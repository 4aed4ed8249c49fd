"""A package names the library versions it needs if an older version is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcpgen_runtime import lazy
from paths import ROOT
from runtime.packages import package

from mcpgen.files import toml

IMPORT = "from {name} import Client"
CONNECT = "import {name}\nwith {name}.Client.sync.connect('http://x'): ..."


@pytest.mark.parametrize(
    ("library", "version", "code"),
    [("pydantic", "2.12.5", IMPORT), ("mcp", "1.26.0", CONNECT)],
)
def test_older_library_is_named_with_the_version_needed(
    library: str, version: str, code: str, tmp_path: Path
) -> None:
    module = package()
    (tmp_path / library).mkdir()
    (tmp_path / library / "__init__.py").write_text("")  # lacks the names that the package imports
    about = tmp_path / f"{library}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {library}\nVersion: {version}\n")
    paths = [str(tmp_path), str(Path(str(module.__file__)).parents[1])]
    program = f"import sys; sys.path[:0] = {paths!r}\n{code.format(name=module.__name__)}"
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert completed.returncode == 1
    last = completed.stderr.strip().splitlines()[-1]
    assert "this package needs pydantic 2.14 and mcp 2.3 or later" in last, completed.stderr
    assert f"{library} {version}" in last
    assert "pip install 'pydantic>=2.14' 'mcp>=2.3'" in last


def test_required_versions_equal_those_of_the_project() -> None:
    declared = " ".join(toml.parse_file(ROOT / "pyproject.toml")["project"]["dependencies"])
    for name, least in lazy.REQUIRED.items():
        [version] = re.findall(rf"(?:^| ){name}>=([\d.]+)", declared)
        assert version == ".".join(map(str, least))


def test_other_import_errors_are_as_they_were() -> None:
    error = ImportError("no module named 'x'")
    assert lazy.explain_import_error(error) is error
