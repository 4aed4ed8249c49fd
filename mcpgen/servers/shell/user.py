"""Asks the user at the terminal, with the code that generated clients use."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import redirect_stderr
from typing import Any

from mcpgen.jsontext import Json


def is_there() -> bool:
    """Return True if there is a terminal with a user."""
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # stdin is missing or closed
        return False


def terminal(server: str) -> Terminal | None:
    """Return the user at the terminal, or None without a terminal."""
    return Terminal(server) if is_there() else None


class Terminal:
    """A user at the terminal. ``server`` is the origin of the questions."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.waited = 0.0
        self._stderr = sys.stderr  # the stderr of SDK sessions is a file

    def answer(self, params: Json) -> Json:
        """Ask the server's question. An invalid one is declined."""
        from mcp.types import ElicitRequestFormParams, ElicitRequestURLParams
        from pydantic import ValidationError

        is_page = params.get("mode") == "url"
        kind = ElicitRequestURLParams if is_page else ElicitRequestFormParams
        try:
            read = kind.model_validate(params)
        except ValidationError:
            return {"action": "decline"}
        from mcpgen_runtime.conversation.questions import read_question
        from mcpgen_runtime.conversation.terminal_prompts import ask_in_terminal

        question = read_question(self.server, read)
        answered = self._ask_in_thread(lambda: ask_in_terminal(question))
        document: Json = answered.model_dump(mode="json", by_alias=True, exclude_none=True)
        return document

    def confirms(self, definition: Mapping[str, Json], arguments: Json) -> bool:
        """Ask whether a tool may be called."""
        from mcpgen_runtime.contract import tool_info
        from mcpgen_runtime.conversation.terminal_prompts import ask_in_terminal

        info = tool_info(definition["name"], dict(definition))
        answer = self._ask_in_thread(lambda: ask_in_terminal(info, arguments))
        return answer is True

    def _ask_in_thread(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        """Ask in a thread, because the caller may be in an event loop."""
        import anyio

        began = time.monotonic()
        answers: list[Any] = []
        failed: list[BaseException] = []

        async def ask_and_store() -> None:
            answers.append(await ask())

        def run() -> None:
            try:
                with redirect_stderr(self._stderr):
                    anyio.run(ask_and_store)
            except BaseException as error:  # raised below
                failed.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()
        self.waited += time.monotonic() - began
        if failed:
            raise failed[0]
        return answers[0]
