"""Rules for availability: the server responds to every request, and keeps running."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

JUDGES = (
    Rule(
        "C301",
        "server-dies",
        Level.ERROR,
        "a request ends the server or its connection",
        "All other callers lose their sessions and their pending calls.",
        ("the process exits", "an error, and the server responds to the next request"),
        "Catch the exception, and return an error.",
    ),
    Rule(
        "C302",
        "never-answers",
        Level.ERROR,
        "the server doesn't respond to a request in time",
        "The caller waits until its time limit. Every request needs a response.",
        ("no response in 20 seconds", "a result, or an error that names what took too long"),
        "Respond to every request. Limit long work, or make it a task.",
    ),
    Rule(
        "C306",
        "waits",
        Level.NOTE,
        "a tool whose name suggests waiting doesn't respond in time",
        "That may be its purpose. A task, or progress, would inform the caller.",
        ("wait_for_build, 20 seconds", "the same as a task"),
        "Offer it as a task, or let the caller choose the time.",
    ),
    Rule(
        "C303",
        "blocks-others",
        Level.WARNING,
        "while one request is pending, the server responds to no other",
        "One slow call stops everything, even a ping or a cancellation.",
        ("time.sleep(60)", "await anyio.sleep(60)"),
        "Don't block the loop that reads messages: await, or use a thread.",
    ),
    Rule(
        "C304",
        "writes-no-message",
        Level.WARNING,
        "the server writes text that isn't a message to stdout",
        "The protocol forbids it (MCP, basic/transports). Some clients end the session.",
        ('print("calling")', 'print("calling", file=sys.stderr)'),
        "Write logs to stderr.",
    ),
    Rule(
        "C305",
        "not-repeated",
        Level.NOTE,
        "a failure occurred once, but not again",
        "An occasional failure is hard to find. Its cause may be outside of the server.",
        ("one call of two fails", "every call has the same outcome"),
        "Look for code that depends on time, order or chance.",
    ),
)
