"""Parses JSON within limits, formats it for reviewers, and hashes its canonical form."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from json.encoder import encode_basestring
from typing import Any, TypeAlias, TypeGuard, cast

from mcpgen.errors import ContractError

Json: TypeAlias = Any
"""A JSON value as :func:`json.loads` returns it."""


def is_object(value: Json) -> TypeGuard[dict[str, Json]]:
    """Return True for a JSON object."""
    return isinstance(value, dict)


def is_array(value: Json) -> TypeGuard[list[Json]]:
    """Return True for a JSON array."""
    return isinstance(value, list)


def is_number(value: Json) -> TypeGuard[int | float]:
    """Return True for a JSON number. Python's booleans are integers, but not JSON numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


class Written(str):
    """A hashable JSON value. It equals only values of the same spelling: 1 is neither 1.0 nor
    true.
    """

    __slots__ = ("value",)
    value: Json

    @classmethod
    def from_value(cls, value: Json) -> Written:
        """Return the key of a value. Its ``repr`` is much faster than JSON."""
        written = cls(repr(value))
        written.value = value
        return written


MAX_DEPTH = 256
"""Maximum nesting of a definition. Python itself reads about 900 levels."""

MAX_DIGITS = 4_300
"""Maximum number of digits of an integer, equal to Python's own limit."""


class Unheld(float):
    """Placeholder for a number that neither an integer nor a double can represent. Never
    written.
    """


def flaw(value: Json, levels: int = MAX_DEPTH) -> str:
    """Return why a value can't be part of a contract, or ""."""
    try:
        text = _COMPACT.encode(value)
    except (ValueError, RecursionError) as error:
        if _is_deeper(value, levels):
            return _too_deep(levels)
        if isinstance(error, RecursionError):
            raise
        if _holds_unheld(value):
            return f"it contains a number that neither a double nor {MAX_DIGITS:,} digits can hold"
        return "it contains a number that JSON doesn't have (NaN or Infinity)"
    # Most documents contain fewer brackets than the limit, even counting those in strings.
    brackets = text.count("{") + text.count("[")
    return _too_deep(levels) if brackets > levels and _is_deeper(value, levels) else ""


def _too_deep(levels: int) -> str:
    return f"nested more than {levels} levels deep"


_COMPACT = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,
    allow_nan=False,
    sort_keys=True,
    separators=(",", ":"),
)


def in_order(value: Json) -> Json:
    """Return a copy of a value without a :func:`flaw`, with the properties of objects sorted."""
    return json.loads(_COMPACT.encode(value))


def _is_deeper(value: Json, levels: int) -> bool:
    layer = [value]
    for _ in range(levels + 1):
        # Level by level, which needs neither recursion nor a counter for each value.
        objects = [inner for item in layer if is_object(item) for inner in item.values()]
        layer = objects + [inner for item in layer if is_array(item) for inner in item]
        if not layer:
            return False
    return True


def _holds_unheld(value: Json) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Unheld):
            return True
        waiting += item.values() if is_object(item) else item if is_array(item) else ()
    return False


def loads(text: str | bytes, where: str = "") -> Json:
    """Parse JSON like :func:`parse`, but raise ``ContractError`` for invalid JSON."""
    try:
        return parse(text)
    except ValueError as error:
        hint = "check the file, or record the server again"
        raise ContractError(f"not JSON: {error}", where, hint) from None


def parse(text: str | bytes) -> Json:
    """Parse JSON, including values that Python can't represent.

    Values nested deeper than a definition may be are cut slightly below that depth. Numbers that
    neither an integer of ``MAX_DIGITS`` nor a double can represent become :class:`Unheld`.
    :func:`flaw` reports both, so they affect only the definition that contains them. Integers too
    large for a double, such as ``1e400``, become integers. ``NaN`` is rejected. If a name repeats
    in an object, its last value counts.

    Raises:
        ValueError: The text isn't JSON.
    """
    decoded = text if isinstance(text, str) else _decode(text)
    try:
        return _parse_text(decoded)
    except RecursionError:
        return _parse_text(_prune(decoded))


def _decode(text: bytes) -> str:
    return text.decode(json.detect_encoding(text), "surrogatepass")


def _parse_text(text: str) -> Json:
    return json.loads(
        text, parse_constant=_refuse_constant, parse_int=_integer, parse_float=_number
    )


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a JSON number")


def _integer(digits: str) -> int | Unheld:
    # Also for a lower limit set by ``sys.set_int_max_str_digits``.
    with contextlib.suppress(ValueError):
        if len(digits) <= MAX_DIGITS + digits.startswith("-"):
            return int(digits)
    return Unheld("nan")


def _number(text: str) -> int | float:
    value = float(text)
    return value if math.isfinite(value) else _parse_large_number(text)


def _parse_large_number(text: str) -> int | Unheld:
    """Return a number that is too large for a double, exactly."""
    with contextlib.suppress(ArithmeticError):  # the exponent is too large even for decimal
        number = Decimal(text)
        if number.adjusted() < MAX_DIGITS and number == number.to_integral_value():
            return int(number)
    return Unheld("nan")


