"""Finds what errors, log messages and stderr reveal: credentials, paths, SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcpgen_runtime.display import brief
from mcpgen_runtime.redaction.credentials import Credentials
from mcpgen_runtime.redaction.patterns import without_credentials

from mcpgen.findings.contract_tests import Verdict

_PATH = re.compile(
    r"(?<![\w./:-])/(?:home|Users|srv|var|opt|etc|root|usr|app|mnt|data)/[\w.@+-]+(?:/[\w.@+-]+)+"
    r"|\b[A-Z]:\\(?:[\w .@-]+\\)+[\w.@-]+"
)
_SQL = re.compile(
    r"SQLSTATE\[|\bORA-\d{5}\b|sqlite3?\.\w*Error|psycopg2?\.\w+|\bOperationalError\b"
    r"|\bSELECT\b.{1,200}\bFROM\b|\bINSERT INTO\b.{1,200}\bVALUES\b|\bUPDATE\b.{1,100}\bSET\b"
    r"|\bDELETE FROM\b",
    re.DOTALL,
)
_SHOWN = 60


def leaks(text: str, arguments: str, credentials: Credentials, where: str) -> Iterator[Verdict]:
    """Yield what a text reveals. What the arguments hold, too, is not revealed by it.

    Args:
        text: The text of an error, a log message or stderr.
        arguments: The arguments of the call as JSON.
        credentials: The credentials that the server was given.
        where: Where the text stands, such as "the error".
    """
    hidden = credentials.hide(text)
    is_shown = hidden != text or without_credentials(text) != text
    if is_shown and without_credentials(arguments) == arguments:
        shown = brief(without_credentials(hidden), 100)
        yield Verdict("C503", f"{where}: {shown}", where)
    for pattern, what in ((_PATH, "a path of its machine"), (_SQL, "SQL")):
        match = pattern.search(text)
        if match and match[0] not in arguments:
            shown = brief(text[max(0, match.start() - 20) : match.end()][:_SHOWN], _SHOWN)
            yield Verdict("C504", f"{where} shows {what}: {shown}", f"{where} {what}")
