"""Decides which parts of commands, URLs and headers may be secret.

Plain parts are recorded: words, flags, short numbers, and paths inside of the project. Other
parts are replaced: values after a flag or name that suggests a secret, random text, credentials,
long opaque parts of a URL, and paths outside of the project, which belong to one machine.
"""

from __future__ import annotations

import re
from functools import lru_cache

VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_]\w*)(?P<default>:-[^}]*)?\}")

_AROUND = re.compile(
    r"(?:--?[a-z]+(?:[-_]?[A-Za-z]+)*=|[A-Z][A-Z0-9_]*=)?(?:[A-Z][A-Za-z-]*: ?)?"
    r"(?:(?:Bearer|Basic|Token) )?[:,.@/]*"
)

# Words that aren't secrets, whichever option they follow.
_COMMON = frozenset(
    """
    stdio http https sse streamable-http streamable serve server start run mcp -- - true false yes
    no on off none null auto default all exec debug info warn warning error json text
    """.split()
)
_SINGLE_DASH = _COMMON | frozenset("jar port transport config mode log verbose quiet".split())

# Typical words: `mcp`, `v1`, `my-server`, `listTools`, `2025-11-25`, `gpt-4o`.
_WORD = re.compile(r"(?:[A-Z]{2,6}|[A-Za-z][a-z]{0,15}(?:[A-Z][a-z]{2,15}){0,3})\d{0,2}")
_NUMBER = re.compile(r"\d{1,5}[a-z]?|[1-9]\d{0,5}000")
_ENVIRONMENT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_MOST_WORDS = 8
_MOST_DIGITS = 8
# No word of a language, and no common abbreviation, has so many consonants in a row.
_UNPRONOUNCEABLE = re.compile(r"[bcdfghjklmnpqrstvwxz]{6}", re.IGNORECASE)
# The prefixes of tokens by issuer.
_TOKEN_PREFIX = re.compile(
    r"(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abeprs]|hf|npm|pypi|figd|ntn|tvly|fc|sbp"
    r"|secret|dop_v1|shpat|lin_api|whsec)[-_]|(?:AKIA|ASIA|AIza|eyJ|ya29\.)"
)
_SENSITIVE = re.compile(
    r"token|key|secret|pass|pwd|cred|auth|bearer|cookie|session|private|signature|jwt|dsn|login"
    r"|connection|header|license|webhook|access"
)
_SENSITIVE_WORDS = frozenset("pw pin otp pat sig user username email account".split())
# Options about a secret that don't contain one: --no-auth, --max-tokens, --token-file.
_NOT_FIRST = frozenset("no disable skip without max min allow".split())
_NOT_LAST = frozenset(
    "file path dir directory folder type mode method provider timeout ttl limit count".split()
)


def is_words(text: str) -> bool:
    """Return True for ordinary words, possibly with numbers."""
    if _ENVIRONMENT.fullmatch(text):
        return not _is_random(text)
    parts = re.split(r"[-_.]", text.removeprefix("@"))
    if len(parts) > _MOST_WORDS or not all(map(_is_part, parts)) or _is_random(text):
        return False
    return len(parts) < 3 or not text.isupper()  # XKCD-PQRS-ABCD is a licence, not words


def _is_part(part: str) -> bool:
    return bool(_WORD.fullmatch(part) or _NUMBER.fullmatch(part)) or part in ("*", "**")


def _is_random(text: str) -> bool:
    """Return True if text in the form of words looks random."""
    digits = sum(map(str.isdigit, text))
    is_long = digits > _MOST_DIGITS and not re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", text)
    return is_long or bool(_UNPRONOUNCEABLE.search(text) or _TOKEN_PREFIX.match(text))


def is_sensitive(name: str) -> bool:
    """Return True if a flag's or property's name suggests that its value is a secret."""
    tokens = words_of(name)
    if not tokens or tokens[0] in _NOT_FIRST or tokens[-1] in _NOT_LAST:
        return False
    return bool(_SENSITIVE.search("".join(tokens))) or not _SENSITIVE_WORDS.isdisjoint(tokens)


def words_of(name: str) -> list[str]:
    """Split a name in any style into lowercase words."""
    return [*(_known_words(name) if len(name) <= _LONGEST_NAME else _split(name))]


@lru_cache(maxsize=16_384)
def _known_words(name: str) -> tuple[str, ...]:
    return _split(name)


def _split(name: str) -> tuple[str, ...]:
    spaced = _HUMP.sub(r"\1 \2", name)
    return tuple(part.lower() for part in _BETWEEN_WORDS.split(spaced) if part)


_LONGEST_NAME = 200
"""Maximum number of characters of a name whose words are cached."""
_HUMP = re.compile(r"([a-z0-9])([A-Z])")
_BETWEEN_WORDS = re.compile(r"[^A-Za-z0-9]+")


def is_flag(name: str) -> bool:
    """Return True for a flag without a value."""
    if re.fullmatch(r"-[A-Za-z]", name):
        return True
    if name.startswith("--"):
        return is_words(name[2:].replace("_", "-")) and name[2:3].isalpha()
    # For some programs, `-phunter2` is a flag and a password.
    return name.startswith("-") and name[1:] in _SINGLE_DASH


def is_common(value: str) -> bool:
    """Return True for a value that is never a secret, whatever precedes it."""
    return value in _COMMON


def is_switch(value: str, name: str) -> bool:
    """Return True for a common word or short number as the value of a property."""
    return value in _COMMON or (not is_sensitive(name) and bool(_NUMBER.fullmatch(value)))


def is_plain_word(value: str, name: str) -> bool:
    """Return True for a plain word as the value of a property."""
    return value in _COMMON or (not is_sensitive(name) and is_words(value))


def is_path(value: str) -> bool:
    """Return True if a value is clearly a path of words, which may be shown to the user."""
    if not re.match(r"[/~]|\.{1,2}/|[A-Za-z]:[/\\]", value):
        return False
    below = re.sub(r"^(?:~|[A-Za-z]:|[./]+)", "", value).strip("/\\")
    return all(map(is_words, re.split(r"[/\\]+", below)))


def is_short(part: str, most: int = 4) -> bool:
    """Return True if a part of a URL is words, or too short to be a secret."""
    return is_words(part) or (len(part) <= most and part.isalnum())


def template(text: str) -> str | None:
    """Return an argument that consists of variables and at most a flag or header name."""
    if not VARIABLE.search(text) or not _AROUND.fullmatch(VARIABLE.sub("", text)):
        return None
    return VARIABLE.sub(without_default, text)


def without_default(match: re.Match[str]) -> str:
    """Return a variable without its default, unless that is a plain word or a number."""
    default = match["default"] or ""
    plain = re.fullmatch(r"(?::-(?:[a-z]{1,16}|\d{1,5})?)?", default)
    return match[0] if plain else match[0].replace(default, "")
