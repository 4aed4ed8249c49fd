"""A standard-library server that runs tools as tasks, in either revision. Usage: python
task_server.py [REVISION], over stdio. A task advances one step each time it is polled.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = Any

LEGACY, MODERN = "2025-11-25", "2026-07-28"
EXTENSION = "io.modelcontextprotocol/tasks"
STEPS = 3
"""How often a task is asked for before it is done."""

SUPPORT = {
    "make": "required",
    "may": "optional",
    "never": "forbidden",
    "simulate-research-query": "required",
}
_HOW: Json = {
    "type": "object",
    "properties": {"how": {"type": "string"}},
    "additionalProperties": False,
}
_MADE: Json = {
    "type": "object",
    "properties": {"made": {"type": "string", "pattern": "^made "}},
    "required": ["made"],
}


def tools(revision: str) -> list[Json]:
    """Return the tools. Since 2026-07-28, definitions don't declare task support."""
    topic = {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}
    tool = {"inputSchema": _HOW, "outputSchema": _MADE}
    schemas = {name: tool for name in SUPPORT if name != "simulate-research-query"}
    schemas["simulate-research-query"] = {"inputSchema": topic}
    return [
        {
            "name": name,
            **schema,
            **({"execution": {"taskSupport": SUPPORT[name]}} if revision == LEGACY else {}),
        }
        for name, schema in schemas.items()
    ]


def capabilities(revision: str) -> Json:
    if revision == MODERN:
        return {"tools": {}, "extensions": {EXTENSION: {}}}
    calls = {"requests": {"tools": {"call": {}}}}
    return {"tools": {}, "tasks": {"list": {}, "cancel": {}, **calls}}


def contract(revision: str, **parts: Any) -> Any:
    """Return the recorded contract of this server."""
    from mcpgen.contract.document import Contract

    whole: dict[str, Any] = {
        "tools": {tool["name"]: tool for tool in tools(revision)},
        "revision": revision,
        "server": {"name": "tasks"},
        "capabilities": capabilities(revision),
    }
    return Contract(**{**whole, **parts})


