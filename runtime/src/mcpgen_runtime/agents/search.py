"""Search for the tools that a model needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import getdoc
from types import ModuleType
from typing import Any, Literal, TypeAlias

from ..abbreviate import plain
from ..package import Package
from .ranking import Ranking, summary
from .signatures import signature, types_used

Detail: TypeAlias = Literal["names", "signatures", "full"]
"""Level of detail of a tool: its first sentence, its signature, or everything."""

BUDGET: Mapping[Detail, int] = {"names": 200, "signatures": 1_500, "full": 8_000}
"""The maximum number of characters per tool."""


@dataclass(frozen=True, repr=False)
class FoundTool:
    """A search result: the JSON name and the method of a tool.

    ``text``, also returned by ``str()``, is for the model. A shortened text ends with
    ``…``. Within one search, a higher ``score`` is a better match.
    """

    name: str
    package: str
    method: str
    score: float
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        method = f"{self.package}.{self.method}"
        return f"<{type(self).__name__}: {plain(method)}, {self.score:.1f}>"


def search_tools(
    query: str, *clients: object, detail: Detail = "names", limit: int = 5
) -> list[FoundTool]:
    """Search tools and return the best matches first, without contacting a server.

    The query is matched against the recorded names, descriptions and arguments (BM25 with
    stemming and English synonyms).

    Args:
        query: The task in a few words.
        *clients: Generated packages, client classes, or clients to search.
        detail: ``"names"`` returns the first sentence (up to 200 characters per tool),
            ``"signatures"`` the signature and its types (up to 1,500), and ``"full"``
            also all descriptions (up to 8,000).
        limit: The maximum number of tools.
    """
    if detail not in BUDGET:
        raise ValueError(f"detail must be one of: {', '.join(BUDGET)}; not {detail!r}")
    kinds = tuple(dict.fromkeys(map(_class_of, clients)))
    tools, ranking = _index(kinds)
    return [
        _found_tool(tools[index], score, detail) for index, score in ranking.search(query, limit)
    ]


def _class_of(client: object) -> type[Any]:
    """Return the client class of a package, a class or a client."""
    of = getattr(client, "Client", None) if isinstance(client, ModuleType) else client
    kind = of if isinstance(of, type) else type(of)
    kind = getattr(kind, "_asynchronous_class", kind)
    if getattr(kind, "_package", None) is None:
        raise TypeError(f"{client!r} isn't a client or package of mcpgen")
    return kind


def _package(kind: type[Any]) -> Package:
    package: Package = kind._package
    return package


@dataclass(frozen=True)
class _IndexedTools:
    """A tool of one client: its contract entry and its module."""

    name: str
    package: str
    module: str
    method: Callable[..., object]
    definition: Mapping[str, Any]


# The tools of a package never change while it is loaded.
@lru_cache(maxsize=16)
def _index(kinds: tuple[type[Any], ...]) -> tuple[list[_IndexedTools], Ranking]:
    tools = [tool for kind in kinds for tool in _tools(kind)]
    about = {_package(kind).name: _about(_package(kind)) for kind in kinds}
    return tools, Ranking(((item.package, item.definition) for item in tools), about)


def _about(package: Package) -> str:
    """Return a server's title and instructions, as recorded."""
    contract = package.contract
    texts = (contract["server"].get("title"), contract.get("instructions"))
    return " ".join(text for text in texts if isinstance(text, str))


def _tools(kind: type[Any]) -> Iterator[_IndexedTools]:
    package = _package(kind)
    for name, info in package.tools.items():
        if name not in package.modules:
            continue
        module, _, _ = package.modules[name].partition(" ")
        # A module may have a name that no method needs, such as ``aux_``.
        method = getattr(kind, module, None) or getattr(kind, module.removesuffix("_"))
        yield _IndexedTools(name, package.name, module, method, {**info.definition, "name": name})


def _found_tool(tool: _IndexedTools, score: float, detail: Detail) -> FoundTool:
    text = _TEXTS[detail](tool)
    if len(text) > BUDGET[detail]:
        text = f"{text[: BUDGET[detail] - 1]}…"
    return FoundTool(tool.name, tool.package, tool.method.__name__, score, text)


def _line(tool: _IndexedTools) -> str:
    return _heading(f"{tool.package}.{tool.method.__name__}", tool)


def _signature_text(tool: _IndexedTools) -> str:
    line = signature(tool.method)
    used = types_used(tool.package, tool.module, line, is_full=False)
    return "\n".join([_heading(f"# {tool.package}", tool), line, *used])


def _everything(tool: _IndexedTools) -> str:
    line = signature(tool.method)
    doc_lines = (f"    {item}".rstrip() for item in (getdoc(tool.method) or "").splitlines())
    used = types_used(tool.package, tool.module, line, is_full=True)
    return "\n".join([f"# {tool.package}", line, *doc_lines, *used])


def _heading(prefix: str, tool: _IndexedTools) -> str:
    """Return printable text on one line, so that no tool can imitate another."""
    description = tool.definition.get("description") or tool.definition.get("title")
    first = summary(description) if isinstance(description, str) else ""
    printable = "".join(filter(str.isprintable, first))
    return f"{prefix}: {printable}" if printable else prefix


_TEXTS = {"names": _line, "signatures": _signature_text, "full": _everything}
