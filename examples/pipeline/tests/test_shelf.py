"""The shelf, tested with a library that is no server."""

from __future__ import annotations

import pytest
from bookshelf import Book, BookshelfClient, Creator, SearchCatalogueOutput, SyncFakeBookshelfClient
from shelf import main


@pytest.fixture
def bookshelf(monkeypatch: pytest.MonkeyPatch) -> SyncFakeBookshelfClient:
    """A bookshelf in the place of the one that the program connects to."""
    fake = BookshelfClient.sync.fake()
    monkeypatch.setattr(BookshelfClient.sync, "connect", lambda: fake)
    return fake


def book(title: str) -> Book:
    return Book(
        id="B-1",
        kind="book",
        title=title,
        creator=Creator(name="Ada", born=1950),
        genre="travel",
        published=1990,
        added="2020-01-01T00:00:00Z",
        pages=120,
    )


def test_the_titles_that_match_are_printed(
    bookshelf: SyncFakeBookshelfClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = SearchCatalogueOutput(items=[book("The Day Ferry"), book("Daybreak")], total=2)
    bookshelf.on(bookshelf.search_catalogue).when(query="day ferry").returns(found)
    monkeypatch.setattr("sys.argv", ["shelf", "day", "ferry"])
    main()
    assert capsys.readouterr().out == "The Day Ferry\nDaybreak\n"


def test_without_words_it_looks_for_the_night(
    bookshelf: SyncFakeBookshelfClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    bookshelf.on(bookshelf.search_catalogue).generates()
    monkeypatch.setattr("sys.argv", ["shelf"])
    main()
    assert bookshelf.calls(bookshelf.search_catalogue, query="night")
