"""Starts Debian's Chromium, which makes no requests of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from programs import find, require

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ARGUMENTS = ("--no-sandbox", "--disable-background-networking", "--disable-quic")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser. Without it, or without Playwright, the test is skipped, or fails in CI."""
    program = find("chromium")
    api = require("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser
        browser.close()
