"""Results as HTML for notebooks, with all text of the server escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from ..abbreviate import value
from ..display import Html
from ..errors import InvalidResult
from .binary_html import MAX_BYTES, binary_html, note
from .content import audio, images, resources, text

if TYPE_CHECKING:
    from .content import AnyResult, Binary

_LONGEST_TEXT = 10_000
_MOST_SHOWN = 20


def result_html(result: AnyResult, data: object = None) -> Html:
    """Return a result as HTML: its data or else its text, then media, resources."""
    return _join_html(_parts(result, data))


def _join_html(parts: Iterable[Html]) -> Html:
    return Html("".join(parts))


def _parts(result: AnyResult, data: object) -> Iterator[Html]:
    if data is not None:
        yield _preformatted_html(value(data, _LONGEST_TEXT))
    elif text(result):
        yield _preformatted_html(text(result))
    try:
        media = [*images(result), *audio(result)]
    except InvalidResult as error:
        yield note(str(error.problems[0]))
        media = []
    yield from _media(media[:_MOST_SHOWN])
    uris = [str(resource.uri) for resource in resources(result)]
    yield from (note(uri) for uri in uris[:_MOST_SHOWN])
    hidden = max(len(media) - _MOST_SHOWN, 0) + max(len(uris) - _MOST_SHOWN, 0)
    if hidden:
        yield note(f"and {hidden} more")


def _media(media: list[Binary]) -> Iterator[Html]:
    """Yield images and clips as HTML, as many as are small enough together."""
    rest = MAX_BYTES
    for item in media:
        yield binary_html(item, rest)
        rest -= len(item.data) if len(item.data) <= rest else 0


def _preformatted_html(long: str) -> Html:
    beginning = long[:_LONGEST_TEXT]
    rest = len(long) - len(beginning)
    more = [note(f"and {rest:,} more characters")] if rest else []
    return _join_html([Html(f"<pre>{escape(beginning)}</pre>"), *more])
