"""Formats a server's definitions as a table or JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcpgen_runtime.display import TerminalText, brief, on_one_line, visible
from mcpgen_runtime.shell.guide import guide
from mcpgen_runtime.shell.sentence import first_sentence

from mcpgen.contract.document import Contract
from mcpgen.jsontext import Json

_LONGEST = 36
_LISTS = (
    ("tools", "name", "tool"),
    ("prompts", "name", "prompt"),
    ("resources", "uri", "resource"),
    ("resourceTemplates", "uriTemplate", "resource template"),
)


def document(contract: Contract) -> dict[str, Json]:
    """Return all definitions as the server sends them."""
    head = {"server": contract.server, "instructions": contract.instructions}
    lists = {member: contract.definitions_in_order(member) for member, _, _ in _LISTS}
    return {**{key: value for key, value in head.items() if value}, **lists}


def table(contract: Contract, width: int) -> TerminalText:
    """Return a line for each definition: its name, and the first sentence about it."""
    lines: list[str] = []
    for member, key, noun in _LISTS:
        entries = contract.definitions_in_order(member)
        if entries or member == "tools":
            lines += ["", f"{len(entries)} {noun}{'' if len(entries) == 1 else 's'}"]
            lines += _rows(entries, key, width)
    return visible("\n".join(lines[1:]) + "\n")


def arguments(contract: Contract, command: str, width: int) -> TerminalText:
    """Return the help of each tool: its command line and its documented arguments."""
    tools = contract.definitions_in_order("tools")
    return visible("\n".join(guide(tool, command, width, is_brief=True) for tool in tools))


def _rows(entries: list[Mapping[str, Json]], key: str, width: int) -> Iterator[str]:
    names = [on_one_line(str(entry[key])) for entry in entries]
    column = min(max(map(len, names), default=0), _LONGEST)
    for name, entry in zip(names, entries, strict=True):
        about = on_one_line(brief(_about(entry, key), max(width - column - 4, 40)))
        yield f"  {name:{column}}  {about}".rstrip()


def _about(entry: Mapping[str, Json], key: str) -> str:
    text = first_sentence(entry.get("description"))
    names = [entry.get("title")] if key == "name" else [entry.get("title"), entry.get("name")]
    title = next((name for name in names if isinstance(name, str) and name), "")
    return text or title
