"""A server's unexpected messages, its output, and the secrets in everything it sends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mcpgen_runtime.redaction.credentials import Credentials

from mcpgen.findings.contract_tests import Verdict
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.testing.answer import Answer
from mcpgen.testing.connection.raw_connection import RETYPED
from mcpgen.testing.connection.session import Session
from mcpgen.testing.contents import leaks, shown_secret

FLAW = "code"
"""Pointer of verdicts on messages that break JSON-RPC or weren't requested."""
_OF_HANDSHAKE = "the result of the handshake"


@dataclass(slots=True)
class Overheard:
    """The verdicts on messages and output, until they are taken."""

    credentials: Credentials
    secrets: frozenset[str]
    """Secrets passed to the server. No message may show them, not even a result."""
    _junk: str = ""
    _repeated: list[str] = field(default_factory=list[str])
    """Requests with two responses."""
    _flaws: dict[str, str] = field(default_factory=dict[str, str])
    """Violations of JSON-RPC in readable messages, with the requests that they came after."""
    _leaks: list[Verdict] = field(default_factory=list[Verdict])
    _last: list[FollowUpRequest] = field(default_factory=list[FollowUpRequest])

    def listen(self, session: Session, asks: Sequence[FollowUpRequest]) -> None:
        """Record the session's other messages and output after some requests."""
        for flaw in session.flaws():
            self._flaws.setdefault(flaw, f"after {_names_of(asks)}")
        for _ in session.repeated_responses():
            self._repeated.append(_names_of([*self._last, *asks]))
        self._last = list(asks)
        for verdict in shown_secret(session.greeting(), {}, self.secrets, _OF_HANDSHAKE):
            self._leaks.append(replace(verdict, is_repeatable=False))
        params_text = json.dumps([ask.params for ask in asks], ensure_ascii=False)
        for where, text in session.overheard():
            self._leaks += leaks(text, params_text, self.credentials, where)

    def look_at(self, ask: FollowUpRequest, answer: Answer) -> None:
        """Record secrets in the data of errors, and in results of other requests than calls."""
        self._junk = self._junk or answer.junk
        if ask.method != "tools/call":
            where = f"the result of {ask.method}"
            self._leaks += shown_secret(answer.result, ask.params, self.secrets, where)
        if answer.error_data is not None:
            data, params = (
                json.dumps(item, ensure_ascii=False) for item in (answer.error_data, ask.params)
            )
            self._leaks += leaks(data, params, self.credentials, "the data of an error")

    def take_verdicts(self) -> list[Verdict]:
        """Return the verdicts since the last time."""
        verdicts: list[Verdict] = []
        if self._junk:
            verdicts.append(Verdict("C304", repr(self._junk[:80]), "stdout"))
        if self._repeated:
            verdicts.append(Verdict("C106", f"two responses to {self._repeated[0]}", "twice"))
        for flaw, names in self._flaws.items():
            rule = "C106" if flaw == RETYPED else "C103"
            verdicts.append(Verdict(rule, flaw, FLAW, names))
        verdicts += self._leaks
        self._junk, self._repeated, self._flaws, self._leaks = "", [], {}, []
        return verdicts


def _names_of(asks: Sequence[FollowUpRequest]) -> str:
    """Return the tools or methods of requests for a message."""
    return " or ".join(sorted({str(ask.params.get("name", ask.method)) for ask in asks}))
