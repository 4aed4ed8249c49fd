"""Cache and key are in the standard user folders of each system. Without a home folder, there is
neither.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgen.files import cache, signing_key, user_folders

PRINT = (
    "from mcpgen.files import cache, signing_key; "
    "print(cache.folder(), signing_key.place(), sep='\\n')"
)


def places(**env: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", PRINT], capture_output=True, text=True, env=env, check=True
    )
    return run.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other customs")
def test_the_customs_of_linux(tmp_path: Path) -> None:
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    assert places(**home) == [f"{tmp_path}/.cache/mcpgen", f"{tmp_path}/.config/mcpgen/cache.key"]
    chosen = {"XDG_CACHE_HOME": "/var/c", "XDG_CONFIG_HOME": "/var/d", **home}
    assert places(**chosen) == ["/var/c/mcpgen", "/var/d/mcpgen/cache.key"]
    assert places(MCPGEN_CACHE_DIR="here", **home)[0] == "here"


def test_user_without_home_gets_a_notice_and_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MCPGEN_CACHE_DIR", raising=False)
    for name in ("user_cache_path", "user_config_path"):
        monkeypatch.setattr(f"platformdirs.{name}", lambda *_, **__: Path("~/somewhere"))
    assert signing_key.secret() is None
    assert "no home folder" in cache.distrust()
    with pytest.raises(FileNotFoundError):
        user_folders.cache_folder()
    assert list(tmp_path.iterdir()) == []
