"""`mcpgen budget`: estimates the tokens of a server's tools in a model's context."""

from __future__ import annotations

from functools import partial

import click
from mcpgen_runtime.display import TerminalText, brief, on_one_line

from mcpgen.cli.shared.console import log, log_notices, notices_document, print_result, with_style
from mcpgen.cli.shared.options import ServerCommand, json_option, server_options
from mcpgen.codegen.agent_files.budget import (
    SHARED,
    WAYS,
    Budget,
    RepeatedText,
    ToolCost,
    budget,
    round_tokens,
)
from mcpgen.contract.definitions import server_name
from mcpgen.isolation import failure_notices, isolate
from mcpgen.servers.recording.arguments import ServerArguments
from mcpgen.servers.recording.project_servers import contract_of

_LISTED, _TEXTS = 20, 5
_LONGEST = 40


@click.command(
    cls=ServerCommand, name="budget", short_help="Count the tokens of a server's tool definitions."
)
@server_options
@json_option
def command(arguments: ServerArguments) -> None:
    """Show the tokens of a server's tools in a model's context, largest first.

    SERVER is a contract, a file with a tools/list result, or a server as in `mcpgen record`. The
    size of a tool counts its name, description and inputSchema as JSON on one line, as hosts pass
    it to a model. Tokens are estimated for the encoding o200k: the error is below 4 % for half of
    all tools.
    """
    recorded = contract_of(arguments, log, "mcpgen budget")
    name = server_name(recorded.contract) or arguments.display_name
    result, failures = isolate(partial(budget, server=name), recorded.contract)
    notices = [*recorded.notices, *failure_notices(failures)]
    document = {
        "contract": arguments.display_name,
        **_document(result),
        "notices": notices_document(notices),
    }
    print_result(document, _text(result, verbose=arguments.verbose))
    quiet, verbose = arguments.quiet, arguments.verbose
    log_notices(notices, strict=arguments.strict, verbose=verbose, quiet=quiet)


def _document(result: Budget) -> dict[str, object]:
    size = result.size
    return {
        "server": result.server,
        "encoding": "o200k",
        "bytes": size.bytes,
        "characters": size.characters,
        "tokens": size.tokens,
        "instructions": result.instructions,
        "saved": result.total_saved,
        "tools": [_entry(tool) for tool in result.tools],
        "repeated": [
            {"text": item.text, "tools": list(item.tools), "tokens": item.tokens}
            for item in result.repeated
        ],
    }


def _entry(tool: ToolCost) -> dict[str, object]:
    return {
        "tool": tool.name,
        "bytes": tool.size.bytes,
        "characters": tool.size.characters,
        "tokens": tool.size.tokens,
        "parts": dict(tool.parts),
        "arguments": dict(tool.arguments),
        "saved": dict(tool.saved),
        "outputSchema": tool.output,
    }


def _text(result: Budget, *, verbose: bool) -> TerminalText:
    size, count = result.size, len(result.tools)
    head = on_one_line(
        f"{on_one_line(result.server)}: {count} tool{'s' if count != 1 else ''}, "
        f"{size.bytes:,} bytes, about {round_tokens(size.tokens)} tokens"
    )
    rows: list[str] = [with_style(head, bold=True)]
    if result.instructions:
        rows.append(f"and about {round_tokens(result.instructions)} of instructions")
    tool_costs = result.tools if verbose else result.tools[:_LISTED]
    if tool_costs:
        rows += [
            "",
            with_style(on_one_line(" tokens  share    bytes  tool and largest part"), bold=True),
        ]
    rows += [_line(tool, size.tokens) for tool in tool_costs]
    if rest := result.tools[len(tool_costs) :]:
        remaining = sum(tool.size.tokens for tool in rest)
        rows.append(
            f"{remaining:7,}  {_share(remaining, size.tokens):>5}           {len(rest)} more (-v)"
        )
    if ways := [way for way in WAYS if result.total_saved[way]]:
        rows += ["", with_style(on_one_line("Tokens that would be saved"), bold=True)]
        rows += [_way(result, way) for way in ways]
    if result.repeated:
        rows += [
            "",
            with_style(
                on_one_line("Repeated texts, which the instructions could contain once"),
                bold=True,
            ),
        ]
        texts = result.repeated if verbose else result.repeated[:_TEXTS]
        rows += [_repeated_line(text) for text in texts]
    return TerminalText("\n".join(rows))  # every line escapes its remote text


def _line(tool: ToolCost, whole: int) -> str:
    cost = tool.size
    numbers = f"{cost.tokens:7,}  {_share(cost.tokens, whole):>5}  {cost.bytes:7,}"
    return f"{numbers}  {on_one_line(brief(tool.name, 64))}: {_why(tool)}"


def _why(tool: ToolCost) -> str:
    """Return the two largest parts of a tool, and its largest argument."""
    whole = tool.size.tokens
    parts = sorted(tool.parts.items(), key=lambda part: -part[1])[:2]
    shares = [f"{part} {_share(count, whole)}" for part, count in parts if count]
    argument, count = next(iter(tool.arguments.items()), ("", 0))
    if 2 * count > whole:
        of = on_one_line(brief(argument, _LONGEST))
        shares.append(f"{'' if of in SHARED else 'argument '}{of} {_share(count, whole)}")
    if 10 * tool.saved["hoist"] > whole:
        shares.append(f"repeats {_share(tool.saved['hoist'], whole)}")
    return ", ".join(shares)


def _way(result: Budget, way: str) -> str:
    saved = result.total_saved[way]
    most = max(result.tools, key=lambda tool: tool.saved[way])
    in_tool = on_one_line(brief(most.name, 64))
    return f"{saved:7,}  {_share(saved, result.size.tokens):>5}  {WAYS[way]}; most in {in_tool}"


def _repeated_line(repeated: RepeatedText) -> str:
    text = on_one_line(brief(repeated.text, 70))
    return f"{repeated.tokens:7,}  in {len(repeated.tools)} tools: {text}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""
