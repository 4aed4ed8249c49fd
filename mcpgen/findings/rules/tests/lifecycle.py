"""Judges of whether the server lives on: it answers, and all others meanwhile."""

from __future__ import annotations

from mcpgen.findings.rule import Rule
from mcpgen.findings.severity import Level

JUDGES = (
    Rule(
        "C301",
        "server-dies",
        Level.ERROR,
        "a request ends the server, or its connection",
        "Every other caller loses their session, and what they were doing.",
        ("the process exits", "an error, and the next request is answered"),
        "Catch what a request can cause, and answer with an error.",
    ),
    Rule(
        "C302",
        "never-answers",
        Level.ERROR,
        "a request is not answered in time",
        "Whoever asks waits until they give up; every request must be answered.",
        ("no answer in 20 seconds", "a result, or an error that says what took too long"),
        "Answer every request; give long work a limit of its own, or make it a task.",
    ),
    Rule(
        "C306",
        "waits",
        Level.NOTE,
        "a tool whose name says that it waits does not answer in time",
        "It may do what it is for. A task, or progress, would tell its caller.",
        ("wait_for_build, 20 seconds", "the same as a task"),
        "Offer it as a task, or let its caller choose how long it waits.",
    ),
    Rule(
        "C303",
        "blocks-others",
        Level.WARNING,
        "while one request is not answered no other is",
        "One slow call stops everything, also a ping or a cancellation.",
        ("time.sleep(60)", "await anyio.sleep(60)"),
        "Do not block where messages are read: await, or use a thread.",
    ),
    Rule(
        "C304",
        "writes-no-message",
        Level.WARNING,
        "the server writes to stdout what is no message",
        "It must not (MCP, basic/transports); some clients end the session.",
        ('print("calling")', 'print("calling", file=sys.stderr)'),
        "Write logs to stderr.",
    ),
    Rule(
        "C305",
        "not-repeated",
        Level.NOTE,
        "something failed once, and not again",
        "What fails now and then is hard to find; it may also be another's doing.",
        ("one call of two fails", "each call does the same"),
        "Look for what depends on time, order or chance.",
    ),
)