class TaskServer:
    """The tasks and the received requests. ``handle`` returns the messages to send."""

    def __init__(self, revision: str = LEGACY, **declared: Json) -> None:
        self.revision = revision
        self.capabilities = declared or capabilities(revision)
        self.heard: list[tuple[str, Json]] = []
        self.tasks: dict[str, Json] = {}
        self.held: dict[str, Json] = {}
        self.interval = 10
        self.before: list[Json] = []
        self.losing: dict[str, int] = {}
        """How many of the next requests of a method end the connection."""
        self.is_silent = False
        """Whether nothing but a call is answered within this process."""
        self.statuses: list[int] = []
        """What the next questions for a task are answered over HTTP."""

    @property
    def methods(self) -> list[str]:
        return [method for method, _ in self.heard if method.startswith(("tasks/", "tools/call"))]

    def handle(self, message: Json) -> list[Json]:
        """Return the messages sent in response."""
        if "method" not in message:
            return self.finish_task(message)
        method, params = message["method"], message.get("params") or {}
        self.heard.append((method, params))
        if "id" not in message:
            return []
        try:
            result = self.respond(message["id"], method, params)
        except KeyError as error:
            result = [failure(message["id"], -32602, f"no such task: {error}")]
        before, self.before = self.before, []
        return [
            *before,
            *(result if isinstance(result, list) else [response(message["id"], result)]),
        ]

    def respond(self, number: Json, method: str, params: Json) -> Json:
        """Return a result, or the messages sent instead."""
        legacy = self.revision == LEGACY
        ways = {"tools/list": self.list_tools, "tools/call": self.call, "tasks/get": self.step}
        ways |= {"tasks/cancel": self.cancel}
        if legacy:
            ways |= {"initialize": self.greet, "tasks/result": self.result}
        else:
            ways |= {"server/discover": self.greet, "tasks/update": self.update}
        if method not in ways:
            return [failure(number, -32601, f"Method not found: {method}")]
        return ways[method](number, params)

    def greet(self, number: Json, params: Json) -> Json:
        del number, params
        common = {
            "capabilities": self.capabilities,
            "serverInfo": {"name": "tasks", "version": "1"},
        }
        if self.revision == LEGACY:
            return {**common, "protocolVersion": LEGACY}
        return {**common, "supportedVersions": [MODERN], "ttlMs": 0, "cacheScope": "private"}

    def list_tools(self, number: Json, params: Json) -> Json:
        del number, params
        cached = {} if self.revision == LEGACY else {"ttlMs": 0, "cacheScope": "private"}
        return {"tools": tools(self.revision), **cached}

    def cancel(self, number: Json, params: Json) -> Json:
        legacy = self.revision == LEGACY
        task = self.tasks[params["taskId"]]
        is_over = task["status"] not in ("working", "input_required")
        if is_over and legacy:
            return [failure(number, -32602, "it has ended")]
        task["status"] = task["status"] if is_over else "cancelled"
        if (resources := self.held.pop(params["taskId"], None)) is not None:
            self.before.append(failure(resources, -32603, "it was cancelled"))
        return self.task_status(params["taskId"]) if legacy else {}

    def update(self, number: Json, params: Json) -> Json:
        del number
        self.tasks[params["taskId"]].update(answers=params["inputResponses"])
        return {}

    def call(self, number: Json, params: Json) -> Json:
        how = (params.get("arguments") or {}).get("how", "")
        is_task = "task" in params
        runs = is_task if self.revision == LEGACY else params["name"] != "never"
        if (
            self.revision == LEGACY
            and how != "as asked"
            and (is_task != (SUPPORT[params["name"]] == "required"))
        ):
            return [failure(number, -32601, "to be called otherwise")]
        if not runs or how == "at once":
            return result_of("at once")
        name = f"t{len(self.tasks) + 1}"
        token = (params.get("_meta") or {}).get("progressToken")
        ttl = (params.get("task") or {}).get("ttl", 60_000)
        self.tasks[name] = {
            "how": how,
            "steps": 0,
            "status": "completed" if how == "done" else "working",
            "ttl": ttl,
            "token": token,
        }
        task = self.task_status(name)
        return {"task": task} if self.revision == LEGACY else {"resultType": "task", **task}

    def task_status(self, name: str) -> Json:
        """Return the status of a task."""
        task = self.tasks[name]
        legacy = self.revision == LEGACY
        ttl, interval = ("ttl", "pollInterval") if legacy else ("ttlMs", "pollIntervalMs")
        status: dict[str, Json] = {
            "taskId": name,
            "status": task["status"],
            "statusMessage": f"step {task['steps']}",
            "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:01Z",
            ttl: task["ttl"],
            interval: self.interval,
        }
        if legacy:
            return status
        if task["status"] == "completed":
            status["result"] = task_result(task)
        if task["status"] == "failed":
            status["error"] = {"code": -32001, "message": "no wood", "data": {"wood": 0}}
        if task["status"] == "input_required":
            status["inputRequests"] = {"q1": question()}
        return status

    def step(self, number: Json, params: Json) -> Json:
        """Advance a task one step and return its status."""
        del number
        name = params["taskId"]
        task = self.tasks[name]
        task["steps"] += 1
        how = task["how"]
        if task["status"] not in ("working", "input_required") or how == "endless":
            return self.task_status(name)
        if how == "odd":
            return {**self.task_status(name), "status": "asleep"}
        if how == "stops":
            task["status"] = "cancelled"
        elif task["steps"] >= STEPS:
            fails = how == "crashes"
            needs = how == "asks" and "answers" not in task
            task["status"] = "failed" if fails else "input_required" if needs else "completed"
        if how == "tells" and task["token"] is not None:
            self.before.append(progress(task["token"], task["steps"]))
        return self.task_status(name)

    def result(self, number: Json, params: Json) -> Json:
        """Return the result of a task. Ask first if it waits for an answer."""
        name = params["taskId"]
        task = self.tasks[name]
        if task["status"] == "input_required":
            self.held[name] = number
            requests = question(related=name)
            return [{"jsonrpc": "2.0", "id": f"ask {name}", **requests}]
        if task["how"] == "crashes":
            return [failure(number, -32001, "no wood", {"wood": 0})]
        return task_result(task)

    def finish_task(self, message: Json) -> list[Json]:
        """Accept the answer to a question and end the task."""
        name = str(message["id"]).removeprefix("ask ")
        self.tasks[name].update(status="completed", answers={"q1": message.get("result")})
        return [response(self.held.pop(name), task_result(self.tasks[name]))]


