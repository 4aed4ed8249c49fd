"""Opens the site in a browser: no page loads anything from elsewhere, and none has an error."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from functools import partial

import built_site
import pytest
from browsers import chromium

pytestmark = pytest.mark.browser
PAGES = ("", "tutorial/", "client/", "api/", "rules/", "architecture/", "benchmarks/", "faq/")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of the built site."""
    handler = partial(_Quiet, directory=str(built_site.build()))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_pages_load_nothing_from_elsewhere_and_search_works(address: str) -> None:
    with chromium() as browser:
        page = browser.new_page()
        elsewhere: list[str] = []
        messages: list[str] = []
        page.on(
            "request",
            lambda request: (
                request.url.startswith((address, "data:", "blob:")) or elsewhere.append(request.url)
            ),
        )
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on(
            "console",
            lambda message: message.type == "error" and messages.append(message.text),
        )
        for path in PAGES:
            page.goto(address + path, wait_until="networkidle")
            assert page.locator("h1").first.inner_text()
        page.get_by_role("button", name="Search").first.click()
        page.locator("input[aria-label=Search]").fill("reconnect")
        page.get_by_text(re.compile(r"\d+ results")).wait_for()
        assert (elsewhere, messages) == ([], [])


@pytest.mark.parametrize("width", [390, 900, 1400])
def test_pages_fit_each_width(address: str, width: int) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": width, "height": 900})
        for path in ("", "tutorial/", "client/"):
            page.goto(address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
