"""The base of commands on a tool, prompt or resource, whose arguments follow its name."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem
from mcpgen_runtime.display import TerminalText, visible
from mcpgen_runtime.redaction.credentials import CREDENTIALS

from mcpgen.cli.shared import console
from mcpgen.cli.shared.console import log, print_text
from mcpgen.cli.shared.options import ServerCommand, format_option, json_option
from mcpgen.errors import UsageError
from mcpgen.jsontext import Json, is_object
from mcpgen.servers.recording.arguments import ServerArguments

if TYPE_CHECKING:
    from mcpgen_runtime.shell.results import SavedFile

    from mcpgen.servers.shell.tool_call import Call, CommandLine, Kind

_Function = TypeVar("_Function", bound=Callable[..., Any])
_BEHIND = "mcpgen.behind"
_IS_JSON = "mcpgen.json"


class NamedCommand(ServerCommand):
    """A command whose arguments after the item's name belong to that item."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        is_command = end < len(args)
        own, behind = self._split(args[:end], names=1 if is_command else 2)
        ctx.meta[_BEHIND] = behind
        ctx.meta[_IS_JSON] = console.asks_for_json(own)
        if console.asks_for_json(behind):  # this may be an argument, which is parsed later
            ctx.find_root().meta[console.JSON] = True
        argv = super().parse_args(ctx, [*own, *args[end:]])
        if is_command:  # a single name is not a server
            ctx.params["name"], ctx.params["server"] = ctx.params["server"], None
        return argv

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        own = super().shell_complete(ctx, incomplete)
        if ctx.params.get("name") is None:
            return own
        from mcpgen.cli.shared import completion

        behind: list[str] = ctx.meta.get(_BEHIND, [])
        late = {opt for param in _late_params() for opt in param.opts}
        return [
            *completion.arguments(ctx, behind, incomplete),
            *(item for item in own if item.value in late),
        ]

    def _split(self, args: Sequence[str], names: int) -> tuple[list[str], list[str]]:
        """Split arguments after the last of `names` positional ones."""
        remaining = list(args)
        own: list[str] = []
        while remaining and names:
            argument = remaining.pop(0)
            own.append(argument)
            if not argument.startswith("-") or argument == "-":
                names -= 1
            elif needs_value(self.params, argument) and "=" not in argument and remaining:
                own.append(remaining.pop(0))
        return own, remaining

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        del ctx
        name = "URI" if self.name == "read" else f"{'TOOL' if self.name == 'call' else 'NAME'} ..."
        return [f"[OPTIONS] SERVER {name} | {name} -- COMMAND..."]


def needs_value(params: Sequence[click.Parameter], arg: str) -> bool | None:
    """Return True if an option takes a value, or None if there is no such option."""
    name = arg.partition("=")[0]
    for param in params:
        if isinstance(param, click.Option) and name in (*param.opts, *param.secondary_opts):
            return not param.is_flag
    return False if name in ("-h", "--help") else None


_LATE: Sequence[Callable[[Any], Any]] = (
    format_option(["text", "json"], "Format of the result."),
    click.option("--save", metavar="DIR", help="Folder for images, audio and files of the result."),
    click.option("-y", "--yes", is_flag=True, help="Don't ask for confirmation at a terminal."),
)
_SHARED: Sequence[Callable[[Any], Any]] = (
    json_option,
    click.option("-v", "--verbose", is_flag=True),
    click.option("-q", "--quiet", is_flag=True),
)


def completed_names(
    context: click.Context, argument: click.Parameter, start: str
) -> list[CompletionItem]:
    """Return shell completions for the name of the item."""
    from mcpgen.cli.shared import completion

    return completion.names(context, argument, start)


def late_options(command: _Function) -> _Function:
    """Add the options that are also accepted after the name."""
    for option in reversed((*_LATE, json_option)):
        command = option(command)
    return command


def _late_params() -> list[click.Parameter]:
    def late() -> None:
        """Hold the options."""

    for option in (*_LATE, *_SHARED):
        option(late)
    params: list[click.Parameter] = getattr(late, "__click_params__", [])
    return params


