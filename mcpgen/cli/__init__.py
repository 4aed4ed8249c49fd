"""The command line, with one module per command, imported on use.

Help and version are printed from here without further imports, with the same text as Click.
"""

from __future__ import annotations

import gc
import os
import sys

from mcpgen_runtime.shell import streams

from mcpgen import __version__
from mcpgen.cli.shared.commands import COMMANDS, GROUPS, LASTING

__all__ = ["COMMANDS", "main"]

_HELP = """\
Usage: mcpgen [OPTIONS] COMMAND [ARGS]...

  Typed Python clients and servers, generated from the definitions of MCP
  servers.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. An error becomes a short message and a documented exit code."""
    streams.prepare()
    argv = sys.argv[1:] if arguments is None else arguments
    if len(argv) == 1 and "_MCPGEN_COMPLETE" not in os.environ and (answer := _answer(argv[0])):
        sys.exit(_print(answer))
    is_short = arguments is None and LASTING.isdisjoint(argv[:1])
    if is_short:
        _collect_rarely()
        _end_on_signals()
    try:
        code = _run(argv)
    except KeyboardInterrupt:  # Ctrl+C before Click, which normally reports it, was imported
        sys.stderr.write("interrupted\n")
        code = 130
    except FileNotFoundError:
        if _has_folder():
            raise
        sys.stderr.write(
            "error: the current folder no longer exists\nhint: change to another folder\n"
        )
        code = 2
    if is_short:
        gc.freeze()  # skip a last collection, because all memory is freed at once
    sys.exit(code)


def _has_folder() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - pathlib isn't loaded yet
    except FileNotFoundError:
        return False
    return True


_SIGNAL_GRACE = 8.0
"""Seconds for an orderly exit after a signal: ending a server takes up to 4."""

_SMALL = 200_000


def _collect_rarely() -> None:
    """Delay garbage collection, because most objects of a command live until its end.

    A small command ends before the first collection. A large one collects new objects often enough
    not to use more memory than with Python's own thresholds.
    """
    gc.set_threshold(_SMALL)
    gc.callbacks.append(_after_first)


def _after_first(phase: str, _info: dict[str, int]) -> None:
    if phase == "stop" and _after_first in gc.callbacks:
        gc.callbacks.remove(_after_first)
        gc.set_threshold(10_000, 20, 100)


def _print(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        streams.discard_rest()
    except OSError as error:
        streams.discard_rest()
        sys.stderr.write(f"error: {streams.failure(error)}\n")
        return streams.OUTPUT_FAILED
    return 0


def _end_on_signals() -> None:
    """Exit on SIGTERM and SIGHUP like on Ctrl-C, so that started servers are ended too."""
    import signal

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # A caller that ignores a signal, such as nohup, expects the command to survive it.
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _exit_on_signal)


def _exit_on_signal(number: int, _: object) -> None:
    from threading import Timer

    # The interpreter drops exceptions raised inside its own callbacks.
    watchdog = Timer(_SIGNAL_GRACE, _exit_now, (128 + number,))
    watchdog.daemon = True
    watchdog.start()
    raise SystemExit(128 + number)


def _exit_now(code: int) -> None:
    from mcpgen.servers.recording.wire import server_process

    server_process.end_all()
    os._exit(code)


def _run(args: list[str]) -> int:
    if "--" not in args:  # no command that starts a server
        from mcpgen.cli.app import run

        return run(args)
    from mcpgen.servers.recording.wire import early_start

    try:
        early_start.begin(args)
        from mcpgen.cli.app import run

        return run(args)
    finally:
        early_start.end()


def _answer(option: str) -> str:
    if option == "--version":
        return f"mcpgen, version {__version__}\n"
    if option not in ("-h", "--help"):
        return ""
    width = max(map(len, COMMANDS)) + 2
    sections = (
        f"\n{title}:\n" + "".join(f"  {name:{width}}{text}\n" for name, text in group.items())
        for title, group in GROUPS.items()
    )
    return _HELP + "".join(sections)
