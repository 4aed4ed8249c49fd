"""Converts a command's arguments for a contract: plain words stay, others become variables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from mcpgen.servers.endpoint.project_paths import ProjectPaths
from mcpgen.servers.endpoint.sensitivity import (
    VARIABLE,
    is_common,
    is_flag,
    is_path,
    is_sensitive,
    is_short,
    is_switch,
    is_words,
    template,
    without_default,
    words_of,
)
from mcpgen.servers.endpoint.variables import Placeholders

_ASSIGNED = re.compile(r"(--?[A-Za-z][\w-]*|[A-Za-z][\w-]*)=(.+)", re.DOTALL)
_HEADER = re.compile(r"([A-Za-z][A-Za-z-]*)(: ?)((?:(?:Bearer|Basic|Token) )?)(.+)", re.DOTALL)
# A flag whose name ends in one of these has a value, so the value can be named after it.
_VALUED = frozenset(
    """
    path dir directory folder root file db database url uri host endpoint server port user name id
    project repository repo workspace config profile region vault data cwd prefix
    """.split()
)


@dataclass(slots=True)
class Arguments:
    """Processes a command's arguments one by one, with the flag before each."""

    paths: ProjectPaths
    placeholders: Placeholders
    arguments: list[str] = field(default_factory=list[str])
    name: str = ""  # the option whose value the next argument may be

    def add_with_variables(self, text: str, value: str) -> None:
        """Add an argument with variables, in its original form if the rest is plain."""
        plain = template(text)
        if plain is None and self._is_plain(VARIABLE.sub("x", text)):
            plain = VARIABLE.sub(without_default, text)
        self.arguments.append(plain or self.placeholders.value(value, "", is_public=False))
        self.name = ""

    def _is_plain(self, text: str) -> bool:
        match = _ASSIGNED.fullmatch(text)
        if match and (is_flag(match[1]) or is_words(match[1])):
            return publishable(match[2], match[1], self.paths) == match[2]
        return publishable(text, self.name, self.paths) == text

    def add(self, argument_text: str, *, is_known: bool) -> None:
        """Add an argument. Arguments of a launcher's own syntax stay unchanged."""
        if is_known or is_flag(argument_text):
            self.arguments.append(argument_text)
            self.name = argument_text if is_flag(argument_text) else ""
        else:
            text = (
                self._assignment(argument_text)
                or self._header(argument_text)
                or self._value(argument_text, self.name)
            )
            self.arguments.append(text)
            is_name = (
                not self.name
                and text == argument_text
                and argument_text.isalpha()
                and is_sensitive(argument_text)
            )
            self.name = argument_text if is_name else ""

    def _assignment(self, text: str) -> str:
        """Return ``--flag=value`` or ``NAME=value``, with secrets replaced in the value."""
        match = _ASSIGNED.fullmatch(text)
        if match is None or not (is_flag(match[1]) or is_words(match[1])):
            return ""
        return f"{match[1]}={self._value(match[2], match[1], is_its=True)}"

    def _header(self, arg: str) -> str:
        """Return ``Name: value`` for a header, with its name and scheme."""
        match = _HEADER.fullmatch(arg)
        if match is None or not is_words(match[1]):
            return ""
        name, colon, scheme, value = match.groups()
        if self.name not in ("-H", "--header") and (value[:2] == "//" or not is_sensitive(name)):
            return ""
        if not is_switch(value, name):
            value = self.placeholders.value(value, name, is_public=False)
        return f"{name}{colon}{scheme}{value}"

    def _value(self, value: str, name: str, *, is_its: bool = False) -> str:
        plain = publishable(value, name, self.paths)
        if plain is not None:
            return plain
        is_secret = is_sensitive(name)
        tokens = words_of(name)
        is_its = is_its or is_secret or bool(tokens and tokens[-1] in _VALUED)
        is_one_letter = len(name.lstrip("-")) < 2
        is_public = not is_secret and is_path(value)
        name = name if is_its and not is_one_letter else ""
        return self.placeholders.value(value, name, is_public=is_public)


def publishable(value: str, name: str, paths: ProjectPaths) -> str | None:
    """Return a value if it isn't sensitive, otherwise None.

    ``name`` is the flag, property or header before it, or "".
    """
    if not value or is_common(value):
        return value
    if name and is_sensitive(name):
        return None
    # Single letters are ambiguous: -p is a port or a password.
    if re.fullmatch(r"-?[A-Za-z]", name):
        is_named = name == "-e" and re.fullmatch(r"[A-Z][A-Z0-9_]*", value) and is_words(value)
        is_plain = is_named or is_switch(value, name)
        return value if is_plain else paths.relative(value, must_exist=True)
    if "://" in value:
        return value if _is_plain_address(value) else None
    if re.match(r"[/~]|\.{1,2}(?:/|$)|[A-Za-z]:[/\\]", value) or "\\" in value:
        return paths.relative(value)
    items = value.split(",")
    return (
        value if all(_is_item(item) for item in items) else paths.relative(value, must_exist=True)
    )


def _is_item(item: str) -> bool:
    """Return True if a list item is plain: words, host and port, a package, or an image."""
    match = re.fullmatch(r"(@?[^@:]+)(?::(\d{1,5}|latest)|[@:](v?\d[\w.-]{0,20}|latest))?", item)
    if match is None:
        return False
    version = match[3] or ""
    return all(map(is_words, match[1].split("/"))) and (not version or is_words(version))


def _is_plain_address(text: str) -> bool:
    try:
        address = urlsplit(text)
    except ValueError:
        return False
    if address.query or address.fragment or "@" in address.netloc:
        return False
    parts = [*address.netloc.replace(":", ".").split("."), *address.path.split("/")]
    return all(is_short(part) for part in parts if part)
