"""How to reach a server again: what is plain as it is, a variable for each thing that is not.

What is plain is said by :mod:`mcpgen.endpoint.sensitivity`. A generated client reads the variables, such
as ``${MCP_ARG_1}``, from the environment when it connects.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcpgen.endpoint import kept, launchers
from mcpgen.endpoint.url import Address, confidential
from mcpgen.endpoint.placeholders import Hidden
from mcpgen.endpoint.sensitivity import VARIABLE, Places
from mcpgen.endpoint.redaction import Secrets
from mcpgen.jsontext import Json

URL = "${MCP_URL}"
COMMAND = "MCP_COMMAND"
TARGET = "target"

_AROUND = re.compile(
    r"(?:--?[a-z]+(?:[-_]?[A-Za-z]+)*=|[A-Z][A-Z0-9_]*=)?(?:[A-Z][A-Za-z-]*: ?)?"
    r"(?:(?:Bearer|Basic|Token) )?[:,.@/]*"
)
_ASSIGNED = re.compile(r"(--?[A-Za-z][\w-]*|[A-Za-z][\w-]*)=(.+)", re.DOTALL)
_HEADER = re.compile(r"([A-Za-z][A-Za-z-]*)(: ?)((?:(?:Bearer|Basic|Token) )?)(.+)", re.DOTALL)
# A flag whose name ends in one of these has a value, so the value can be named after it.
_VALUED = frozenset(
    """
    path dir directory folder root file db database url uri host endpoint server port user name id
    project repository repo workspace config profile region vault data cwd prefix
    """.split()
)


@dataclass(frozen=True, slots=True)
class Origin:
    """What may be written down about a server, and the values that were kept back.

    ``paths`` are those among them, by their variables, that a person may be shown: they are left
    out only because they are of one machine. Of an object in a file it is the whole ``target``.
    """

    document: dict[str, Json]
    secrets: Secrets
    paths: Mapping[str, str] = field(default_factory=dict[str, str])


def command(
    written: Sequence[str], actual: Sequence[str], env: Iterable[str], cwd: str | None = None
) -> Origin:
    """Describe a command; ``written`` still holds the ``${VAR}`` that ``actual`` has values for."""
    places = Places.of(cwd)
    hidden = Hidden()
    program = launchers.program(actual[0])
    known = launchers.known([program, *written[1:]])
    arguments = _Arguments(places, hidden)
    for index, (text, value) in enumerate(zip(written[1:], actual[1:], strict=True), start=1):
        if text != value:
            arguments.expanded(text, value)
        else:
            arguments.add(value, is_known=index in known)
    start = _template(written[0])
    if start is None:
        is_plain = written[0] == actual[0]
        start = _program(actual[0], program, places, hidden) if is_plain else f"${{{COMMAND}}}"
    document: dict[str, Json] = {
        "transport": "stdio",
        "command": start,
        "args": arguments.words,
    }
    if names := sorted(set(env)):
        document["env"] = names
    if (folder := places.cwd()) != ".":
        document["cwd"] = folder or hidden.path("MCP_CWD", str(places.start))
    return Origin(document, Secrets(hidden.secrets), hidden.paths)


def _program(command: str, name: str, places: Places, hidden: Hidden) -> str:
    """Name a program; one that is elsewhere is looked for on the PATH, if nobody says where."""
    if command == sys.executable:
        return "python"  # a client starts it with the interpreter that runs the client
    if not re.search(r"[/\\]", command):
        return command if kept.is_wordy(command) or _is_usual(command) else name
    if inner := places.below(command):
        return inner if "/" in inner else f"./{inner}"
    hidden.paths[COMMAND] = command
    return f"${{{COMMAND}:-{name}}}" if _is_usual(name) else f"${{{COMMAND}}}"


def _is_usual(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9][\w.+-]{0,60}", name))


@dataclass(slots=True)
class _Arguments:
    """Reads the arguments of a command, each beside what stands before it."""

    places: Places
    hidden: Hidden
    words: list[str] = field(default_factory=list[str])
    name: str = ""  # of what the next word may be the value of

    def expanded(self, text: str, value: str) -> None:
        """Add a word with variables as it was written, if the rest of it is plain."""
        template = _template(text)
        if template is None and self._is_plain(VARIABLE.sub("x", text)):
            template = VARIABLE.sub(_without_default, text)
        self.words.append(template or self.hidden.value(value, "", shown=False))
        self.name = ""

    def _is_plain(self, word: str) -> bool:
        match = _ASSIGNED.fullmatch(word)
        if match and (kept.is_flag(match[1]) or kept.is_wordy(match[1])):
            return kept.plain(match[2], match[1], self.places) == match[2]
        return kept.plain(word, self.name, self.places) == word

    def add(self, word: str, *, is_known: bool) -> None:
        """Add a word; one that is known to be of a launcher's grammar is kept."""
        if is_known or kept.is_flag(word):
            self.words.append(word)
            self.name = word if kept.is_flag(word) else ""
        else:
            text = self._assigned(word) or self._header(word) or self._value(word, self.name)
            self.words.append(text)
            is_name = not self.name and text == word and word.isalpha() and kept.is_telling(word)
            self.name = word if is_name else ""

    def _assigned(self, word: str) -> str:
        """Return ``--flag=value`` or ``NAME=value`` with what may be kept of the value."""
        match = _ASSIGNED.fullmatch(word)
        if match is None or not (kept.is_flag(match[1]) or kept.is_wordy(match[1])):
            return ""
        return f"{match[1]}={self._value(match[2], match[1], is_its=True)}"

    def _header(self, word: str) -> str:
        """Return ``Name: value`` with its name and scheme, where it is a header's place."""
        match = _HEADER.fullmatch(word)
        if match is None or not kept.is_wordy(match[1]):
            return ""
        name, colon, scheme, value = match.groups()
        if self.name not in ("-H", "--header") and (value[:2] == "//" or not kept.is_telling(name)):
            return ""
        is_kept = kept.is_switch(value, name)
        said = value if is_kept else self.hidden.value(value, name, shown=False)
        return f"{name}{colon}{scheme}{said}"

    def _value(self, value: str, name: str, *, is_its: bool = False) -> str:
        found = kept.plain(value, name, self.places)
        if found is not None:
            return found
        is_secret = kept.is_telling(name)
        words = kept.split(name)
        is_its = is_its or is_secret or bool(words and words[-1] in _VALUED)
        is_one_letter = len(name.lstrip("-")) < 2
        shown = not is_secret and kept.is_path(value)
        return self.hidden.value(value, name if is_its and not is_one_letter else "", shown=shown)


