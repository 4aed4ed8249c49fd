"""Pages of contracts, parsed."""

from __future__ import annotations

from html.parser import HTMLParser

from projects import DEMO

from mcpgen.codegen.pages import contract_page
from mcpgen.codegen.pages.values import ContractPage, Entry
from mcpgen.contract.document import Contract, read
from mcpgen.jsontext import Json, loads


def page_of(tool: Json) -> ContractPage:
    return contract_page(read({"tools": [tool], "server": {"name": "shop"}}), "shop")


def tool_entry(schema: Json, **more: Json) -> Entry:
    page = page_of({"name": "order", "inputSchema": schema, **more})
    return page.sections[0].entries[0]


class Outline(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def demo() -> Contract:
    return read(loads(DEMO.read_bytes()))
