"""The shelf, tested with a library that is no server."""

from __future__ import annotations

import pytest
from library import Book, Creator, LibraryClient, SearchCatalogueOutput, SyncFakeLibraryClient
from shelf import main


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> SyncFakeLibraryClient:
    """A library in the place of the one that the program connects to."""
    fake = LibraryClient.sync.fake()
    monkeypatch.setattr(LibraryClient.sync, "connect", lambda: fake)
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
    library: SyncFakeLibraryClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = SearchCatalogueOutput(items=[book("The Day Ferry"), book("Daybreak")], total=2)
    library.on(library.search_catalogue).when(query="day ferry").returns(found)
    monkeypatch.setattr("sys.argv", ["shelf", "day", "ferry"])
    main()
    assert capsys.readouterr().out == "The Day Ferry\nDaybreak\n"


def test_without_words_it_looks_for_the_night(
    library: SyncFakeLibraryClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.on(library.search_catalogue).makes_up()
    monkeypatch.setattr("sys.argv", ["shelf"])
    main()
    assert library.calls(library.search_catalogue, query="night")
