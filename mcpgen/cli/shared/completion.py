"""Completes tools, arguments, prompts and resources in a shell, without starting a server."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

import click
from click.shell_completion import CompletionItem
from mcpgen_runtime.display import ShellWord, shell_words
from mcpgen_runtime.shell.sentence import first_sentence

from mcpgen.contract.document import Contract
from mcpgen.errors import McpgenError
from mcpgen.jsontext import Json


def names(context: click.Context, _: click.Parameter, start: str) -> list[CompletionItem]:
    """Complete the name of a tool or a prompt, or the URI of a resource."""
    contract = _known_contract(context.params.get("server"))
    if contract is None:
        return []
    from mcpgen_runtime.shell.options import dash_name

    if context.command.name == "read":
        return _starting(
            [(str(raw["uri"]), "") for raw in contract.definitions_in_order("resources")], start
        )
    member = "prompts" if context.command.name == "prompt" else "tools"
    results = [
        (str(raw["name"]), first_sentence(raw.get("description")))
        for raw in contract.definitions_in_order(member)
    ]
    as_shown = [(dash_name(name), about) for name, about in results]
    return _starting(results if "_" in start else as_shown, start)


def arguments(context: click.Context, behind: list[str], start: str) -> list[CompletionItem]:
    """Complete an argument of a tool, or its value."""
    contract = _known_contract(context.params.get("server"))
    if contract is None:
        return []
    from mcpgen_runtime.shell.arguments import argument_text
    from mcpgen_runtime.shell.options import Options, WordsError, find_name

    is_prompt = context.command.name == "prompt"
    definitions = contract.prompts if is_prompt else contract.tools
    with contextlib.suppress(WordsError):
        name = find_name(str(context.params["name"]), definitions, "tool")
        options = Options.from_schema(name, _schema(definitions[name], is_prompt=is_prompt))
        last = options.find(behind[-1][2:]) if behind and behind[-1].startswith("--") else None
        if last is not None and not last.shape.is_flag:
            return _starting(
                [(argument_text(choice), "") for choice in last.shape.choices or ()], start
            )
        argv = [token[2:].partition("=")[0] for token in behind if token.startswith("--")]
        used = {option.name for token in argv if (option := options.find(token))}
        unused = [
            (options.spelling(item), first_sentence(item.shape.keywords.get("description")))
            for item in options.by_name.values()
            if item.name not in used or "array" in item.shape.kinds
        ]
        return _starting(unused, start)
    return []


def _schema(definition: Json, *, is_prompt: bool) -> Json:
    if not is_prompt:
        return definition.get("inputSchema")
    from mcpgen.servers.shell.tool_call import prompt_schema

    return prompt_schema(definition)


def _known_contract(server: Json) -> Contract | None:
    """Return the known definitions of a server: its contract, or the cached lists."""
    if not isinstance(server, str):
        return None
    from mcpgen.servers.recording.arguments import ServerArguments
    from mcpgen.servers.shell.servers import Server, remembered_lists

    with contextlib.suppress(McpgenError, OSError):
        return (
            Server(ServerArguments(server=server), lambda _: None, "").contract()
            or remembered_lists(server)
            or _of_table(server)
        )
    return None


def _of_table(server: str) -> Contract | None:
    from mcpgen.servers.recording.arguments import ServerArguments
    from mcpgen.servers.recording.project_servers import project_entry
    from mcpgen.servers.shell.servers import Server

    named = project_entry(server)
    if named is None:
        return None
    project, entry = named
    file = str(project.folder / entry.contract)
    return Server(ServerArguments(server=file), lambda _: None, "").contract()


def _starting(pairs: Iterable[tuple[str, str]], start: str) -> list[CompletionItem]:
    return [*_items(pairs, start)]


def _items(pairs: Iterable[tuple[str, str]], start: str) -> Iterator[CompletionItem]:
    for name, about in pairs:
        for shell_word in shell_words([name] if name.startswith(start) else []):
            yield _item(shell_word, about if about.isprintable() else None)


def _item(shell_word: ShellWord, about: str | None) -> CompletionItem:
    """Return a completion. The shell inserts ``shell_word`` without quoting it."""
    return CompletionItem(shell_word, help=about)
