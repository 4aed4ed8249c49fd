"""Results as HTML for notebooks; nothing that a server sends is markup."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from .brief import value
from .content import audio, images, resources, text
from .errors import InvalidResult
from .visible import Html

if TYPE_CHECKING:
    from .content import AnyResult, Binary

_LONGEST_TEXT = 10_000
_MOST_BYTES = 5_000_000
_MOST_SHOWN = 20

# None of them can hold a script, as SVG can.
_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_AUDIO = frozenset({"audio/wav", "audio/x-wav", "audio/mpeg", "audio/ogg", "audio/mp4"})


def result_html(result: AnyResult, data: object = None) -> Html:
    """Return a result as HTML: its data or else its text, then media, resources."""
    return _joined(_parts(result, data))


def _joined(parts: Iterable[Html]) -> Html:
    return Html("".join(parts))


def _parts(result: AnyResult, data: object) -> Iterator[Html]:
    if data is not None:
        yield _preformatted(value(data, _LONGEST_TEXT))
    elif text(result):
        yield _preformatted(text(result))
    try:
        media = [*images(result), *audio(result)]
    except InvalidResult as error:
        yield _note(str(error.problems[0]))
        media = []
    yield from _media(media[:_MOST_SHOWN])
    uris = [str(resource.uri) for resource in resources(result)]
    yield from (_note(uri) for uri in uris[:_MOST_SHOWN])
    hidden = max(len(media) - _MOST_SHOWN, 0) + max(len(uris) - _MOST_SHOWN, 0)
    if hidden:
        yield _note(f"and {hidden} more")


def _media(media: list[Binary]) -> Iterator[Html]:
    """Yield images and clips as HTML, as many as are small enough together."""
    rest = _MOST_BYTES
    for each in media:
        yield binary_html(each, rest)
        rest -= len(each.data) if len(each.data) <= rest else 0


def binary_html(binary: Binary, most: int = _MOST_BYTES) -> Html:
    """Return an image or a clip as HTML; what is too large or unknown, as its type."""
    kind = binary.mime_type.partition(";")[0].strip().lower()
    if len(binary.data) > most or kind not in _IMAGES | _AUDIO:
        return _note(repr(binary))
    encoded = base64.b64encode(binary.data).decode()
    source = f"data:{kind};base64,{encoded}"
    if kind in _IMAGES:
        return Html(f'<img src="{source}" style="max-width: 100%">')
    return Html(f'<audio controls src="{source}"></audio>')


def _preformatted(long: str) -> Html:
    shown = long[:_LONGEST_TEXT]
    rest = len(long) - len(shown)
    more = [_note(f"and {rest:,} more characters")] if rest else []
    return _joined([Html(f"<pre>{escape(shown)}</pre>"), *more])


def _note(words: str) -> Html:
    return Html(f"<div><code>{escape(words[:_LONGEST_TEXT])}</code></div>")
