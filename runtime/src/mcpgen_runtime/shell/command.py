"""The package as a command that lists, explains and calls tools.

``arguments`` converts the command line to arguments, also for ``mcpgen call``. Only ``python
-m`` imports this module.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ..connection.drift import Verify
from ..contract import ToolInfo
from ..conversation.terminal import is_there
from ..display import on_one_line, visible
from ..errors import (
    AuthorizationRequired,
    ClientError,
    InvalidArguments,
    InvalidResult,
    NotConfirmed,
    ProtocolError,
    ToolError,
)
from ..package import Package, package_of_module
from . import streams
from .arguments import ParsedArguments
from .guide import guide
from .options import Options, WordsError, dash_name, find_name
from .sentence import first_sentence

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from ..models.response import Response
    from ..problem import Problem

NOT_CONFIRMED, USAGE, AUTHORIZATION, CONNECTION, RESULT, FAILED = 1, 2, 3, 4, 5, 6
"""The exit codes, equal to those of ``mcpgen call``."""
INTERRUPTED = 130

_HEAD = {"--server": True, "--timeout": True, "--verify": True}
"""Options before the tool's name, and whether they take a value."""
_LATE = {"--json": False, "--save": True, "--yes": False, "-y": False}
"""Options that are also allowed after the tool's name."""
_HELP = {"--help": False, "-h": False}


