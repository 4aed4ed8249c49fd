"""What the text of an error reveals."""

from __future__ import annotations

import pytest
from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.testing.contents import leaks

FOLDER, SECRET = "/tmp/scratch/notes", "q8JwzT1mVx9-notes"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (f"ENOENT: no such file, stat '{FOLDER}/a.md'", []),
        ("cannot open /srv/app/data.db", ["C504"]),
        (f"no access with {SECRET}", ["C503"]),
        (f"no access to https://user:{SECRET}@host/a/b", ["C503"]),
    ],
)
def test_folder_of_a_variable_is_no_credential(text: str, rules: list[str]) -> None:
    credentials = Credentials()
    credentials.add_given([FOLDER, SECRET])
    assert [verdict.judge for verdict in leaks(text, "{}", credentials, "the error")] == rules
