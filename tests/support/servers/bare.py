"""A standard-library server that misbehaves as requested. Usage: python bare.py BEHAVIOUR
[ARGUMENT...]. A behavior without its own function responds like ``all``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = Any

FORECAST: Json = {
    "name": "forecast",
    "description": "Forecast the weather.",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
    "x-vendor": {"kept": [1, 2.5, None]},
}
ALERTS: Json = {"name": "alerts", "inputSchema": {"type": "object"}}
GREETING: Json = {
    "capabilities": {"tools": {}, "x-vendor": {"of": "capabilities"}},
    "serverInfo": {"name": "bare", "version": "1", "x-vendor": True},
    "instructions": "Ask for the weather.",
}

# Each name describes the defect. "forecast" is the only valid one.
ODD: list[Json] = [
    FORECAST,
    {"name": "no_schema"},
    {"name": "null_schema", "inputSchema": None},
    {"name": "no_root_type", "inputSchema": {"properties": {"a": {"type": "string"}}}},
    {
        "name": "not_a_schema",
        "inputSchema": {"type": "object", "properties": {"a": {"type": 7}}},
    },
    {
        "name": "array_output",
        "inputSchema": {"type": "object"},
        "outputSchema": {"type": "array"},
    },
    {
        "name": "number_description",
        "inputSchema": {"type": "object"},
        "description": 12,
    },
    {
        "name": "bad_default",
        "inputSchema": {
            "type": "object",
            "properties": {"n": {"type": "integer", "default": "many"}},
        },
    },
    {
        "name": "far_ref",
        "inputSchema": {"type": "object", "$ref": "https://example.org/s.json"},
    },
    {**ALERTS, "name": "forecast", "description": "a second one"},
    {"title": "nameless"},
    "not even an object",
]

DEEP = '{"not":' * 2000 + "{}" + "}" * 2000
# Python itself cannot write these, so they are written as text, each in a tool of its own.
UNHELD = ",".join(
    [json.dumps(FORECAST)]
    + [
        f'{{"name":"{name}","inputSchema":{{"type":"object",{schema}}}}}'
        for name, schema in {
            "deep": f'"not":{DEEP}',
            "digits": f'"maxProperties":{"9" * 5000}',
            "no_number": '"default":NaN',
            "nested": f'"not":{DEEP[7 * 1770 : -1770]}',
        }.items()
    ]
)

PAGES: dict[str, Json] = {
    "paged": {
        None: {"tools": [FORECAST], "nextCursor": ""},
        "": {"tools": [ALERTS], "nextCursor": "last"},
        "last": {"tools": [{**ALERTS, "name": "tides"}]},
    },
    "circle": {
        None: {"tools": [FORECAST], "nextCursor": "a"},
        "a": {"tools": [ALERTS], "nextCursor": "a"},
    },
}


def answer(behaviour: str, message: Json) -> Json:
    """Return the response to a message, or None for a notification."""
    if "id" not in message:
        return None
    method, params = message.get("method"), message.get("params") or {}
    result = _result(behaviour, method, params)
    if behaviour == "slow" and method == "tools/list":
        return None
    if behaviour == "failing" and method == "prompts/list":
        error = {"code": -32603, "message": "the database is away"}
        return {"jsonrpc": "2.0", "id": message["id"], "error": error}
    if result is None:
        error = {"code": -32601, "message": f"Method not found: {method}"}
        return {"jsonrpc": "2.0", "id": message["id"], "error": error}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _result(behaviour: str, method: str, params: Json) -> Json:
    if method == "server/discover" and behaviour == "modern":
        info = {"io.modelcontextprotocol/serverInfo": GREETING["serverInfo"]}
        rest = {key: value for key, value in GREETING.items() if key != "serverInfo"}
        complete = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return {**rest, **complete, "supportedVersions": ["2026-07-28"], "_meta": info}
    if method == "initialize" and behaviour != "modern":
        return _initialize_result(behaviour)
    lists: dict[str, Callable[[str, Json], Json]] = {
        "tools/list": _tools,
        "prompts/list": lambda *_: {"prompts": [{"name": "ask", "x-vendor": 1}]},
        "resources/list": lambda *_: {"resources": [{"uri": "a://b", "name": "b"}]},
        "resources/templates/list": lambda *_: None,
    }
    return lists[method](behaviour, params) if method in lists else None


def _initialize_result(behaviour: str) -> Json:
    if behaviour == "refuses":
        return None
    revisions = {"ancient": "1999-01-01", "oldest": "2024-11-05", "nameless": None}
    greeting = {"protocolVersion": revisions.get(behaviour, "2025-06-18"), **GREETING}
    if behaviour == "empty":
        greeting["capabilities"] = {}
    if behaviour in ("all", "broken", "failing"):
        greeting["capabilities"] = {"tools": {}, "prompts": {}, "resources": {}}
    if behaviour == "sloppy":
        greeting["serverInfo"] = "bare"
    return greeting


def _tools(behaviour: str, params: Json) -> Json:
    complete = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    pages = PAGES.get(behaviour, {None: {"tools": [FORECAST, ALERTS]}})
    page = pages.get(params.get("cursor"))
    if behaviour == "endless":
        page = {"tools": [], "nextCursor": str(int(params.get("cursor", 0)) + 1)}
    elif behaviour == "many":
        page = {"tools": [{"name": str(n), "inputSchema": {}} for n in range(10_001)]}
    elif behaviour == "odd":
        page = {"tools": ODD}
    elif behaviour == "broken":
        page = None
    elif behaviour == "chatty":
        page = {"tools": [FORECAST, {"title": "x" * 44 + sys.argv[2]}]}
    elif behaviour == "no_list":
        page = {"tools": "none"}
    elif behaviour == "telltale":
        page = {"tools": [{**FORECAST, "description": f"{sys.argv[2:]} {os.environ}"}]}
    return page and (page | complete if behaviour == "modern" else page)


def text_of(behaviour: str, response: Json) -> str:
    """Serialize a response, or the corrupted form of some behaviors."""
    if "tools" in response.get("result", {}):
        number = response["id"]
        if behaviour == "unheld":
            return f'{{"jsonrpc":"2.0","id":{number},"result":{{"tools":[{UNHELD}]}}}}'
        if behaviour == "garbled":
            return f'{{"jsonrpc":"2.0","id":{number},"result":7}}'
        if behaviour == "long":
            return "x" * (65 * 2**20)
    return json.dumps(response)


def serve(behaviour: str) -> None:
    """Respond to one line at a time until stdin ends."""
    if behaviour.startswith("forks"):
        script = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
        quick = "import time; time.sleep(60)"
        code = script if behaviour == "forks_and_stays" else quick
        child = subprocess.Popen([sys.executable, "-S", "-c", code])
        Path(sys.argv[2]).write_text(str(child.pid))
    for line in sys.stdin:
        message = json.loads(line)
        if behaviour == "shy" and message["method"] == "server/discover":
            sys.exit("I do not know that")
        if response := answer(behaviour, message):
            print(text_of(behaviour, response), flush=True)


def exits() -> None:
    print("cannot open the database", file=sys.stderr)
    sys.exit(3)


def junk() -> None:
    print("Welcome to my server!", flush=True)
    time.sleep(60)


def binary() -> None:
    sys.stdout.buffer.write(b"\xff\xfe\x00\n")
    sys.stdout.flush()
    time.sleep(60)


def banner() -> None:
    print("Welcome to my server!\n", flush=True)
    serve("banner")


def silent() -> None:
    time.sleep(60)


def stubborn() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(os.getpid(), file=sys.stderr, flush=True)
    while True:
        time.sleep(60)


def tells() -> None:
    file = Path(sys.argv[2])
    file.with_suffix(".new").write_text(str(os.getpid()))
    file.with_suffix(".new").rename(file)
    time.sleep(60)


def leaks() -> None:
    print("cannot log in with", sys.argv[2:], dict(os.environ), file=sys.stderr)
    print("cannot log in with", sys.argv[2:], dict(os.environ), flush=True)
    sys.exit(1)


if __name__ == "__main__":
    named = {f.__name__: f for f in (exits, junk, binary, banner, silent, stubborn, tells, leaks)}
    chosen = named.get(sys.argv[1])
    if chosen is None:
        serve(sys.argv[1])
    else:
        chosen()
