"""What of a command, an address or a header may be written down: the one rule, for all of them.

Kept is what is plain: words as people write them, flags, short numbers, and paths below the
project's folder. Left out is what could be a secret: what stands after a flag or a name that says
so, what looks as if it were drawn by lot, credentials, long opaque parts of an address; and every
other path, because it is one machine's own.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from urllib.parse import urlsplit

VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_]\w*)(?P<default>:-[^}]*)?\}")

# Nobody's secret, whatever they stand after.
_COMMON = frozenset(
    """
    stdio http https sse streamable-http streamable serve server start run mcp -- - true false yes
    no on off none null auto default all exec debug info warn warning error json text
    """.split()
)
_SINGLE_DASH = _COMMON | frozenset("jar port transport config mode log verbose quiet".split())

# Words as people write them: `mcp`, `v1`, `my-server`, `listTools`, `2025-11-25`, `gpt-4o`.
_WORD = re.compile(r"(?:[A-Z]{2,6}|[A-Za-z][a-z]{0,15}(?:[A-Z][a-z]{2,15}){0,3})\d{0,2}")
_NUMBER = re.compile(r"\d{1,5}[a-z]?|[1-9]\d{0,5}000")
_ENVIRONMENT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_MOST_WORDS = 8
_MOST_DIGITS = 8
# No word of a language, and no common abbreviation, has so many consonants in a row.
_UNSPEAKABLE = re.compile(r"[bcdfghjklmnpqrstvwxz]{6}", re.IGNORECASE)
# What the issuers of tokens begin them with.
_ISSUED = re.compile(
    r"(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeprs]|hf|npm|pypi|figd|ntn|tvly|fc|sbp"
    r"|secret|dop_v1|shpat|lin_api|whsec)[-_]|(?:AKIA|ASIA|AIza|eyJ|ya29\.)"
)
_TELLING = re.compile(
    r"token|key|secret|pass|pwd|cred|auth|bearer|cookie|session|private|signature|jwt|dsn|login"
    r"|connection|header|license|webhook|access"
)
_TELLING_WORDS = frozenset("pw pin otp pat sig user username email account".split())
# What these say of a secret is not the secret: --no-auth, --max-tokens, --token-file.
_NOT_FIRST = frozenset("no disable skip without max min allow".split())
_NOT_LAST = frozenset(
    "file path dir directory folder type mode method provider timeout ttl limit count".split()
)


def is_wordy(text: str) -> bool:
    """Say whether a text is words, with numbers, as people write them."""
    if _ENVIRONMENT.fullmatch(text):
        return not _is_drawn(text)
    parts = re.split(r"[-_.]", text.removeprefix("@"))
    if len(parts) > _MOST_WORDS or not all(map(_is_part, parts)) or _is_drawn(text):
        return False
    return len(parts) < 3 or not text.isupper()  # XKCD-PQRS-ABCD is a licence, not words


def _is_part(part: str) -> bool:
    return bool(_WORD.fullmatch(part) or _NUMBER.fullmatch(part)) or part in ("*", "**")


def _is_drawn(text: str) -> bool:
    """Say whether a text that has the form of words looks as if it were drawn by lot."""
    digits = sum(map(str.isdigit, text))
    is_long = digits > _MOST_DIGITS and not re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", text)
    return is_long or bool(_UNSPEAKABLE.search(text) or _ISSUED.match(text))


def is_telling(name: str) -> bool:
    """Say whether a flag's or a member's name says that its value may be a secret."""
    words = split(name)
    if not words or words[0] in _NOT_FIRST or words[-1] in _NOT_LAST:
        return False
    return bool(_TELLING.search("".join(words))) or not _TELLING_WORDS.isdisjoint(words)


def split(name: str) -> list[str]:
    """Return the words of a name in any spelling, in lower case."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def is_flag(word: str) -> bool:
    """Say whether a word is a flag by itself, with no value in it."""
    if re.fullmatch(r"-[A-Za-z]", word):
        return True
    if word.startswith("--"):
        return is_wordy(word[2:].replace("_", "-")) and word[2:3].isalpha()
    # `-phunter2` is a flag and a password to some.
    return word.startswith("-") and word[1:] in _SINGLE_DASH


def is_switch(value: str, name: str) -> bool:
    """Say whether the value of a member with this name is a common word or a short number."""
    return value in _COMMON or (not is_telling(name) and bool(_NUMBER.fullmatch(value)))


