"""Starts Python programs as forks of one process, which has already imported slow modules.

    python forked.py SOCKET MODULE...                waits for requests
    python -S forked.py SOCKET SCRIPT [ARGUMENT...]  runs the script, and exits as it does
    python -S forked.py SOCKET -m MODULE [ARGUMENT...]

A request passes on its arguments, folder, environment, standard streams and signals. The fork
dies with it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

TYPE_CHECKING = False  # importing it would take longer than a request
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

LONGEST = 1 << 18
"""Maximum size of a request in bytes."""
IS_USED = sys.platform == "linux"
"""Whether programs are forks. Elsewhere each is a process of its own."""


def serving(*modules: str) -> Any:
    """Start a process that imports the modules, and yield the command that runs a program."""
    from contextlib import contextmanager

    return contextmanager(_serve)(modules)


def _serve(modules: Sequence[str]) -> Iterator[list[str]]:
    import subprocess
    import tempfile
    import time

    if not IS_USED:
        yield [sys.executable]
        return
    # The path of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/s"
        command = [sys.executable, __file__, path, *modules]
        with subprocess.Popen(command, stdin=subprocess.PIPE) as process:  # dies with its stdin
            while not os.path.exists(path):  # noqa: PTH110 - pathlib isn't imported in a request
                assert process.poll() is None
                time.sleep(0.02)
            yield [sys.executable, "-S", __file__, path]


def wait_for_requests(path: str, modules: list[str]) -> None:
    """Import the modules, and answer each request with the exit code of a fork."""
    import gc
    import importlib

    _die_with(sys.stdin.fileno())
    for name in modules:
        importlib.import_module(name)
    gc.freeze()  # otherwise a fork would copy all memory when it collects garbage
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no fork is waited for
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(f"{path}.new")
        listener.listen(100)
        os.rename(f"{path}.new", path)  # noqa: PTH104
        while True:
            connection, _ = listener.accept()
            with connection:
                request, streams, _, _ = socket.recv_fds(connection, LONGEST, 3)
                if request and os.fork() == 0:
                    listener.close()
                    _die_with(connection.fileno())
                    connection.send(b"%d" % os.getpid())
                    _report_exit(connection)
                    os._exit(run(json.loads(request), streams))
                for stream in streams:
                    os.close(stream)


def _die_with(file: int) -> None:
    """Die when the other end is closed. The kernel kills even a frozen process."""
    import fcntl

    set_signal = 10  # F_SETSIG, which Python doesn't name
    fcntl.fcntl(file, set_signal, signal.SIGKILL)
    fcntl.fcntl(file, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_ASYNC)


def _report_exit(connection: socket.socket) -> None:
    """Send the exit code when this process ends, by ``os._exit`` too."""
    process, exit_at_once = os.getpid(), os._exit

    def report(code: int) -> None:
        if os.getpid() == process:  # its own forks report nothing
            connection.send(b"%d" % code)
        exit_at_once(code)

    os._exit = report


def run(request: dict[str, Any], streams: list[int]) -> int:
    """Run the program in this process, and return its exit code."""
    import runpy
    import traceback

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = map(_standard_stream, range(3))
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    first, *arguments = request["arguments"]
    path = os.environ.get("PYTHONPATH", "")
    sys.path[:0] = path.split(os.pathsep) if path else []
    code: object = 0
    try:
        if first == "-m":
            sys.path.insert(0, request["folder"])
            sys.argv = arguments
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, os.path.dirname(first))  # noqa: PTH120
            sys.argv = [first, *arguments]
            runpy.run_path(first, run_name="__main__")
    except SystemExit as error:
        code = error.code
        if isinstance(code, str):
            sys.stderr.write(f"{code}\n")
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def _standard_stream(number: int) -> Any:
    """Open a standard stream as Python does at its start."""
    return open(
        number,
        "w" if number else "r",
        buffering=1 if number == 2 or os.isatty(number) else -1,
        encoding="utf-8",
        errors="backslashreplace" if number == 2 else "strict",
        closefd=False,
    )


def request(path: str, arguments: list[str]) -> int:
    """Request a run of a program with these arguments, and return its exit code."""
    message = json.dumps(
        {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}  # noqa: PTH109
    )
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(path)
        socket.send_fds(connection, [message.encode()], [0, 1, 2])
        fork = int(connection.recv(16))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda signum, _: os.kill(fork, signum))
        code = int(connection.recv(16) or 1)
    _wait_for_exit(fork)
    return code


def _wait_for_exit(process: int) -> None:
    """Wait until a process that ends has closed all its files and connections."""
    import select

    try:
        file = os.pidfd_open(process)
    except ProcessLookupError:
        return
    select.select([file], [], [])


if __name__ == "__main__":
    if os.path.exists(sys.argv[1]):  # noqa: PTH110
        sys.exit(request(sys.argv[1], sys.argv[2:]))
    wait_for_requests(sys.argv[1], sys.argv[2:])