def question(related: str = "") -> Json:
    schema = {"type": "object", "properties": {"size": {"type": "string"}}}
    meta = {"io.modelcontextprotocol/related-task": {"taskId": related}}
    params = {"mode": "form", "message": "How big?", "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params | ({"_meta": meta} if related else {})}


def task_result(task: Json) -> Json:
    if task["how"] == "errs":
        return {"content": [{"type": "text", "text": "the saw broke"}], "isError": True}
    if task["how"] == "wrong":
        return {"content": [], "structuredContent": {"made": "nothing"}}
    answer = (task.get("answers") or {}).get("q1") or {}
    return result_of((answer.get("content") or {}).get("size", task["how"]))


def result_of(how: str) -> Json:
    result = {"made": f"made {how}"}
    return {"content": [{"type": "text", "text": json.dumps(result)}], "structuredContent": result}


def response(number: Json, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": number, "result": {"resultType": "complete", **result}}


def failure(number: Json, code: int, message: str, data: Json = None) -> Json:
    error = {"code": code, "message": message, **({"data": data} if data else {})}
    return {"jsonrpc": "2.0", "id": number, "error": error}


def progress(token: Json, amount: int) -> Json:
    params = {"progressToken": token, "progress": amount, "total": STEPS, "message": "sawing"}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


@asynccontextmanager
async def connect_in_process(server: TaskServer) -> AsyncIterator[Any]:
    """Connect to a server in this process, which keeps its tasks after the connection."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCMessage
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(JSONRPCMessage)
    sending, reading = anyio.create_memory_object_stream[Any](100)
    writing, received = anyio.create_memory_object_stream[Any](100)

    async def serve() -> None:
        async with sending, received:
            async for item in received:
                message = item.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
                if server.losing.get(message.get("method"), 0):
                    server.losing[message["method"]] -= 1
                    return
                is_heard = not server.is_silent or message.get("method") == "tools/call"
                for entry in server.handle(message) if is_heard else ():
                    await sending.send(SessionMessage(adapter.validate_python(entry)))

    async with reading, writing, anyio.create_task_group() as tasks:
        tasks.start_soon(serve)
        yield reading, writing
        tasks.cancel_scope.cancel()


@contextmanager
def over_http(server: TaskServer) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Serve over HTTP from a thread and yield the URL and the received headers."""
    headers: list[dict[str, str]] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer(405, b"")

        def do_DELETE(self) -> None:
            self.answer(200, b"")

        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers.append({name.lower(): value for name, value in self.headers.items()})
            if server.statuses and message["method"] == "tasks/get":
                self.answer(server.statuses.pop(0), b"")
                return
            with lock:
                messages = server.handle(message)
            self.answer(
                200 if messages else 202, json.dumps(messages[-1]).encode() if messages else b""
            )

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{web.server_port}/mcp", headers
        finally:
            web.shutdown()
            thread.join()


if __name__ == "__main__":
    stdio = TaskServer(*sys.argv[1:])
    for line in sys.stdin:
        for each in stdio.handle(json.loads(line)):
            print(json.dumps(each), flush=True)
