"""Starts the server. This file is yours: mcpgen does not change it."""

from __future__ import annotations

from ._generated import Limits, Policy, Rate, create, run
from .prompts import Prompts
from .resources import Resources
from .tools import Tools

policy = Policy(
    # A caller may call each tool 600 times a minute, and wait a minute for an answer.
    limits=Limits(timeout=60.0, rate=Rate(600, per=60.0)),
    # Other limits for single tools: limits_of={"name": Limits(...)}.
    # Who may call what, and what may leave: authorize=..., sanitize=...; see README.md.
)
server = create(Tools(), Prompts(), Resources(), policy)


def main() -> None:
    """Serve over stdio, or with --http [HOST:]PORT over Streamable HTTP."""
    run(server)


if __name__ == "__main__":
    main()
