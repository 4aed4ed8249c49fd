"""Opens contract pages in a browser: search, links, folding, colors, print, hostile strings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsers import chromium
from hostile.frames import PAYLOADS, of_a_server
from projects import DEMO, many

from mcpgen.codegen.pages import contract_page, render_page
from mcpgen.compare import Audience, compare
from mcpgen.compare.judge import judge
from mcpgen.compare.page import comparison_page
from mcpgen.contract.document import Contract, read
from mcpgen.findings.policy import DiffPolicy
from mcpgen.findings.severity import Severity
from mcpgen.jsontext import loads

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@dataclass
class Opened:
    """A page in a browser, with everything it tried to load, log or open."""

    page: Page
    requests: list[str] = field(default_factory=list[str])
    messages: list[str] = field(default_factory=list[str])

    def visible_articles(self) -> list[str]:
        names = self.page.locator("main article:visible h3 > a").all_inner_texts()
        return [name.strip() for name in names]

    def assert_quiet(self) -> None:
        """Check that nothing was loaded, written to the console or opened."""
        assert self.messages == []
        assert self.requests == []


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def open_html(html: str, fragment: str = "", **options: object) -> Opened:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        result = Opened(context.new_page())
        url = path.as_uri()
        result.page.on(
            "request",
            lambda request: (
                request.url.partition("#")[0] == url or result.requests.append(request.url)
            ),
        )
        result.page.on("console", lambda message: result.messages.append(message.text))
        result.page.on("pageerror", lambda error: result.messages.append(str(error)))
        result.page.on("dialog", lambda dialog: result.messages.append(dialog.message))
        context.on("page", lambda page: result.messages.append(page.url))
        result.page.goto(url + fragment)
        return result

    yield open_html
    for context in contexts:
        context.close()


def demo() -> str:
    return render_page(contract_page(read(loads(DEMO.read_bytes())), "bookshelf"))


def test_search_filters_while_typing(open_page: Callable[..., Opened]) -> None:
    shelf = open_page(demo())
    shelf.page.keyboard.press("/")
    shelf.page.keyboard.type("search catal")
    assert shelf.visible_articles() == ["search_catalogue"]
    assert shelf.page.locator("output").inner_text() == "1 of 12"
    assert shelf.page.locator("nav li:visible").all_inner_texts() == ["search_catalogue"]
    assert not shelf.page.get_by_role("heading", name="Prompts").first.is_visible()
    shelf.page.keyboard.press("Escape")
    assert len(shelf.visible_articles()) == 12
    shelf.assert_quiet()


def test_deep_link_unfolds_its_target(open_page: Callable[..., Opened]) -> None:
    page = contract_page(read(loads(DEMO.read_bytes())), "bookshelf")
    tool = next(e for s in page.sections for e in s.entries if e.name == "borrow_item")
    nested = next(row for row in tool.values[1].tables[0].rows if row.tables)
    anchor = nested.tables[0].rows[0].anchor
    shelf = open_page(render_page(page))
    shelf.page.evaluate("for (const d of document.querySelectorAll('details')) d.open = false")
    shelf.page.evaluate(f"location.hash = {anchor!r}")
    target = shelf.page.locator(f"[id='{anchor}']")
    target.wait_for(state="visible")
    assert "#" + anchor in shelf.page.url
    shelf.assert_quiet()


def test_deep_link_ends_the_search(open_page: Callable[..., Opened]) -> None:
    shelf = open_page(demo(), "#tool-get_item")
    assert shelf.page.locator("#tool-get_item h3").is_visible()
    shelf.page.locator("#search").fill("nothing has this")
    assert shelf.visible_articles() == []
    shelf.page.evaluate("location.hash = 'tool-borrow_item'")
    shelf.page.locator("#tool-borrow_item h3").wait_for(state="visible")
    assert shelf.page.locator("#search").input_value() == ""
    shelf.assert_quiet()


def test_folding_hides_and_shows(open_page: Callable[..., Opened]) -> None:
    shelf = open_page(demo())
    calls = shelf.page.locator("#tool-get_item details.calls")
    calls.locator("summary").click()
    assert not calls.locator("pre").first.is_visible()
    calls.locator("summary").press("Enter")
    assert calls.locator("pre").first.is_visible()


def test_page_is_readable_without_javascript(open_page: Callable[..., Opened]) -> None:
    shelf = open_page(demo(), java_script_enabled=False)
    assert len(shelf.visible_articles()) == 12
    assert not shelf.page.locator("form").is_visible()
    assert shelf.page.locator("#tool-get_item details.calls pre").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colors_follow_the_system_with_enough_contrast(
    open_page: Callable[..., Opened], scheme: str
) -> None:
    """Require a contrast of 4.5, the minimum of WCAG 2.2 at level AA (1.4.3)."""
    shelf = open_page(demo(), color_scheme=scheme)
    background = shelf.page.evaluate("getComputedStyle(document.body).backgroundColor")
    is_dark = sum(map(int, background[4:-1].split(","))) < 200
    assert is_dark == (scheme == "dark")
    assert shelf.page.evaluate(CONTRAST) >= 4.5


CONTRAST = """() => {
  const channels = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (text) => channels(text).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }).reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  let lowest = 99;
  for (const element of document.querySelectorAll("body *")) {
    if (!element.textContent.trim() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    let behind = element;
    const back = (item) => getComputedStyle(item).backgroundColor;
    while (behind && back(behind) === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const two = [getComputedStyle(element).color, back(behind ?? document.body)].map(light);
    lowest = Math.min(lowest, (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05));
  }
  return lowest;
}"""


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_nothing_overflows_at_any_width(open_page: Callable[..., Opened], width: int) -> None:
    shelf = open_page(demo(), viewport={"width": width, "height": 900})
    assert shelf.page.evaluate("document.documentElement.scrollWidth") <= width


def test_everything_interactive_has_a_name_and_takes_focus(
    open_page: Callable[..., Opened],
) -> None:
    shelf = open_page(demo())
    shelf.page.keyboard.press("Tab")
    assert shelf.page.evaluate("document.activeElement.className") == "skip"
    assert shelf.page.get_by_role("searchbox", name="Search").is_visible()
    assert shelf.page.get_by_role("navigation", name="Contents").is_visible()
    levels = shelf.page.locator("h1, h2, h3, h4").evaluate_all(
        "items => items.filter((item) => !item.closest('nav')).map((item) => +item.tagName[1])"
    )
    steps = [after - before for before, after in pairwise(levels)]
    assert levels[0] == 1
    assert max(steps) == 1


def test_print_shows_everything_without_navigation(open_page: Callable[..., Opened]) -> None:
    shelf = open_page(demo())
    shelf.page.evaluate("for (const d of document.querySelectorAll('details')) d.open = false")
    shelf.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    shelf.page.emulate_media(media="print")
    assert not shelf.page.locator("nav").is_visible()
    assert shelf.page.locator("#tool-get_item details.calls pre").first.is_visible()


def test_a_thousand_tools_are_filtered_at_once(open_page: Callable[..., Opened]) -> None:
    contract = read(loads(many(1000)))
    shelf = open_page(render_page(contract_page(contract, "many")))
    shelf.page.locator("#search").fill("tool_77")
    shelf.page.locator("output", has_text="of 1000").wait_for()
    assert shelf.visible_articles()[0] == "tool_77"
    shelf.assert_quiet()


def in_each_field(texts: Sequence[str]) -> Contract:
    """Return a contract with a tool, a prompt and a resource for each text."""
    schemas = [
        {
            "type": "object",
            "title": text,
            "description": text,
            "properties": {
                text: {
                    "type": "string",
                    "description": text,
                    "default": text,
                    "pattern": text,
                    "format": text,
                },
                f"{text}2": {"enum": [text, 1]},
                "object": {"type": "object", "title": text, "properties": {text: {"const": text}}},
            },
            "required": [f"{text}2"],
        }
        for text in texts
    ]
    named = [{"name": text, "title": text, "description": text} for text in texts]
    argument = [{"arguments": [{"name": text, "description": text}]} for text in texts]
    tools = [
        {**names, "inputSchema": schema, "outputSchema": schema, "annotations": {"title": "x"}}
        for names, schema in zip(named, schemas, strict=True)
    ]
    prompts = [{**names, **more} for names, more in zip(named, argument, strict=True)]
    resources = [
        {**names, "uri": f"a:{text}", "mimeType": text}
        for names, text in zip(named, texts, strict=True)
    ]
    return read({"tools": tools, "prompts": prompts, "resources": resources})


def globals_of(shelf: Opened) -> str:
    names: str = shelf.page.evaluate("Object.keys(globalThis).sort().join()")
    return names


def check_harmless(shelf: Opened, usual: str) -> None:
    """Follow links and search a page with hostile strings, and check that no string ran."""
    anchors = shelf.page.locator("main [id]").evaluate_all("items => items.map((item) => item.id)")
    for anchor in anchors[:: len(anchors) // 20 + 1]:
        shelf.page.evaluate("anchor => { location.hash = anchor }", anchor)
    shelf.page.locator("#search").fill("x")
    assert globals_of(shelf) == usual
    shelf.assert_quiet()
    shelf.page.close()


def test_hostile_texts_run_nothing(open_page: Callable[..., Opened]) -> None:
    """Put the complete corpus into every field of definitions, and a share into `serverInfo`."""
    usual = globals_of(open_page("<!DOCTYPE html><title>before</title>"))
    texts = [PAYLOADS[name] for name in sorted(PAYLOADS)]
    for start in range(4):
        page = contract_page(in_each_field(texts[start::4]), "frame")
        check_harmless(open_page(render_page(page)), usual)
    for text in texts[::20]:
        check_harmless(open_page(render_page(contract_page(of_a_server(text), "frame"))), usual)


def test_hostile_changes_run_nothing(open_page: Callable[..., Opened]) -> None:
    usual = globals_of(open_page("<!DOCTYPE html><title>before</title>"))
    texts = [PAYLOADS[name] for name in sorted(PAYLOADS)]
    for start in range(4):
        old, new = in_each_field(["plain"]), in_each_field(texts[start::40])
        check_harmless(open_page(comparison(old, new, server=texts[start])), usual)


def comparison(old: Contract, new: Contract, server: str = "shop") -> str:
    policy = DiffPolicy(fail_on=frozenset[Severity](), audiences=tuple(Audience))
    report = judge(compare(old, new), policy, old="a", new="b", server=server)
    return render_page(comparison_page(report))


def test_comparison_page_names_severity_and_values(open_page: Callable[..., Opened]) -> None:
    old = Contract({"a": {"name": "a", "description": "Old."}}, server={"name": "shop"})
    new = Contract({"a": {"name": "a", "description": "New."}}, server={"name": "shop"})
    shelf = open_page(comparison(old, new))
    assert "Old." in shelf.page.locator("del").first.inner_text()
    assert "New." in shelf.page.locator("ins").first.inner_text()
    shelf.assert_quiet()
