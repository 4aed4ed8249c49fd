"""The names of the commands, in groups, with their one-line help."""

from __future__ import annotations

GROUPS = {
    "Start": {
        "client": "Write a typed Python client package for a server.",
        "init": "Set up a project, or write the contract of a new server.",
    },
    "Keep up to date": {
        "generate": "Write all packages of pyproject.toml from their contracts.",
        "check": "Check whether generated files are up to date.",
        "lock": "Update the contracts from the servers.",
        "watch": "Generate again whenever something changes.",
        "doctor": "Find problems in a project.",
    },
    "Try": {
        "list": "List a server's tools, resources and prompts.",
        "call": "Call a tool of a server.",
        "read": "Read a resource of a server.",
        "prompt": "Show a prompt of a server, filled in.",
        "docs": "Write a server's definitions as a page of HTML.",
    },
    "Judge": {
        "lint": "Suggest improvements to a server's definitions.",
        "test": "Test a live server against its contract.",
        "diff": "Show what changed between two contracts.",
        "explain": "Explain a rule of mcpgen diff, lint or test.",
    },
    "Serve": {
        "server": "Write a server that publishes exactly a contract's definitions.",
        "mock": "Serve a contract with generated data.",
    },
    "Agents": {
        "agent": "Write the files that let a model call servers by code.",
        "run": "Check a script that calls tools, and run it.",
        "budget": "Count the tokens of a server's tool definitions.",
    },
    "Logins": {
        "login": "Log in at a server, in the browser or without one.",
        "logins": "List the stored logins.",
        "logout": "Log out at a server, and forget the login.",
    },
    "Low level": {
        "record": "Record a server's definitions as a contract.",
        "observe": "Infer result types from a server's responses.",
        "protocol": "Write Pydantic models of every message of a protocol revision.",
    },
}

COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}

LASTING = frozenset({"mock", "watch"})
"""The commands that run until interrupted."""
