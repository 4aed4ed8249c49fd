"""The version of the runtime, and packages that need another version."""

from __future__ import annotations

import re

import mcpgen_runtime
import pytest
from mcpgen_runtime import _version, lazy
from paths import ROOT

import mcpgen
from mcpgen import installing
from mcpgen.files import toml


def test_all_version_numbers_are_the_same() -> None:
    root = toml.parse_file(ROOT / "pyproject.toml")["project"]
    runtime = toml.parse_file(ROOT / "runtime" / "pyproject.toml")["project"]
    assert root["version"] == runtime["version"] == mcpgen.__version__ == mcpgen_runtime.__version__
    assert f"mcpgen-runtime=={mcpgen.__version__}" in root["dependencies"]
    assert re.search(rf"rev: v{re.escape(mcpgen.__version__)}\b", pre_commit())


def pre_commit() -> str:
    return (ROOT / "examples/pipeline/.pre-commit-config.yaml").read_text("utf-8")


def test_both_distributions_declare_the_same_versions_of_shared_libraries() -> None:
    def declared_dependencies(project: str) -> dict[str, str]:
        document = toml.parse_file(ROOT / project / "pyproject.toml")["project"]
        pairs = (re.match(r"([\w-]+)(.*)", item) for item in document["dependencies"])
        return {match[1]: match[2] for match in pairs if match}

    mine, runtime = declared_dependencies("."), declared_dependencies("runtime")
    for name in mine.keys() & runtime.keys():
        assert mine[name] == runtime[name], name


@pytest.mark.parametrize(
    ("needed", "installed", "is_accepted"),
    [
        ("0.1", "0.1.0", True),
        ("0.1", "0.1.7", True),
        ("0.1", "0.2.0", False),
        ("0.2", "0.1.9", False),
        ("1.2", "1.2.0", True),
        ("1.2", "1.9.3", True),
        ("1.2", "1.1.3", False),
        ("1.2", "2.0.0", False),
        ("0.9", "1.0.0", False),
    ],
)
def test_package_runs_on_newer_runtime_of_same_major_version(
    needed: str, installed: str, is_accepted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lazy, "__version__", installed)
    if is_accepted:
        lazy.check_version(needed, "bookshelf")
        return
    with pytest.raises(ImportError) as refused:
        lazy.check_version(needed, "bookshelf")
    message = str(refused.value)
    assert message.startswith(f"bookshelf needs mcpgen-runtime {needed}, but {installed} is")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("is_published", "hint"),
    [
        (False, "install it from the checkout of mcpgen, with pip install ./runtime"),
        (True, "pip install -U 'mcpgen-runtime>=0.3,<0.4'"),
    ],
)
def test_older_runtime_is_rejected_with_a_fix(
    is_published: bool, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_version, "IS_PUBLISHED", is_published)
    with pytest.raises(ImportError, match=re.escape(hint)):
        lazy.check_version("0.3", "bookshelf")


def test_newer_runtime_is_rejected_with_a_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "__version__", "0.2.0")
    with pytest.raises(ImportError, match=r"generate it again with mcpgen 0\.2\.0"):
        lazy.check_version("0.1", "bookshelf")


def test_requirement_of_a_project_has_both_limits() -> None:
    assert installing.requirement() == "mcpgen-runtime>=0.2,<0.3"
