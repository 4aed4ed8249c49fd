"""The shelf, tested with what the library has really answered.

Delete ``calls/night.jsonl`` and run the tests to record it anew: then the library is asked.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bookshelf import BookshelfClient, NotRecorded
from shelf import main

CALLS = Path(__file__).parent / "calls" / "night.jsonl"


@pytest.fixture(autouse=True)
def bookshelf(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that answers as it is recorded in place of the one that is connected to."""
    if CALLS.exists():
        connecting = BookshelfClient.sync.connect(replay=CALLS)
    else:
        connecting = BookshelfClient.sync.connect(record=CALLS)
    monkeypatch.setattr(BookshelfClient.sync, "connect", lambda: connecting)


def test_what_was_found_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["shelf", "night"])
    main()
    assert capsys.readouterr().out == "The Night Ferry\n"


def test_a_search_that_was_not_recorded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["shelf", "day"])
    with pytest.raises(NotRecorded, match='recorded "night", now "day"'):
        main()
