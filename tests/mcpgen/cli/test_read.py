"""`mcpgen read` and `prompt`."""

from __future__ import annotations

from pathlib import Path

from called_servers import CONTRACT, Shell


def test_resources_are_read_and_prompts_filled_in(shell: Shell, tmp_path: Path) -> None:
    ran = shell.on_server("read", "a://b", "--save", str(tmp_path))
    assert ran.out == f"and a text\n{tmp_path / 'b.png'}\n"
    missing = shell("prompt", CONTRACT, "recommend")
    assert (missing.code, "--genre is required" in missing.err) == (2, True)
