"""The site builds, pictures are current, tutorial and notebook run, and links work."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import built_site
import environments
import pytest
from documented import Block, blocks
from paths import ROOT
from programs import require

SCRIPTS = ROOT / "scripts"
IMAGES = ROOT / "docs" / "images"


def run_script(name: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPTS / name), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


# Pictures


def test_pictures_equal_their_sources() -> None:
    completed = run_script("draw_pictures.py", "--check")
    assert (completed.returncode, completed.stdout) == (0, "")


def test_pictures_load_nothing() -> None:
    for path in IMAGES.glob("*.svg"):
        text = path.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert not re.search(r"https?:|href|url\(|@import|<script|<image", text), path.name
        assert "<title>" in text


def test_each_picture_is_on_a_page() -> None:
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "benchmarks" / "README.md"]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    unused = [path.name for path in IMAGES.glob("*.svg") if f"images/{path.name})" not in text]
    assert unused == []


@pytest.mark.slow
def test_recorded_sessions_are_current(tmp_path: Path) -> None:
    require("pyright")
    completed = run_script("record_sessions.py", str(tmp_path))
    assert completed.returncode == 0, completed.stderr
    for path in sorted((IMAGES / "sessions").iterdir()):
        assert (tmp_path / path.name).read_text("utf-8") == path.read_text("utf-8")


# Pages


def test_each_page_is_in_the_navigation_once() -> None:
    configuration = (ROOT / "docs" / "zensical.toml").read_text("utf-8")
    listed = re.findall(r'= "([\w-]+\.md)"', configuration)
    from_code = {"commands.md", "rules.md", "api.md"}
    elsewhere = {"index.md", "changelog.md", "contributing.md", "benchmarks.md"}
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert len(set(listed)) == len(listed)
    assert set(listed) == pages | from_code | elsewhere


def test_troubleshooting_quotes_messages_of_the_code() -> None:
    """Each heading is a message; the words around ``...`` occur in the source."""
    page = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    headings = re.findall(r"^### (.*)$", page.partition("## In type checkers")[0], re.MULTILINE)
    folders = (ROOT / "mcpgen", ROOT / "runtime" / "src")
    source = "\n".join(
        path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py")
    )
    for heading in headings:
        for part in heading.split("..."):
            assert part.strip() in source, heading
    assert len(headings) > 12


@pytest.fixture(scope="module")
def site() -> Path:
    """The built site."""
    return built_site.build()


def links(page: Path) -> Iterator[str]:
    text = page.read_text("utf-8")
    for quoted, bare in re.findall(r'href=(?:"([^"]+)"|([^\s>"]+))', text):
        target = html.unescape(quoted or bare)
        if not re.match(r"[a-z]+:", target):
            yield target


def anchors(page: Path) -> set[str]:
    return {
        q or b for q, b in re.findall(r'\sid=(?:"([^"]+)"|([^\s>"]+))', page.read_text("utf-8"))
    }


@pytest.mark.site
def test_links_of_the_site_lead_to_pages_and_headings(site: Path) -> None:
    known: dict[Path, set[str]] = {}
    broken: list[str] = []
    for page in site.rglob("*.html"):
        if page.name == "404.html":  # its links start at the root of the site
            continue
        for link in links(page):
            path, _, fragment = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                broken.append(f"{page.parent.name}: {link}")
            elif fragment and target.suffix == ".html":
                known.setdefault(target, anchors(target))
                if fragment not in known[target]:
                    broken.append(f"{page.parent.name}: {link}")
    assert broken == []


@pytest.mark.site
def test_site_documents_each_command_and_rule(site: Path) -> None:
    from mcpgen.cli import COMMANDS
    from mcpgen.findings.rules.diff.catalogue import RULES

    commands = anchors(site / "commands" / "index.html")
    assert {f"mcpgen-{name}" for name in COMMANDS} <= commands
    rules = (site / "rules" / "index.html").read_text("utf-8")
    assert all(f"{rule.id} {rule.name}" in rules for rule in RULES.values())
    api = (site / "api" / "index.html").read_text("utf-8")
    assert "may_have_run" in api


# The tutorial and the notebook


def tutorial() -> list[tuple[str, Block]]:
    """Return the blocks of the tutorial, each with the sentence before it."""
    text = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    lines = text.splitlines()
    own = [block for block in blocks() if block.page == "docs/tutorial.md"]
    return [(lines[block.line - 4], block) for block in own]


@pytest.mark.slow
@pytest.mark.network
def test_tutorial_runs_as_printed(tmp_path: Path) -> None:
    """Follow the tutorial in a new environment: save each file, run each command."""
    environments.create(tmp_path / ".venv", str(ROOT / "runtime"), str(ROOT), "pytest")
    folder = tmp_path / "app"
    folder.mkdir()
    env = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PYTHON")},
        "PATH": f"{tmp_path / '.venv' / environments.BIN}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
    }
    saved: list[str] = []
    ran = 0
    for sentence, block in tutorial():
        if name := re.search(r"Save this as `([\w./]+)`", sentence):
            (folder / name[1]).write_text(block.text, encoding="utf-8")
            saved.append(name[1])
        for command, printed in block.commands_with_output if block.language == "console" else ():
            completed = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env=env,
                capture_output=True,
                text=True,
                check=False,
                timeout=180,
            )
            output = completed.stderr + completed.stdout
            assert completed.returncode == 0, output
            for line in printed:
                pattern = ".*".join(map(re.escape, line.split("...")))
                assert re.search(rf"^{pattern}$", output, re.MULTILINE), f"{line}\n{output}"
            ran += 1
    assert saved[:4] == ["pyproject.toml", "first.py", "wrong.py", "test_first.py"]
    assert (len(saved), ran) == (5, 12)


RUN_NOTEBOOK = """
import nbclient, nbformat

notebook = nbformat.read("notebook.ipynb", as_version=4)
nbclient.NotebookClient(notebook, timeout=120).execute()
nbformat.write(notebook, "done.ipynb")
"""


@pytest.mark.site
def test_notebook_runs(tmp_path: Path) -> None:
    require("nbclient")
    shutil.copy(ROOT / "examples" / "notebook.ipynb", tmp_path)
    command = [sys.executable, "-m", "mcpgen", "client", "demo", "-o", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    # In a process of its own, because nbclient leaves an event loop open.
    run = [sys.executable, "-c", RUN_NOTEBOOK]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    notebook = json.loads((tmp_path / "done.ipynb").read_text("utf-8"))
    outputs = [json.dumps(cell.get("outputs", [])) for cell in notebook["cells"]]
    assert "The Night Ferry" in outputs[2]
    assert "image/png" in outputs[3]


def test_notebook_page_shows_the_cells_of_the_notebook() -> None:
    notebook = json.loads((ROOT / "examples" / "notebook.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = [block.text.strip() for block in blocks("python") if block.page == "docs/notebooks.md"]
    assert shown == [cell for cell in cells if "cover" not in cell]
    assert all(not cell.get("outputs") for cell in notebook["cells"])