def is_plain_word(value: str, name: str) -> bool:
    """Say whether the value of a member with this name is a plain word."""
    return value in _COMMON or (not is_telling(name) and is_wordy(value))


def is_path(value: str) -> bool:
    """Say whether a value is clearly a path, of words, so that a person may be shown it."""
    if not re.match(r"[/~]|\.{1,2}/|[A-Za-z]:[/\\]", value):
        return False
    return all(
        map(
            is_wordy, re.split(r"[/\\]+", re.sub(r"^(?:~|[A-Za-z]:|[./]+)", "", value).strip("/\\"))
        )
    )


def plain(value: str, name: str, places: Places) -> str | None:
    """Return a value as it may be written down, ``None`` if it may not; ``name`` stands before it.

    The name is that of a flag, a member or a header, or empty.
    """
    if value in _COMMON or not value:
        return value
    if name and is_telling(name):
        return None
    if re.fullmatch(r"-?[A-Za-z]", name):  # one letter says nothing: -p is a port or a password
        is_named = name == "-e" and re.fullmatch(r"[A-Z][A-Z0-9_]*", value) and is_wordy(value)
        return value if _NUMBER.fullmatch(value) or is_named else places.below(value, known=True)
    if "://" in value:
        return value if _is_plain_address(value) else None
    if re.match(r"[/~]|\.{1,2}(?:/|$)|[A-Za-z]:[/\\]", value) or "\\" in value:
        return places.below(value)
    items = value.split(",")
    return value if all(_is_item(item) for item in items) else places.below(value, known=True)


def _is_item(item: str) -> bool:
    """Say whether an item of a list is plain: words, a host and port, a package, an image."""
    match = re.fullmatch(r"(@?[^@:]+)(?::(\d{1,5}|latest)|[@:](v?\d[\w.-]{0,20}|latest))?", item)
    if match is None:
        return False
    version = match[3] or ""
    return all(map(is_wordy, match[1].split("/"))) and (not version or is_wordy(version))


def _is_plain_address(text: str) -> bool:
    try:
        address = urlsplit(text)
    except ValueError:
        return False
    if address.query or address.fragment or "@" in address.netloc:
        return False
    parts = [*address.netloc.replace(":", ".").split("."), *address.path.split("/")]
    return all(is_short(part) for part in parts if part)


def is_short(part: str, most: int = 4) -> bool:
    """Say whether a part of an address is words, or too short to be a secret."""
    return is_wordy(part) or (len(part) <= most and part.isalnum())


@dataclass(frozen=True, slots=True)
class Places:
    """The project's folder, and the folder that a command's own paths start from."""

    project: Path
    start: Path

    @classmethod
    def of(cls, cwd: str | None) -> Places:
        """Return those of a command that is started in ``cwd``, or here."""
        here = Path.cwd()
        start = Path(os.path.normpath(here / (cwd or ".")))
        # A configuration file above this folder is its project's.
        return cls(start if here.is_relative_to(start) else here, start)

    def below(self, path: str, *, known: bool = False) -> str | None:
        """Return a path below the project as it is written from the start, else ``None``.

        With ``known`` it must exist: it does not look like a path.
        """
        if "\0" in path or path.startswith("~") or (PureWindowsPath(path).drive and os.sep == "/"):
            return None
        full = Path(os.path.normpath(self.start / path))
        is_relative = not Path(path).is_absolute()
        inner = _inner(full, self.project)
        if inner is None and is_relative:
            inner = _inner(full, self.start)
        if inner is None or not (_exists(full) or (not known and _is_wordy_path(inner))):
            return None
        start = _inner(self.start, self.project)
        if is_relative or start is None:
            return path if is_relative else None
        return Path(os.path.relpath(inner, start)).as_posix()

    def cwd(self) -> str | None:
        """Return the folder that a command is started in, from the project's, if it is below."""
        inner = _inner(self.start, self.project)
        return inner if inner is None or _exists(self.start) or _is_wordy_path(inner) else None


def _inner(path: Path, folder: Path) -> str | None:
    """Return a path from a folder that it is below, however the way to it is spelled."""
    for one, start in ((path, folder), (path.resolve(), folder.resolve())):
        if one.is_relative_to(start):
            return one.relative_to(start).as_posix()
    return None


def _is_wordy_path(path: str) -> bool:
    return all(map(is_wordy, Path(path).parts))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