def main(spec: ModuleSpec | None) -> int:
    """Run the command line of this process, and return its exit code.

    Args:
        spec: The ``__spec__`` of the package's ``__main__`` module.
    """
    if spec is None or not spec.parent:
        return _fail(USAGE, "run the package with python -m and its name")
    streams.prepare()
    try:
        code = run(package_of_module(spec.parent), sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output has closed it
        streams.discard_rest()
        return 0
    except OSError as error:
        if not streams.is_failure(error):
            raise
        streams.discard_rest()
        return _fail(streams.OUTPUT_FAILED, streams.failure(error))
    return code


def run(package: Package, arguments: Sequence[str]) -> int:
    """Run a command line, and return its exit code."""
    own, behind = _split(arguments)
    parser = _parser(package)
    parsed = parser.parse_args(own)
    if parsed.tool is None:
        _print(_tools_text(package, as_json=parsed.json))
        return 0
    try:
        return _call_tool(package, parsed, behind)
    except WordsError as error:
        return _fail(USAGE, str(error))
    except InvalidArguments as error:
        options = _options(package, error.tool)
        reasons = [_placed_reason(options, problem) for problem in error.problems]
        lines = [f"{error.tool}: invalid arguments, nothing was sent", *reasons]
        return _fail(USAGE, "\n  ".join(lines))
    except ClientError as error:
        return _fail(_code(error), str(error))


def _call_tool(package: Package, parsed: argparse.Namespace, behind: list[str]) -> int:
    name = find_name(parsed.tool, package.tools, "tool")
    info, options = package.tools[name], _options(package, name)
    if "-h" in behind or ("--help" in behind and "help" not in options.by_name):
        _print(guide(info.definition, _command(package), shutil.get_terminal_size().columns))
        return 0
    typed = ParsedArguments(
        options, lambda argument: (_LATE | _HELP).get(argument.partition("=")[0])
    )
    typed.read(behind)
    late = _parser(package).parse_args(typed.passed_on)
    arguments = typed.arguments
    if typed.is_from_stdin:
        arguments = typed.with_base(sys.stdin.read())
    is_asking = not (parsed.yes or late.yes)
    response = _answer(package, parsed, name, arguments, is_asking=is_asking)
    _show(name, response, parsed.save or late.save, as_json=parsed.json or late.json)
    return 0


def _answer(
    package: Package,
    parsed: argparse.Namespace,
    name: str,
    arguments: Mapping[str, Any],
    *,
    is_asking: bool,
) -> Response[Any]:
    """Call the tool. At a terminal, questions go to the user."""
    from ..conversation.terminal_prompts import ask_in_terminal

    async def confirm(info: ToolInfo, wire: Mapping[str, Any]) -> bool:
        # Naming the tool is consent, unless it is annotated as destructive.
        if info.annotations.get("destructiveHint") is not True:
            return True
        return is_there() and await ask_in_terminal(info, wire)

    client: Any = package.client
    asks = {"elicit": ask_in_terminal} if is_there() else {}
    confirms = {"confirm": confirm} if is_asking else {}
    options = {"timeout": parsed.timeout, "verify": parsed.verify, **asks, **confirms}
    with client.sync.connect(parsed.server, **options) as connected:
        response: Response[Any] = connected.response(connected.call, name, arguments)
    return response


def _show(name: str, response: Response[Any], folder: str | None, *, as_json: bool) -> None:
    from . import results

    raw = response.raw.model_dump(mode="json", by_alias=True, exclude_none=True)
    saved = results.save(raw, Path(folder), name) if folder is not None else []
    if as_json:
        _print(json.dumps(results.with_files(raw, saved), indent=2, sort_keys=True))
        return
    lines = [results.text_of(raw), *(item.file for item in saved)]
    _print("\n".join(filter(None, lines)))
    for entry in results.describe_hidden(raw) if folder is None else ():
        sys.stderr.write(on_one_line(f"not shown: {entry}; --save DIR writes it to a file"))
        sys.stderr.write("\n")


def _tools_text(package: Package, *, as_json: bool) -> str:
    infos = package.tools
    if as_json:
        definitions = [dict(info.definition) for info in infos.values()]
        return json.dumps({"tools": definitions}, indent=2, sort_keys=True)
    names = {name: on_one_line(dash_name(name)) for name in infos}
    width = min(max(map(len, names.values()), default=0), 36)
    lines = [
        f"  {spelling:{width}}  {on_one_line(first_sentence(infos[name].description))}"
        for name, spelling in names.items()
    ]
    about = [f"Usage: {_command(package)} [OPTIONS] TOOL [ARGUMENTS]", "", "Tools:"]
    return "\n".join([*about, *(line.rstrip() for line in lines)])


def _placed_reason(options: Options, problem: Problem) -> str:
    option = options.place(problem.pointer)
    return f"{option}: {problem.reason}" if option else problem.reason


def _options(package: Package, tool: str) -> Options:
    return Options.from_schema(tool, package.tools[tool].definition.get("inputSchema"))


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the command line after the tool's name."""
    remaining, own = list(arguments), list[str]()
    while remaining:
        argument = remaining.pop(0)
        own.append(argument)
        if not argument.startswith("-"):
            break
        if (_HEAD | _LATE).get(argument) and remaining:
            own.append(remaining.pop(0))
    return own, remaining


def _parser(package: Package) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_command(package),
        description="Call a tool of the server. Without one, all of them are listed.",
        epilog="TOOL --help lists its arguments, which are options.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("tool", nargs="?", metavar="TOOL [ARGUMENTS]", help="a tool, and its arguments")
    add("--server", metavar="URL", help="call this server instead of the recorded one")
    add("--timeout", type=float, default=60.0, metavar="S", help="seconds a call has")
    add(
        "--verify",
        choices=get_args(Verify),
        default="warn",
        help="what to do if the server's tools differ from the contract",
    )
    add("--json", action="store_true", help="print the whole result as JSON")
    add("--save", metavar="DIR", help="write binary content to files there")
    add("-y", "--yes", action="store_true", help="ask for no confirmation")
    return parser


def _command(package: Package) -> str:
    return f"python -m {package.name}"


def _code(error: ClientError) -> int:
    if isinstance(error, ToolError | ProtocolError):
        return FAILED
    if isinstance(error, AuthorizationRequired):
        return AUTHORIZATION
    if isinstance(error, InvalidResult):
        return RESULT
    return NOT_CONFIRMED if isinstance(error, NotConfirmed) else CONNECTION


def _fail(code: int, message: str) -> int:
    sys.stderr.write(f"error: {_indent_message(message)}\n")
    return code


def _print(text: str) -> None:
    """Print text of the server, escaped on a terminal."""
    from ..redaction.credentials import CREDENTIALS

    text = CREDENTIALS.hide(text)
    visible_text = visible(text.expandtabs(4)) if sys.stdout.isatty() else text
    sys.stdout.write(
        visible_text if visible_text.endswith("\n") or not visible_text else f"{visible_text}\n"
    )


def _indent_message(message: str) -> str:
    """Return a message of a server, formatted so that it can't imitate output of this program."""
    return visible(message.expandtabs(4)).replace("\n", "\n  ")
