"""The official schemas are the published bytes, as their README documents."""

from __future__ import annotations

import hashlib
import re

import pytest
from paths import ROOT

from mcpgen.files.resources import folder
from mcpgen.schemas.validation.messages import REVISIONS, definitions, document

SCHEMA = folder("schema")
ROW = re.compile(r"^\| (\d{4}-\d{2}-\d{2}) \| ([\d,]+) \| `([0-9a-f]{64})` \|$", re.MULTILINE)
COUNTS = {
    "2024-11-05": 79,
    "2025-03-26": 83,
    "2025-06-18": 91,
    "2025-11-25": 145,
    "2026-07-28": 155,
}


def documented_sizes() -> dict[str, tuple[int, str]]:
    text = (SCHEMA / "README.md").read_text(encoding="utf-8")
    return {
        revision: (int(size.replace(",", "")), sha) for revision, size, sha in ROW.findall(text)
    }


def test_the_readme_names_every_revision_and_no_other() -> None:
    assert tuple(documented_sizes()) == REVISIONS
    assert {path.parent.name for path in SCHEMA.glob("*/schema.json")} == set(REVISIONS)


@pytest.mark.parametrize("revision", REVISIONS)
def test_schema_has_the_documented_bytes(revision: str) -> None:
    content = (SCHEMA / revision / "schema.json").read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == documented_sizes()[revision]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_schema_defines_every_type_of_its_revision(revision: str) -> None:
    assert len(definitions(revision)) == COUNTS[revision]
    assert ("$defs" in document(revision)) is (revision >= "2025-11-25")


def test_the_licence_lies_beside_the_schemas_as_stated() -> None:
    text = (SCHEMA / "LICENSE").read_bytes()
    assert b"Apache License" in text
    assert b"MIT License" in text
    assert hashlib.sha256(text).hexdigest() in (SCHEMA / "README.md").read_text(encoding="utf-8")


def test_readme_contains_no_hosts_or_machine_paths() -> None:
    text = (SCHEMA / "README.md").read_text(encoding="utf-8")
    assert not re.search(r"https?://|/(?:home|root|tmp|work)/", text)


def test_fetching_script_pins_documented_hashes() -> None:
    script = ROOT / "scripts" / "fetch_schemas.py"
    text = script.read_text(encoding="utf-8")
    assert all(sha in text for _, sha in documented_sizes().values())
