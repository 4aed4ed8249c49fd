"""Starts Python programs as forks of one process, which has already imported slow modules.

    python forked.py SOCKET SCRIPT MODULE...      waits for requests
    python -S forked.py SOCKET [ARGUMENT...]      runs the script, and exits as it does

The second command starts in a hundredth of a second. It passes its arguments, its environment and
its standard streams on.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

LONGEST = 1 << 18
"""Maximum size of a request in bytes."""


@contextmanager
def serving(script: str, *modules: str) -> Iterator[str]:
    """Start the waiting process, and yield the command that runs the script."""
    import tempfile

    # The path of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory() as folder, _waiting(f"{folder}/s", script, modules) as path:
        yield f"{sys.executable} -S {__file__} {path}"


@contextmanager
def _waiting(path: str, script: str, modules: Sequence[str]) -> Iterator[str]:
    with subprocess.Popen([sys.executable, __file__, path, script, *modules]) as process:
        while not os.path.exists(path):  # noqa: PTH110 - pathlib isn't imported in a fork's request
            assert process.poll() is None
            time.sleep(0.05)
        try:
            yield path
        finally:
            process.kill()


def wait_for_requests(path: str, script: str, modules: list[str]) -> None:
    """Import the modules, and answer each request with the exit code of a fork."""
    import importlib

    sys.path.insert(0, os.path.dirname(script))  # noqa: PTH120
    for name in modules:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no fork is waited for
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(f"{path}.new")
        listener.listen(100)
        os.rename(f"{path}.new", path)  # noqa: PTH104
        while True:
            connection, _ = listener.accept()
            with connection:
                request, streams, _, _ = socket.recv_fds(connection, LONGEST, 3)
                if os.fork() == 0:
                    connection.send(b"%d" % run(script, json.loads(request), streams))
                    os._exit(0)
                for stream in streams:
                    os.close(stream)


def run(script: str, request: Any, streams: list[int]) -> int:
    """Run the script in this process, and return its exit code."""
    import runpy
    import traceback

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = [script, *request["arguments"]]
    code: object = 0
    try:
        runpy.run_path(script, run_name="__main__")
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


def request(path: str, arguments: list[str]) -> int:
    """Request a run of the script with these arguments, and return its exit code."""
    message = json.dumps({"arguments": arguments, "environment": dict(os.environ)})
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(path)
        socket.send_fds(connection, [message.encode()], [0, 1, 2])
        return int(connection.recv(16) or 1)


if __name__ == "__main__":
    if os.path.exists(sys.argv[1]):  # noqa: PTH110
        sys.exit(request(sys.argv[1], sys.argv[2:]))
    wait_for_requests(sys.argv[1], sys.argv[2], sys.argv[3:])
