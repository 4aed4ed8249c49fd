"""A standard-library bookshop server, correct or with the named bugs. Usage: python
seeded_server.py ERA [--bug NAME]... [--log FILE] [--http PORT].
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from seeded.bugs import BUGS
from seeded.server import Server


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("era", choices=("2025", "2026"))
    parser.add_argument("--bug", action="append", choices=tuple(BUGS), default=[])
    parser.add_argument("--log", type=Path)
    parser.add_argument("--http", type=int)
    namespace = parser.parse_args()
    server = Server(is_modern=namespace.era == "2026")
    for name in namespace.bug:
        BUGS[name].put_into(server)
    if namespace.log:
        log_calls(server, namespace.log)
    if namespace.http is None:
        serve(server)
    else:
        serve_http(server, namespace.http)


def log_calls(server: Server, file: Path) -> None:
    """Log each tool call with its arguments before executing it."""
    received = server.received

    def write(line: bytes) -> bytes:
        if b"tools/call" in line:
            params = json.loads(line).get("params") or {}
            text = json.dumps([params.get("name"), params.get("arguments")])
            with file.open("a", encoding="utf-8") as log:
                log.write(f"{text[:10_000]}\n")
        return received(line)

    server.received = write


def serve(server: Server) -> None:
    """Serve over stdio, each request in a thread of its own."""
    writing = threading.Lock()

    def respond(line: bytes) -> None:
        text = server.answer(line)
        if text is not None:
            with writing:
                sys.stdout.buffer.write(text + b"\n")
                sys.stdout.buffer.flush()

    for line in sys.stdin.buffer:
        if line.strip():
            threading.Thread(target=respond, args=(line,), daemon=True).start()
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(1)


def serve_http(server: Server, port: int) -> None:
    """Serve over HTTP, each request in a thread of its own, with no sessions."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            text = server.answer(self._body())
            self.send_response(202 if text is None else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text or b"")))
            self.end_headers()
            self.wfile.write(text or b"")

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding") != "chunked":
                return self.rfile.read(int(self.headers["content-length"]))
            result = b""
            while size := int(self.rfile.readline(), 16):
                result += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return result

        def do_GET(self) -> None:
            self.send_error(405)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as http:
        print(http.server_port, flush=True)
        http.serve_forever()


if __name__ == "__main__":
    main()
