"""The command line: options in, messages and exit codes out. One file per command, loaded on use.

Nothing is imported before it is known what was asked: help and version are answered from here,
in the words that Click would print.
"""

from __future__ import annotations

import os
import sys

from mcpgen import __version__
from mcpgen.cli.commands import COMMANDS

__all__ = ["COMMANDS", "main"]

_HELP = """\
Usage: mcpgen [OPTIONS] COMMAND [ARGS]...

  Typed Python clients and servers, generated from what an MCP server
  publishes.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
"""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a problem becomes a short message and its documented exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    if len(words) == 1 and "_MCPGEN_COMPLETE" not in os.environ and (answer := _answer(words[0])):
        sys.stdout.write(answer)
        sys.exit(0)
    try:
        code = _run(words)
    except KeyboardInterrupt:  # before Click, which says it otherwise, was there
        sys.stderr.write("interrupted\n")
        code = 130
    sys.exit(code)


def _run(words: list[str]) -> int:
    from mcpgen.recording import early_start

    try:
        early_start.begin(words)
        from mcpgen.cli.app import run

        return run(words)
    finally:
        early_start.end()


def _answer(option: str) -> str:
    if option == "--version":
        return f"mcpgen, version {__version__}\n"
    if option not in ("-h", "--help"):
        return ""
    width = max(map(len, COMMANDS)) + 2
    return _HELP + "".join(f"  {name:{width}}{text}\n" for name, text in COMMANDS.items())
