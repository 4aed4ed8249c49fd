"""The names of the commands with their one-line help."""

from __future__ import annotations

COMMANDS = {
    "agent": "Write what a model needs to call servers by code.",
    "budget": "Say what a server's tools cost a model.",
    "call": "Call a tool of a server.",
    "check": "Say whether anything generated is out of date.",
    "client": "Write a typed Python client package for a server.",
    "diff": "Show what changed between two contracts.",
    "doctor": "Look for what is wrong with a project.",
    "explain": "Explain a rule of mcpgen diff or lint, or a judge of mcpgen test.",
    "generate": "Write everything that pyproject.toml says from the contracts.",
    "init": "Start a project, or a contract of your own, for a server to be.",
    "lint": "Say what a server's author could do better.",
    "list": "Show what a server offers.",
    "lock": "Update the contracts from the servers.",
    "login": "Log in at a server, in the browser or without one.",
    "logins": "List the logins that are kept.",
    "logout": "Log out at a server, and forget the login.",
    "mock": "Serve a contract with made-up data.",
    "observe": "Learn from a server's answers what its results hold.",
    "prompt": "Show a prompt of a server, filled in.",
    "protocol": "Write Pydantic models of every message of a protocol revision.",
    "read": "Read a resource of a server.",
    "record": "Ask a server what it offers and write its contract.",
    "run": "Check a script that calls tools, and run it.",
    "server": "Write a server that publishes exactly what a contract says.",
    "test": "Test a live server against its contract.",
    "watch": "Generate again whenever something changes.",
}

LASTING = frozenset({"mock", "watch"})
"""The commands that run until someone ends them."""
