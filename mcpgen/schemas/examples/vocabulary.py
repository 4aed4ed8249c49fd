"""Plausible values by name or format."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from functools import lru_cache

_START = datetime(2026, 3, 2, 9, 30, tzinfo=timezone.utc)


def _moment(number: int) -> datetime:
    return _START + timedelta(days=number, minutes=7 * number)


_SPELLINGS = (
    *("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"),
    *("%Y-%m-%dT%H:%M:%S.000Z", "%Y-%m-%dT%H:%M:%S+00:00", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"),
    *("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y-%m", "%Y-W%V", "%Y%m%d"),
    *("%H:%M:%S", "%H:%M"),
)
_MOST_MOMENTS = 6


def moments(start: int) -> Iterator[str]:
    """Yield dates and times in several formats, because a pattern may require one of them."""
    for number in range(start, start + _MOST_MOMENTS):
        yield from (_moment(number).strftime(spelling) for spelling in _SPELLINGS)


def _mail(number: int) -> str:
    return f"{PEOPLE[number % len(PEOPLE)].split()[0].lower()}{_more(number, PEOPLE)}@example.org"


def _link(number: int) -> str:
    return f"https://example.org/{TOPICS[number % len(TOPICS)]}{_more(number, TOPICS)}"


def _uuid(number: int) -> str:
    return f"0b8e2d1c-7f7e-4d53-9a53-{(number + 1) * 0x1F3C11 % 16**12:012x}"


def _more(number: int, values: Sequence[str]) -> str:
    round_ = number // len(values)
    return f"-{round_ + 1}" if round_ else ""


PEOPLE = ("Ada Moreau", "Tomas Lind", "Noor Haddad", "Ines Okafor", "Kenji Mori", "Maya Costa")
TOPICS = ("harbour", "orchard", "lantern", "meadow", "granite", "compass", "willow", "ember")
CITIES = ("Lisbon", "Oslo", "Nairobi", "Kyoto", "Montreal", "Valencia")
SENTENCES = (
    "The delivery arrived this morning.",
    "Please review the draft before Friday.",
    "Everything works as described.",
    "The meeting moved to the second floor.",
)

FORMATS: dict[str, Callable[[int], str]] = {
    "date-time": lambda n: _moment(n).strftime("%Y-%m-%dT%H:%M:%SZ"),
    "date": lambda n: _moment(n).strftime("%Y-%m-%d"),
    "time": lambda n: _moment(n).strftime("%H:%M:%SZ"),
    "duration": lambda n: f"PT{n + 1}M",
    "email": _mail,
    "idn-email": _mail,
    "uuid": _uuid,
    "uri": _link,
    "url": _link,
    "iri": _link,
    "uri-reference": lambda n: f"/{TOPICS[n % len(TOPICS)]}{_more(n, TOPICS)}",
    "iri-reference": lambda n: f"/{TOPICS[n % len(TOPICS)]}{_more(n, TOPICS)}",
    "uri-template": lambda n: f"https://example.org/{TOPICS[n % len(TOPICS)]}/{{id}}",
    "hostname": lambda n: f"{TOPICS[n % len(TOPICS)]}{_more(n, TOPICS)}.example.org",
    "idn-hostname": lambda n: f"{TOPICS[n % len(TOPICS)]}{_more(n, TOPICS)}.example.org",
    "ipv4": lambda n: f"192.0.2.{1 + n % 250}",
    "ipv6": lambda n: f"2001:db8::{1 + n:x}",
    "json-pointer": lambda n: f"/{TOPICS[n % len(TOPICS)]}/{n}",
    "relative-json-pointer": lambda n: f"{n % 3}/{TOPICS[n % len(TOPICS)]}",
    "regex": lambda n: f"^{TOPICS[n % len(TOPICS)]}[0-9]+$",
    "byte": lambda n: ("SGVsbG8=", "V29ybGQ=", "Rm9v", "QmFy")[n % 4],
    "binary": lambda n: ("SGVsbG8=", "V29ybGQ=", "Rm9v", "QmFy")[n % 4],
}

_WORDS: dict[str, tuple[str, ...] | Callable[[int], str]] = {
    "email mail sender recipient": _mail,
    "url uri link href website homepage endpoint": _link,
    "uuid guid": _uuid,
    "date day since until deadline": FORMATS["date"],
    "timestamp datetime at time created updated modified": FORMATS["date-time"],
    "city place location town": CITIES,
    "country": ("Portugal", "Norway", "Kenya", "Japan", "Canada", "Spain"),
    "address street": ("12 Harbour Street", "4 Orchard Lane", "77 Meadow Road"),
    "name author user owner assignee person username": PEOPLE,
    "title subject heading summary label topic": (
        "Quarterly report",
        "A field guide to rain",
        "Release notes",
        "Six days by rail",
    ),
    "description text message body content comment note reason instructions": SENTENCES,
    "query search keyword prompt question": ("night ferry", "open issues", "weather in Oslo"),
    "path file filename filepath": ("docs/report.txt", "notes/plan.md", "data/table.csv"),
    "directory folder dir cwd root": ("docs", "notes/2026", "data"),
    "language lang locale": ("en", "pt", "sv", "ja"),
    "currency": ("EUR", "USD", "JPY", "NOK"),
    "color colour": ("#3366cc", "#cc6633", "#33cc66"),
    "phone telephone": ("+1 555 0100", "+1 555 0123", "+1 555 0199"),
    "status state": ("active", "pending", "done"),
    "version": ("1.4.2", "2.0.0", "0.9.1"),
    "host hostname server domain": FORMATS["hostname"],
    "ip": FORMATS["ipv4"],
    "timezone tz": ("Europe/Lisbon", "Asia/Tokyo", "America/Toronto"),
    "tag category genre group": TOPICS,
    "cursor token key hash": ("a1b2c3", "d4e5f6", "b7c8d9"),
    "id identifier": ("a-101", "a-102", "b-203", "c-304"),
    "sql": ("SELECT 1", "SELECT name FROM items"),
    "expression formula equation": ("2 + 2", "3 * 7", "(1 + 2) / 4"),
    "mime mimetype": ("text/plain", "application/json"),
    "error": ("not found", "no connection"),
}
_BY_WORD = {part: values for hints, values in _WORDS.items() for part in hints.split()}

_RANGES: dict[str, tuple[int, int]] = {
    "year published released founded": (1990, 2026),
    "month": (1, 12),
    "day": (1, 28),
    "hour hours": (0, 23),
    "minute minutes second seconds": (0, 59),
    "port": (8000, 8999),
    "age": (20, 70),
    "page": (1, 3),
    "limit": (5, 50),
    "offset index": (0, 20),
    "id number": (1000, 9999),
    "size bytes length": (128, 4096),
    "width height": (320, 1920),
    "latitude lat": (-60, 70),
    "longitude lon lng": (-150, 150),
    "percent percentage progress": (0, 100),
    "timestamp epoch": (1_770_000_000, 1_780_000_000),
    "score confidence ratio probability similarity": (0, 1),
    "price amount cost": (5, 200),
    "temperature": (-5, 30),
}
_BY_NUMBER = {part: span for hints, span in _RANGES.items() for part in hints.split()}


_LONGEST_NAME = 1_000
"""The rest of a longer name, which no person wrote, has no meaning."""


@lru_cache(maxsize=1_000)
def split(name: str) -> Sequence[str]:
    """Split a name in any style into words: ``createdAt``, ``created_at``, ``CREATED-AT``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name[:_LONGEST_NAME])
    return tuple(part.lower() for part in re.split(r"[^A-Za-z0-9]+", spaced) if part)


def text(name: str, number: int) -> str:
    """Return a plausible string for a name. Another number gives another string."""
    parts = split(name)
    values = next((_BY_WORD[token] for token in _known_words(parts, _BY_WORD.keys())), None)
    if values is None:
        return f"{' '.join(parts) or 'text'} {number + 1}"
    if callable(values):
        return values(number)
    value = values[number % len(values)]
    more = _more(number, values)
    return f"{value}{more.replace('-', ' ') if ' ' in value else more}"


def span(name: str) -> tuple[int, int]:
    """Return the range of plausible numbers for a name."""
    return next(
        (_BY_NUMBER[token] for token in _known_words(split(name), _BY_NUMBER.keys())), (1, 40)
    )


def _known_words(tokens: Sequence[str], taken_names: Container[str]) -> list[str]:
    """Return the known words of a name, last word first: ``user_id`` is an ID."""
    return [
        w
        for token in reversed(tokens)
        for w in (token, token.removesuffix("s"))
        if w in taken_names
    ]
