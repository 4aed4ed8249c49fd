"""Starts the server. This file is yours: mcpgen doesn't change it."""

from __future__ import annotations

from ._generated import Limits, Policy, Rate, create, run
from .prompts import Prompts
from .resources import Resources
from .tools import Tools

policy = Policy(
    # Each caller may call each tool 600 times per minute. A call may take a minute.
    limits=Limits(timeout=60.0, rate=Rate(600, per=60.0)),
    # Other limits for single tools: limits_of={"name": Limits(...)}.
    # Permissions and output filters: authorize=..., sanitize=... (see README.md).
)
server = create(Tools(), Prompts(), Resources(), policy)


def main() -> None:
    """Serve over stdio, or with --http [HOST:]PORT over Streamable HTTP."""
    run(server)


if __name__ == "__main__":
    main()