def _template(text: str) -> str | None:
    """Return an argument that is variables and no more than a flag or a header's name beside."""
    if not VARIABLE.search(text) or not _AROUND.fullmatch(VARIABLE.sub("", text)):
        return None
    return VARIABLE.sub(_without_default, text)


def _without_default(match: re.Match[str]) -> str:
    default = match["default"] or ""
    plain = re.fullmatch(r"(?::-(?:[a-z]{1,16}|\d{1,5})?)?", default)
    return match[0] if plain else match[0].replace(default, "")


def http(kind: str, written: str, actual: str, headers: Mapping[str, str]) -> Origin:
    """Describe a URL; ``headers`` are as they were written, with their ``${VAR}``."""
    address = Address()
    document: dict[str, Json] = {"transport": kind, "url": address.of(written)}
    if headers:
        document["headers"] = sorted(headers)
    if values := _header_values(headers):
        document["headerValues"] = values
    secrets = dict.fromkeys(confidential(actual), URL)
    return Origin(document, Secrets(secrets | address.hidden.secrets))


def _header_values(headers: Mapping[str, str]) -> dict[str, Json]:
    """Return the headers whose spelling is no secret: variables, a scheme, a common word."""
    found: dict[str, Json] = {}
    for name, value in sorted(headers.items()):
        template = _template(value)
        if template is not None or kept.is_switch(value, name):
            found[name] = value if template is None else template
    return found


def in_process(target: str, name: str) -> Origin:
    """Describe an object in a file or module; a file elsewhere keeps its name alone."""
    path = Path(target)
    if target.endswith(".py"):
        here = Path.cwd().resolve()
        full = path.resolve()
        target = full.relative_to(here).as_posix() if full.is_relative_to(here) else path.name
    document: dict[str, Json] = {"transport": "in-process", "target": f"{target}:{name}"}
    return Origin(document, Secrets(), {TARGET: f"{path.as_posix()}:{name}"})
