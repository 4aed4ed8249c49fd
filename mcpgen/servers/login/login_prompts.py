"""Asks the user to log in: in a browser, or with an address to open elsewhere."""

from __future__ import annotations

import asyncio
import re
import threading
import webbrowser
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import AuthorizationCodeResult

from mcpgen.errors import AuthorizationError

from .loopback import Answers, is_same, listening

Say = Callable[[str], None]


class Person(Protocol):
    """Shows the login address to the user, and returns the result."""

    async def show(self, url: str) -> None:
        """Show the address of the authorization server."""

    async def answer(self) -> AuthorizationCodeResult:
        """Wait for the result."""
        ...


@dataclass
class AtBrowser:
    """A user with a browser on this machine, which is redirected to a local address."""

    say: Say
    answers: Answers
    seconds: float
    open: Callable[[str], bool]

    async def show(self, url: str) -> None:
        """Open the address in the browser."""
        self.answers.state = _state(url)
        self.say("log in with the browser; if none opens, use this address:")
        self.say(url)
        # A text browser would occupy the terminal until the user quits.
        threading.Thread(target=self._try_open, args=(url,), daemon=True).start()

    def _try_open(self, url: str) -> None:
        try:
            self.open(url)
        except Exception:  # the address was printed
            return

    async def answer(self) -> AuthorizationCodeResult:
        """Wait for the redirect of the browser."""
        try:
            reply = await asyncio.wait_for(self.answers.first(), self.seconds)
        except asyncio.TimeoutError:
            problem = f"no login within {self.seconds:g} seconds"
            hint = "run it again, or raise the limit with --timeout"
            raise AuthorizationError(problem, hint=hint) from None
        return _result(reply)


@dataclass
class Elsewhere:
    """A user who opens the address elsewhere, and pastes the resulting address."""

    say: Say
    ask: Callable[[], str]
    state: str = ""

    async def show(self, url: str) -> None:
        """Show the address."""
        self.state = _state(url)
        self.say("open this address, log in, and paste the address it leads to, or the code:")
        self.say(url)

    async def answer(self) -> AuthorizationCodeResult:
        """Wait for the pasted address or code."""
        pasted = (await _ask_in_thread(self.ask)).strip()
        if not pasted:
            raise AuthorizationError("nothing was pasted")
        if "=" not in pasted:
            return AuthorizationCodeResult(code=pasted, state=self.state)
        query = urlsplit(pasted).query or pasted.lstrip("?")
        reply = {name: values[0] for name, values in parse_qs(query).items()}
        if not is_same(reply.get("state", ""), self.state):
            problem = "the pasted response belongs to another login"
            raise AuthorizationError(problem, hint="paste the whole address of this one")
        return _result(reply)


@asynccontextmanager
async def at_browser(
    say: Say, port: int, seconds: float, open: Callable[[str], bool] = webbrowser.open
) -> AsyncGenerator[AtBrowser]:
    """Listen for the redirect while a user logs in."""
    async with listening(port) as answers:
        yield AtBrowser(say, answers, seconds, open)


async def _ask_in_thread(ask: Callable[[], str]) -> str:
    """Wait in a daemon thread, so that an interrupt ends the process at once."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def settle(text: str) -> None:
        if not answer.done():
            answer.set_result(text)

    def wait() -> None:
        text = ask()
        with suppress(RuntimeError):  # the caller no longer waits
            loop.call_soon_threadsafe(settle, text)

    threading.Thread(target=wait, daemon=True).start()
    return await answer


def _state(url: str) -> str:
    return parse_qs(urlsplit(url).query).get("state", [""])[0]


def _result(answer: Mapping[str, str]) -> AuthorizationCodeResult:
    """Parse the result. Errors are reported by their OAuth code."""
    if error := answer.get("error"):
        reason = error if re.fullmatch(r"[a-z_]{1,40}", error) else "an error"
        problem = "the login was denied" if reason == "access_denied" else f"no login: {reason}"
        raise AuthorizationError(problem)
    code, state, issuer = (answer.get(name) for name in ("code", "state", "iss"))
    if not code:
        raise AuthorizationError("the response contains no code")
    return AuthorizationCodeResult(code=code, state=state, iss=issuer)