_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)


def _prune(text: str) -> str:
    """Cut values nested too deeply for Python. The rest still exceeds the depth limit."""
    pieces: list[str] = []
    depth = start = 0
    for token in _BRACKETS.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth == MAX_DEPTH + 20:
                pieces.append(text[start : token.start()] + "null")
        elif token[0] in "]}":
            depth -= 1
            if depth == MAX_DEPTH + 19:
                start = token.end()
    return "".join([*pieces, text[start:]])


# Invisible and reordering characters stay escaped, so that a reviewer sees them in a diff.
_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def dumps(value: Json) -> str:
    """Return a JSON document as committed: sorted, two spaces, hidden characters escaped."""
    pieces: list[str] = []
    _lay_out(value, "\n", pieces)
    pieces.append("\n")
    text = "".join(pieces)
    if text.isascii() and "\x7f" not in text:
        return text
    return _HIDDEN.sub(lambda match: _escape_char(match[0]), text)


def _lay_out(value: Json, line: str, pieces: list[str]) -> None:
    """Append a value, formatted like the standard library's indented JSON but several times as
    fast.

    ``line`` is the line break and indentation of the value's siblings.
    """
    if isinstance(value, str):
        pieces.append(encode_basestring(value))
    elif not value or not isinstance(value, dict | list | tuple):
        pieces.append(_COMPACT.encode(value))
    elif is_object(value):
        inner = f"{line}  "
        before = f"{{{inner}"
        for key, item in sorted(value.items(), key=_name):
            start = len(pieces)
            pieces.append(f"{before}{encode_basestring(key)}: ")
            _lay_out(item, inner, pieces)
            before = f",{inner}"
            if line == _OF_A_PART:  # one string takes far less memory than its pieces
                pieces[start:] = ["".join(pieces[start:])]
        pieces.append(f"{line}}}")
    else:
        inner = f"{line}  "
        before = f"[{inner}"
        for item in cast("Sequence[Json]", value):
            pieces.append(before)
            _lay_out(item, inner, pieces)
            before = f",{inner}"
        pieces.append(f"{line}]")


_OF_A_PART = "\n  "
"""The line break before the properties of a document, such as its tools."""


def _name(member: tuple[str, Json]) -> str:
    return member[0]


@cache
def _escape_char(char: str) -> str:
    return json.dumps(char)[1:-1]


_SURROGATE = re.compile("[\ud800-\udfff]")


def sha256(value: Json) -> str:
    """Return the SHA-256 over the RFC 8785 canonical form of a JSON value, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()


def canonical(value: Json) -> bytes:
    """Return the RFC 8785 form: numbers are doubles there, so larger integers are rounded."""
    try:
        text = _COMPACT.encode(value)
        has_names = text.isascii() or not _names_beyond_ascii(text)
        if has_names and not _OTHER_NUMBER.search(f":{text}"):
            return text.encode()
        return _COMPACT.encode(_simplify(value)).encode()
    # The document contains a lone surrogate, for example.
    except (_Unclear, ValueError, RecursionError):
        import rfc8785

        return rfc8785.dumps(_encodable(value))


# Numbers that the standard library may format differently: fractions, exponents, and more than 15
# digits. A match within a string only costs time.
_OTHER_NUMBER = re.compile(r"[\[,:]-?(?:[0-9]+[.e]|[0-9]{16})")
_FROM_BEYOND_ASCII = re.compile(r'[^\x00-\x7f][^"\\]*(?:\\.[^"\\]*)*"(:?)')


def distinct(values: Iterable[Json]) -> list[Json]:
    """Return the values without repetitions. True isn't 1, but 1.0 is."""
    first: dict[bytes, Json] = {}
    for value in values:
        first.setdefault(canonical(value), value)
    return [*first.values()]


def _names_beyond_ascii(text: str) -> bool:
    """Return True if a property name isn't ASCII. Canonical JSON sorts such names by UTF-16
    units.
    """
    return any(string[1] for string in _FROM_BEYOND_ASCII.finditer(text))


class _Unclear(Exception):
    """A value that the standard library formats differently from RFC 8785."""


def _simplify(value: Json) -> Json:
    """Return an equal value that the much faster standard library formats like RFC 8785."""
    if is_object(value):
        if not all(map(str.isascii, value)):
            raise _Unclear
        return {key: _simplify(item) for key, item in value.items()}
    if is_array(value):
        return [_simplify(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if not abs(value) < 2**53 or "e" in repr(value):
        raise _Unclear
    return int(value) if value == int(value) else value


def _encodable(value: Json) -> Json:
    if is_object(value):
        return {_encodable(k): _encodable(v) for k, v in value.items()}
    if is_array(value):
        return [_encodable(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return float(value) if abs(value) < 10**308 else str(value)
    if isinstance(value, str) and _SURROGATE.search(value):
        return value.encode("utf-8", "backslashreplace").decode()
    return value
