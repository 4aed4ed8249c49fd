"""The handshake: revisions, and the legacy one after an unanswered probe."""

from __future__ import annotations

import pytest
from listed_servers import Heard

from mcpgen.servers.recording.wire import lister, server_process

ORDINARY = """
    if method == "server/discover": refuse(number)
    if method == "initialize": say(id=number, result=greeting)
    if method == "tools/list": say(id=number, result={"tools": []})
"""


UNSUPPORTED = "refuse(number, -32022, 'no', data={'supported': %s, 'requested': '2026-07-28'})"


@pytest.mark.parametrize(
    ("program", "result"),
    [
        (ORDINARY, "2025-11-25"),
        (
            """
    if method == "server/discover": say(id=number, result=modern)
    if method == "tools/list" and "cursor" not in told["params"]:
        say(id=number, result={**modern, "tools": [], "nextCursor": "b"})
    elif method == "tools/list": say(id=number, result={**modern, "tools": []})
""",
            "2026-07-28",
        ),
        # A server that names revisions in an error
        (f"    {UNSUPPORTED % ['2099-01-01']}\n", "an error: no"),
        (f"    if number == 1: {UNSUPPORTED % ['2099-01-01', '2025-11-25']}\n    else:"
         " say(id=number, result=greeting if method == 'initialize' else {'tools': []})\n",
         "2025-11-25"),
        (f"    if number == 1: {UNSUPPORTED % ['2026-07-28']}\n    else:"
         " say(id=number, result={**modern, 'tools': []})\n", "2026-07-28"),
        ("    if method == 'server/discover' and number == 1: refuse(number)\n"
         f"    elif method == 'initialize': {UNSUPPORTED % ['2026-07-28']}\n"
         "    else: say(id=number, result={**modern, 'tools': []})\n", "2026-07-28"),
        (f"    if number: {UNSUPPORTED % ['2026-07-28']}\n", "an error: no"),
        # An answer that names none
        (ORDINARY.replace("refuse(number)", "say(id=number, result={})"), "2025-11-25"),
        (ORDINARY.replace("refuse(number)", "say(id=number, result=7)"), "2025-11-25"),
        (ORDINARY.replace("refuse(number)", "say(id=number, result={'supportedVersions': 7})"),
         "2025-11-25"),
        (ORDINARY.replace("refuse(number)",
                          "say(id=number, result={**modern, 'supportedVersions': ['2025-11-25']})"),
         "2025-11-25"),
        (ORDINARY.replace("2025-11-25", "2026-07-28").replace(
            "result=greeting", "result={**greeting, 'protocolVersion': '2026-07-28'}"),
         "Unsupported protocol version from the server: 2026-07-28"),
        # Numeric IDs sent as strings
        (ORDINARY.replace("id=number", "id=str(number)"), "2025-11-25"),
    ],
    ids=range(13),
)  # fmt: skip
def test_the_revision_is_negotiated_as_by_the_sdk(
    ask_program: Heard, monkeypatch: pytest.MonkeyPatch, program: str, result: str
) -> None:
    ours, notifications = ask_program(program)
    assert result in ours
    monkeypatch.setattr(server_process, "IS_USED", False)
    assert (ours, notifications) == ask_program(program)


def test_unanswered_probe_is_followed_by_the_legacy_handshake(
    ask_program: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lister, "_PATIENCE", 0.2)
    result, notifications = ask_program(ORDINARY.replace("refuse(number)", "pass"))
    assert result == "2025-11-25"
    assert [item["method"] for item in notifications][:2] == ["server/discover", "initialize"]
