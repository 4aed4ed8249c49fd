"""Splits a command line like a shell, and rejects features that need a shell."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from mcpgen.errors import UsageError

# The operators and variables of a shell. Without one, the command would get them as arguments.
_OPERATORS = re.compile(r"[|&;<>()]+")
_VARIABLE = re.compile(r"\$(?!\{[A-Za-z_]\w*(?::-[^}]*)?\})|`")
_AFTER = "give its words after --: mcpgen init -- uvx some-server"


def split_command(source: str) -> str | tuple[str, ...]:
    """Split a command like a shell. A single word, a file or a URL stays a string."""
    text = source.strip()
    if not re.search(r"\s", text) or "://" in text.split()[0] or Path(text.split(":")[0]).exists():
        return text
    if re.match(r"\S+\.jsonc?:", text):
        return text  # a name with spaces, in a configuration file
    if os.name == "nt" and "\\" in text:
        raise UsageError("a path with backslashes looks like quoting", "--source", _AFTER)
    tokens = _shell_words(text)
    _refuse_shell(tokens)
    return tokens


def _shell_words(text: str) -> tuple[str, ...]:
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        return tuple(lexer)
    except ValueError as error:
        raise UsageError(f"the command cannot be split: {error}", "--source", _AFTER) from None


def _refuse_shell(args: tuple[str, ...]) -> None:
    """Reject features that only a shell has."""
    if operator := next((token for token in args if _OPERATORS.fullmatch(token)), ""):
        raise UsageError(f"a shell would act on {operator!r}, and none is used", "--source", _AFTER)
    if re.match(r"[A-Za-z_]\w*=", args[0]):
        hint = f"write env = [...] into the table, and only the command here: {args[0]}"
        raise UsageError("a command cannot begin with a variable", "--source", hint)
    if any(_VARIABLE.search(token) for token in args):
        hint = "write ${NAME} in single quotes, to read it when mcpgen connects to the server"
        raise UsageError("a shell would put in a value here, and none is used", "--source", hint)
