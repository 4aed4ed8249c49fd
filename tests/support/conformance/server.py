"""Starts the server. One tool asks its question before its task starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._generated import Context, Policy, Tasks, ToolInfo, create, run
from .prompts import Prompts
from .resources import Resources
from .tools import Tools, name_of_user


async def before(tool: ToolInfo, arguments: Mapping[str, Any], context: Context) -> None:
    if tool.name == "test_tool_with_task":
        await name_of_user(context)


policy = Policy(tasks=Tasks(before=before))
server = create(Tools(), Prompts(), Resources(), policy)


def main() -> None:
    run(server)


if __name__ == "__main__":
    main()