@dataclass(slots=True)
class Settings:
    """The options of the command. Those after the name are known once all arguments are parsed."""

    arguments: ServerArguments
    save: str | None
    yes: bool
    behind: list[str] = field(default_factory=list[str])
    is_help: bool = False

    @classmethod
    def from_options(cls, arguments: ServerArguments, options: Mapping[str, Any]) -> Settings:
        """Return the options before the name."""
        behind: list[str] = click.get_current_context().meta[_BEHIND]
        return cls(arguments, options["save"], options["yes"], behind)

    @property
    def command(self) -> str:
        """The command line up to the name of the item."""
        path = click.get_current_context().command_path
        return f"{path} {self.arguments.server}" if self.arguments.server else path

    @property
    def server(self) -> str:
        """The server's name, as shown in prompts."""
        return self.arguments.server or Path(self.arguments.command[0]).name

    def say(self, text: str) -> None:
        """Print a message to stderr, except with --quiet."""
        log(text, quiet=self.arguments.quiet or bool({"-q", "--quiet"} & {*self.behind}))

    def warn(self, text: str) -> None:
        """Print a notice on stderr, with --json as a line of JSON."""
        if console.is_json():
            click.echo(json.dumps({"notice": CREDENTIALS.hide(text)}), err=True)
        else:
            self.say(f"notice: {text}")

    def words_after(self, name: str | None, kind: Kind) -> CommandLine:
        """Return the arguments after the name.

        Raises:
            UsageError: There is no name.
        """
        from mcpgen.servers.shell.tool_call import CommandLine

        if name is None:
            server = self.arguments.server
            hint = f"see: mcpgen list {server}" if server else f"try: {self.command} demo ..."
            raise UsageError(f"no {kind.noun} was named", hint=hint)
        return CommandLine(name, self.behind, self.command, self._is_own, self._settle, _stdin)

    def finish(self, call: Call) -> bool:
        """Send the request, or print the item's help. Returns True if there is a result."""
        from mcpgen.servers.shell.servers import Server

        server = Server(self.arguments, self.say, self.command)
        contract = server.contract() or server.fulfil(call.wish(), None)
        if contract is not None:
            call.prepare(contract)
            if call.is_wanted:
                server.fulfil(call.wish(), contract)
        if self.is_help:
            from mcpgen_runtime.shell.guide import guide

            width = shutil.get_terminal_size().columns
            definition = {**call.definition, "inputSchema": call.schema()}
            print_text(visible(guide(definition, self.command, width)))
        return not self.is_help

    def _is_own(self, arg: str) -> bool | None:
        result = needs_value(_late_params(), arg)
        context = click.get_current_context()
        if result is None and needs_value(context.command.params, arg) is not None:
            name = arg.partition("=")[0]
            hint = f"write: {context.command_path} {name} ... SERVER NAME"
            raise UsageError(f"{name} comes before the name", name, hint)
        return result

    def _settle(self, rest: list[str]) -> bool:
        context = click.get_current_context()
        context.find_root().meta[console.JSON] = context.meta[_IS_JSON]
        if {"--help", "-h"} & {*rest}:
            self.is_help = True
            return False
        late = click.Command(context.command.name, params=_late_params())
        params = late.make_context(context.command.name, list(rest), parent=context).params
        self.save = params["save"] or self.save
        self.yes = params["yes"] or self.yes
        return True

    def take_behind(self) -> bool:
        """Parse the rest of the command line as options, for a name without arguments."""
        return self._settle(self.behind)

    def asks(self, definition: Mapping[str, Json]) -> bool:
        """Return True if a call needs confirmation, because of `destructiveHint`."""
        value = definition.get("annotations")
        return not self.yes and is_object(value) and value.get("destructiveHint") is True

    def save_media(self, result: dict[str, Json], stem: str) -> list[SavedFile]:
        """Write the media of a result with --save, or report the missing parts."""
        from mcpgen_runtime.shell import results

        if self.save is None:
            for text in results.describe_hidden(result):
                self.say(f"not shown: {text}; --save DIR writes it to a file")
            return []
        try:
            return results.save(result, Path(self.save), stem)
        except OSError as error:
            problem = f"the files cannot be written: {error.strerror}"
            raise UsageError(problem, self.save) from None


def join_texts(*texts: str) -> TerminalText:
    """Join remote strings for stdout, escaped on a terminal."""
    text = "\n".join(filter(None, texts))
    # A pipe gets the unescaped result.
    return visible(text.expandtabs(4)) if sys.stdout.isatty() else TerminalText(text)


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("stdin is not UTF-8 text", "-") from None
